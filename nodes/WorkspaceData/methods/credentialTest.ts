/** The Test button of the credentials: lists the cards, and says which of address, key and workspace is wrong. */
import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { z } from 'zod/v3';
import { cards } from '../transport/api';
import { systemClock, type Clock } from '../transport/clock';
import { apiKeyOf, entryText, parseBaseUrl, pathSegment, redact } from '../transport/credential';
import { RequestError } from '../transport/errors';
import { exchange, isSuccess, readList, refusal, type Send } from '../transport/response';
import { sharedBy } from '../transport/shared';
import { requestToken } from '../transport/token';
import { InputError } from '../values/inputError';
import { sentences } from '../values/messageText';

/** The time limit of the response, in ms. */
const TIMEOUT_MS = 10_000;

export async function testWorkspaceAccess(
	this: ICredentialTestFunctions,
	{ type, data = {} }: ICredentialsDecrypted,
	clock: Clock = systemClock,
): Promise<INodeCredentialTestResult> {
	const { recent } = sharedBy(data).token;
	const tokens = [...recent];
	const clean = (text: string) => redact(text, data, tokens);
	const isKey = type === 'workspaceDataApi';
	try {
		const send = sender(this);
		const base = parseBaseUrl(data.baseUrl);
		const workspace = pathSegment(entryText(data.workspaceId), 'Workspace ID');
		const url = `${base}/workspaces/${workspace}/cards`;
		const token = isKey
			? apiKeyOf(data)
			: (await requestToken(data, send, clock, recent)).access_token;
		tokens.push(token);
		const account = isKey ? 'API key' : 'service account';
		const { host } = new URL(url);
		const origin = { host, account, address: 'Base URL', method: 'GET', clean } as const;
		const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' };
		const request = { method: 'GET', url, headers } as const;
		const response = await exchange(send, request, origin, { ms: TIMEOUT_MS, clock });
		if (!isSuccess(response)) throw refusal(response);
		readList(z.array(cards.schema), response, 'cards');
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
