import type {
	ICredentialsDecrypted,
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { z } from 'zod';
import { parseBaseUrl, pathSegment } from '../model/address';
import { readCards } from '../model/card';
import { InputError } from '../model/inputError';
import { parseJsonText } from '../model/json';
import { readProblem } from '../model/problem';
import { redact } from '../model/redact';
import { AccessTokenError, requestAccessToken, type Send } from '../transport/accessToken';
import { NetworkFailure, readNetworkFailure } from '../transport/networkFailure';

const TIMEOUT_MS = 10_000;

const answerSchema = z.object({ statusCode: z.number(), body: z.unknown() });

/** n8n gives credential tests the older request helper only; this is how it takes our options. */
function sender(context: ICredentialTestFunctions): Send {
	return async ({ url, ...options }: IHttpRequestOptions) =>
		await context.helpers.request({
			...options,
			uri: url,
			json: false,
			simple: false,
			followRedirect: false,
			followAllRedirects: false,
			resolveWithFullResponse: true,
		});
}

/** The older helper leaves bodies as text. */
const parsedBody = (body: unknown): unknown =>
	typeof body === 'string' ? (parseJsonText(body) ?? body) : body;

const sentence = (...parts: Array<string | undefined>): string =>
	parts
		.filter((part): part is string => Boolean(part))
		.map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
		.join(' ');

/** Lists the cards of the workspace with a bearer token. @returns what is wrong, if anything */
async function listsCards(
	send: Send,
	credential: ICredentialDataDecryptedObject,
	token: string,
	keyAdvice: string,
): Promise<string | undefined> {
	const baseUrl = parseBaseUrl(credential.baseUrl);
	const workspaceId = pathSegment(credential.workspaceId, 'Workspace ID');
	const { host } = new URL(baseUrl);
	const answer = await send({
		method: 'GET',
		url: `${baseUrl}/workspaces/${workspaceId}/cards`,
		headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
		timeout: TIMEOUT_MS,
	}).catch(readNetworkFailure);
	if (answer instanceof NetworkFailure) {
		return sentence(
			`The service at ${host} could not be reached: ${answer.reason}`,
			"Check 'Base URL'",
		);
	}
	const { statusCode, body } = answerSchema.parse(answer);
	const content = parsedBody(body);
	const problem = readProblem(statusCode, content);
	const said = problem.detail ?? problem.title;
	if (statusCode === 200) {
		return readCards(content)
			? undefined
			: sentence(`${host} answers, but not as the workspace service does`, "Check 'Base URL'");
	}
	if (statusCode === 401) return sentence(keyAdvice, `The service says: ${said}`);
	if (statusCode === 403) {
		return sentence(
			"The credential is valid, but has no access to this workspace. Check 'Workspace ID'",
			`The service says: ${said}`,
		);
	}
	if (statusCode === 404) {
		return problem.kind === undefined || /route|path|endpoint/.test(problem.kind)
			? sentence(
					`${host} does not offer the API at this address. Check 'Base URL'`,
					`The answer says: ${said}`,
				)
			: sentence("There is no such workspace. Check 'Workspace ID'", `The service says: ${said}`);
	}
	if (statusCode >= 300 && statusCode < 400) {
		return sentence(
			`${host} redirects to another address`,
			"Enter the final address in 'Base URL'",
		);
	}
	return sentence(`The service answered with status ${statusCode}`, `It says: ${said}`);
}

/** A token for the test: the key itself, or one that is asked for now, past anything remembered. */
async function tokenFor(
	send: Send,
	type: string,
	credential: ICredentialDataDecryptedObject,
): Promise<{ token: string; keyAdvice: string } | AccessTokenError> {
	if (type === 'workspaceDataApi') {
		const token = String(credential.apiKey ?? '').trim();
		if (token === '') throw new InputError("'API Key' is empty", 'Enter the key.');
		return { token, keyAdvice: "The API key was not accepted. Check 'API Key'" };
	}
	const parsing: Send = async (options) => {
		const answer = answerSchema.parse(await send(options));
		return { ...answer, body: parsedBody(answer.body) };
	};
	const token = await requestAccessToken(credential, parsing);
	if (token instanceof AccessTokenError) return token;
	return {
		token: token.access_token,
		keyAdvice:
			"The service does not accept access tokens of this realm. Check 'Auth URL', 'Realm' and 'Base URL'",
	};
}

/**
 * The Test button of both credentials: proves access by listing the workspace's cards, and says which
 * of address, key and workspace is wrong.
 */
export async function testWorkspaceAccess(
	this: ICredentialTestFunctions,
	{ type, data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const send = sender(this);
	const secrets = [data.apiKey, data.clientSecret];
	const outcome = await (async () => {
		parseBaseUrl(data.baseUrl);
		pathSegment(data.workspaceId, 'Workspace ID');
		const access = await tokenFor(send, type, data);
		if (access instanceof AccessTokenError) return sentence(access.message, access.description);
		secrets.push(access.token);
		return await listsCards(send, data, access.token, access.keyAdvice);
	})().catch((error: unknown) =>
		error instanceof InputError
			? sentence(error.message, error.description)
			: sentence(error instanceof Error ? error.message : 'The test could not run'),
	);
	return outcome === undefined
		? { status: 'OK', message: 'Connection successful: the cards of the workspace can be listed.' }
		: { status: 'Error', message: redact(outcome, secrets) };
}
