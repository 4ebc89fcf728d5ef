/** The Test button of the credentials: lists the cards, and says which of address, key and workspace is wrong. */
import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { cards } from '../transport/api';
import { systemClock, type Clock } from '../transport/clock';
import { apiKeyOf } from '../transport/credential';
import { networkError, RequestError } from '../transport/errors';
import { redact } from '../transport/redact';
import { isSuccess, PLAIN_RESPONSE, readList, refusal, toResponse } from '../transport/response';
import { parseBaseUrl, pathSegment } from '../transport/serviceUrl';
import { tokenOf } from '../transport/shared';
import { requestToken, type Send } from '../transport/token';
import { within } from '../transport/within';
import { InputError } from '../values/inputError';
import { sentences } from '../values/messageText';

/** The time limit of the response, in ms. */
const TIMEOUT_MS = 10_000;

export async function testWorkspaceAccess(
	this: ICredentialTestFunctions,
	{ type, data = {} }: ICredentialsDecrypted,
	clock: Clock = systemClock,
): Promise<INodeCredentialTestResult> {
	const { recent } = tokenOf(data);
	const secrets = [data.apiKey, data.clientSecret, ...recent];
	const clean = (text: string) => redact(text, secrets);
	try {
		const send = sender(this);
		const base = parseBaseUrl(data.baseUrl);
		const url = `${base}/workspaces/${pathSegment(data.workspaceId, 'Workspace ID')}/cards`;
		const isKey = type === 'workspaceDataApi';
		const token = isKey
			? apiKeyOf(data)
			: (await requestToken(data, send, clock, recent)).access_token;
		secrets.push(token);
		await listCards(send, url, token, { isKey, clean, clock });
	} catch (error) {
		const isKnown = error instanceof RequestError || error instanceof InputError;
		const { message, description } = isKnown ? error : { message: String(Object(error).message) };
		const isForbidden = error instanceof RequestError && error.status === 403;
		const check = isForbidden && "Check 'Workspace ID'.";
		return { status: 'Error', message: clean(sentences(message, description, check)) };
	}
	return {
		status: 'OK',
		message: 'Connection successful: the cards of the workspace can be listed.',
	};
}

/** @throws RequestError that says what to check */
async function listCards(
	send: Send,
	url: string,
	token: string,
	{ isKey, clean, clock }: { isKey: boolean; clean: (text: string) => string; clock: Clock },
): Promise<void> {
	const account = isKey ? 'API key' : 'service account';
	const { host } = new URL(url);
	const origin = { host, account, address: 'Base URL', method: 'GET' } as const;
	const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' };
	const request = { ...PLAIN_RESPONSE, method: 'GET', url, headers, timeout: TIMEOUT_MS } as const;
	const response = await within(TIMEOUT_MS, clock, async () => await send(request)).then(
		(full) => toResponse(full, clean, false),
		(error: unknown) => {
			throw networkError(error, origin, clean);
		},
	);
	if (!isSuccess(response)) throw refusal(response, origin);
	readList(cards.schema, response, 'cards');
}

/** Credential tests only have n8n's older request helper. */
const sender =
	({ helpers }: ICredentialTestFunctions): Send =>
	async ({ url, ...options }) =>
		await helpers.request({
			...options,
			uri: url,
			encoding: 'utf8',
			json: false,
			simple: false,
			followRedirect: false,
			followAllRedirects: false,
			resolveWithFullResponse: true,
		});
