/** Requests an access token and reads the response. @see RFC 6749, section 4.4 */
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { z } from 'zod/v3';
import { tokenAddress } from './tokenAddress';
import { readProblem, readRefusal } from '../../model/response/problem';
import { isKeptBack } from '../../model/response/statusMeanings';
import { redact } from '../redact';
import { isWebPage, readObject } from '../../model/response/jsonObject';
import type { Clock } from '../http/clock';
import { entryText } from './credential';
import { AccessTokenError, isTransientStatus, NetworkFailure } from '../failure/failureKinds';
import { IN_BETWEEN } from '../failure/advice';
import { readNetworkFault } from '../failure/networkFault';
import { isSuccess } from '../http/retryPolicy';
import { sendAndRead, type Send } from '../http/sendAndRead';
import type { ApiResponse } from '../request';

/** The timeout of a token request, in ms. */
const TOKEN_TIMEOUT_MS = 10_000;
/** The maximum size of its response in bytes; tokens with many roles take about ten thousand. */
const MAX_TOKEN_BYTES = 1_000_000;
/** The lifetime if the response doesn't state one, in seconds. @see service interface, part 8 */
const DEFAULT_LIFETIME_S = 300;

/** @see RFC 6749, section 5.1. Some servers send `expires_in` as text. */
const tokenSchema = z.object({
	access_token: z.string().min(1),
	expires_in: z.coerce.number().positive().finite().catch(DEFAULT_LIFETIME_S),
});

type TokenResponse = z.infer<typeof tokenSchema>;

/**
 * Requests an access token once, with the client credentials grant.
 *
 * @param how.recent earlier tokens, which the auth server may quote
 * @returns the token and its lifetime in seconds, or the failure
 * @throws InputError if the credential's addresses can't be used
 * @see RFC 6749, sections 2.3.1 and 4.4; service interface, part 5
 */
export async function requestAccessToken(
	credential: ICredentialDataDecryptedObject,
	send: Send,
	{ clock, recent }: { clock: Clock; recent: readonly string[] },
): Promise<TokenResponse | AccessTokenError> {
	const url = tokenAddress(credential.authUrl, credential.realm);
	const host = new URL(url).host;
	const options: IHttpRequestOptions & { timeout: number } = {
		method: 'POST',
		url,
		headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
		body: new URLSearchParams({
			grant_type: 'client_credentials',
			client_id: entryText(credential.clientId),
			client_secret: entryText(credential.clientSecret),
		}).toString(),
		timeout: TOKEN_TIMEOUT_MS,
	};
	const reading = sendAndRead(send, options, { clock, maxBytes: MAX_TOKEN_BYTES });
	const response = await reading.catch(readNetworkFault);
	if (response instanceof NetworkFailure) {
		return response.tooLarge ? unreadable(host) : unreachableAuth(credential, response);
	}
	const clean = (text: string) => redact(text, [credential.clientSecret, ...recent]);
	const { status, body } = response;
	const token = isSuccess(status) ? readToken(body) : undefined;
	return token ?? explain(response, host, clean);
}

/** Creates the error for a token request without a response. */
export function unreachableAuth(
	{ authUrl, realm }: ICredentialDataDecryptedObject,
	fault: NetworkFailure,
): AccessTokenError {
	const { host } = new URL(tokenAddress(authUrl, realm));
	const check = "Check 'Auth URL' in the credential, and make sure that this n8n can reach it.";
	const { transient, httpCode, description = check } = fault;
	const message = `The auth server ${host} couldn't be reached: ${fault.message}`;
	return new AccessTokenError(message, { description, transient, httpCode });
}

/** Reads the token in a successful response. It may be wrapped, or be JSON inside a text. */
const readToken = (body: unknown): TokenResponse | undefined =>
	readObject(body, 'token', (candidate) => tokenSchema.safeParse(candidate).data);

/** @param transient true if trying again later can help */
const failureOf = (
	message: string,
	description: string,
	transient: boolean,
	status?: number,
): AccessTokenError =>
	new AccessTokenError(message, { description, transient, httpCode: status?.toString() });

const unreadable = (host: string, status?: number): AccessTokenError =>
	failureOf(
		`${host} didn't return an access token`,
		"Check 'Auth URL' and 'Realm' in the credential: another server may be answering at that address.",
		true,
		status,
	);

/** Explains a response without a token. */
function explain(
	{ status, body }: ApiResponse,
	host: string,
	clean: (text: string) => string,
): AccessTokenError {
	const problem = readProblem(status, body, clean);
	if (isKeptBack(problem) || (isSuccess(status) && isWebPage(body))) {
		const check =
			"Check 'Auth URL' and 'Realm' in the credential, or ask whoever runs the network.";
		const message = `A web page responded, not the auth server ${host}`;
		return failureOf(message, `${IN_BETWEEN} ${check}`, true, status);
	}
	if (status === 404 || (status >= 300 && status < 400)) {
		const message = `The auth server ${host} has no token endpoint for this realm`;
		return failureOf(message, "Check 'Auth URL' and 'Realm' in the credential.", false, status);
	}
	if (status === 429 || isTransientStatus(status)) {
		const message = `The auth server ${host} isn't available right now (status ${status})`;
		return failureOf(message, 'Try again in a moment.', true, status);
	}
	const refusal = isSuccess(status) ? readRefusal(status, body, clean) : problem;
	if (!refusal) return unreadable(host, status);
	const said = refusal.detail ? ` The auth server says: ${refusal.detail}` : '';
	const check = `Check 'Client ID' and 'Client Secret' in the credential; the account may have been revoked.${said}`;
	return failureOf("The service account wasn't accepted", check, false, status);
}
