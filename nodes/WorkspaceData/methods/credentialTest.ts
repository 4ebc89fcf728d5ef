/** The Test button of the credentials. */
import type {
	ICredentialsDecrypted,
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { parseBaseUrl, pathSegment } from '../transport/serviceUrl';
import { readCards } from '../model/response/card';
import { InputError } from '../values/inputError';
import { readProblem, readRefusal, type Problem } from '../model/response/problem';
import { isKeptBack } from '../model/response/statusMeanings';
import { redact } from '../transport/redact';
import { sentences } from '../values/messageText';
import { NO_CONTENT } from '../transport/cardAndFieldListings';
import { tokenOf } from '../transport/sharedState';
import { systemClock, type Clock } from '../transport/http/clock';
import { entryText } from '../transport/auth/credential';
import {
	AccessTokenError,
	NetworkFailure,
	UnusableResponse,
} from '../transport/failure/failureKinds';
import { IN_BETWEEN, pageAdvice } from '../transport/failure/advice';
import { readNetworkFault } from '../transport/failure/networkFault';
import { requestAccessToken } from '../transport/auth/tokenRequest';
import { isRateLimited, type Headers } from '../transport/http/rateLimitHeaders';
import { sendAndRead, type Send } from '../transport/http/sendAndRead';

/** Timeout of the whole response, in ms. */
const TIMEOUT_MS = 10_000;

/** Credential tests only have n8n's older request helper, so this converts our options for it. */
function sender(context: ICredentialTestFunctions): Send {
	return async ({ url, encoding, ...options }: IHttpRequestOptions) =>
		await context.helpers.request({
			...options,
			uri: url,
			useStream: encoding === 'stream',
			json: false,
			simple: false,
			followRedirect: false,
			followAllRedirects: false,
			resolveWithFullResponse: true,
		});
}

const sentence = (...parts: Array<string | undefined>): string =>
	sentences(...parts).replace(/[^.!?]$/, '$&.');

/** The text of a response without quoted paths, which say nothing about the cause. */
const wordsOf = ({ kind = '', title, detail = '' }: Problem): string =>
	[kind, title, detail].join(' ').replace(/\S*\/\S*/g, '');

/** Returns a message that says which entry of the credential the unsuccessful response points to. */
function blame(
	problem: Problem,
	{ host, keyAdvice, headers }: { host: string; keyAdvice: string; headers: Headers },
): string {
	const { status } = problem;
	if (isRateLimited(status, headers, true)) {
		return 'Test the credential again after the rate limit resets';
	}
	if (isKeptBack(problem)) return `${problem.title}. ${IN_BETWEEN} Check 'Base URL'`;
	if (status === 401) return keyAdvice;
	// The service refused with a success status, so its own message says the rest.
	if (status < 300) return problem.title;
	if (status < 400) {
		return `${host} redirects to another address. Enter the final address in 'Base URL'`;
	}
	if (problem.foreign && status >= 500) return pageAdvice('Test the credential again later.');
	const wrongAddress = `${host} doesn't offer the API at this address. Check 'Base URL'`;
	if (problem.foreign) return wrongAddress;
	const words = wordsOf(problem);
	const namesWorkspace = /workspace/i.test(words);
	if (status === 403) {
		return !namesWorkspace && /key|token|credential/i.test(words)
			? keyAdvice
			: "The credential is valid, but has no access to this workspace. Check 'Workspace ID'";
	}
	if (status < 500 && namesWorkspace) {
		return "This workspace doesn't exist. Check 'Workspace ID'";
	}
	if (status === 404) {
		return problem.kind === undefined || /route|path|endpoint|url|cannot (get|find)/i.test(words)
			? wrongAddress
			: "The service found nothing at this address. Check 'Base URL' and 'Workspace ID'";
	}
	return `The service responded with status ${status}`;
}

/** A bearer token, and what to check if the service refuses it. */
interface Access {
	token: string;
	keyAdvice: string;
}

/** Lists the cards of the workspace. @returns what is wrong; undefined if nothing is */
async function listsCards(
	send: Send,
	url: string,
	{ token, keyAdvice }: Access,
	{ clean, clock }: { clean: (text: string) => string; clock: Clock },
): Promise<string | undefined> {
	const { host } = new URL(url);
	const request = {
		method: 'GET',
		url,
		headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
		timeout: TIMEOUT_MS,
	} as const;
	const response = await sendAndRead(send, request, { clock }).catch(readNetworkFault);
	if (response instanceof NetworkFailure) {
		return sentence(
			response instanceof UnusableResponse
				? `The service at ${host} responded, but ${response.message}`
				: `The service at ${host} couldn't be reached: ${response.message}`,
			response.description ?? "Check 'Base URL'",
		);
	}
	const { status, body, headers } = response;
	const refusal = readRefusal(status, body, clean, headers['content-type']);
	if (status === NO_CONTENT) return undefined;
	if (status === 200 && !refusal) {
		return readCards(body)
			? undefined
			: sentence(`${host} responds, but it isn't the workspace service`, "Check 'Base URL'");
	}
	const problem = refusal ?? readProblem(status, body, clean);
	return sentence(
		blame(problem, { host, keyAdvice, headers }),
		`The service responded: ${problem.detail ?? problem.title}`,
	);
}

/** Returns a token for the test: the key itself, or a new token that ignores any cached one. */
async function tokenFor(
	send: Send,
	type: string,
	credential: ICredentialDataDecryptedObject,
	clock: Clock,
): Promise<Access | AccessTokenError> {
	if (type === 'workspaceDataApi') {
		const token = entryText(credential.apiKey);
		if (token === '') throw new InputError("'API Key' is empty", 'Enter the API key.');
		if (/\s/.test(token)) {
			throw new InputError("'API Key' has a space in it", "Enter the key alone, without 'Bearer'.");
		}
		return { token, keyAdvice: "The API key wasn't accepted. Check 'API Key'" };
	}
	const { recent } = tokenOf(credential);
	const token = await requestAccessToken(credential, send, { clock, recent });
	if (token instanceof AccessTokenError) return token;
	return {
		token: token.access_token,
		keyAdvice:
			"The service doesn't accept access tokens from this realm. Check 'Auth URL', 'Realm' and 'Base URL'",
	};
}

/**
 * The Test button of both credentials: proves access by listing the workspace's cards, and says which
 * of address, key and workspace is wrong.
 */
export async function testWorkspaceAccess(
	this: ICredentialTestFunctions,
	{ type, data = {} }: ICredentialsDecrypted,
	clock: Clock = systemClock,
): Promise<INodeCredentialTestResult> {
	const send = sender(this);
	const secrets = [data.apiKey, data.clientSecret];
	const clean = (text: string) => redact(text, secrets);
	const outcome = await (async () => {
		const baseUrl = parseBaseUrl(data.baseUrl);
		const workspaceId = pathSegment(data.workspaceId, 'Workspace ID');
		const access = await tokenFor(send, type, data, clock);
		if (access instanceof AccessTokenError) return sentence(access.message, access.description);
		secrets.push(access.token);
		const url = `${baseUrl}/workspaces/${workspaceId}/cards`;
		return await listsCards(send, url, access, { clean, clock });
	})().catch((error: unknown) =>
		error instanceof InputError
			? sentence(error.message, error.description)
			: sentence(error instanceof Error ? error.message : "The test couldn't run"),
	);
	return outcome === undefined
		? { status: 'OK', message: 'Connection successful: the cards of the workspace can be listed.' }
		: { status: 'Error', message: clean(outcome) };
}
