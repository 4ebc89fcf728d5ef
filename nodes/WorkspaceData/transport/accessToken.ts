import { createHash } from 'node:crypto';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { z } from 'zod';
import { tokenAddress } from '../model/address';
import { BoundedMap } from '../model/boundedMap';
import { parsedBody } from '../model/json';
import { readProblem } from '../model/problem';
import { redact } from '../model/redact';
import { readObject } from '../model/shapes';
import { systemClock, type Clock } from './clock';
import { AccessTokenError } from './failures';
import { NetworkFailure, readNetworkFailure } from './networkFailure';

/** Sends one HTTP request and gives n8n's full response; throws when there is no response. */
export type Send = (options: IHttpRequestOptions) => Promise<unknown>;

/** Lifetime where the answer names none, in seconds. @see service interface, part 8 */
const DEFAULT_LIFETIME_S = 300;
/** The part of its lifetime after which a token is renewed. */
const RENEW_AFTER = 0.85;
const REQUEST_TIMEOUT_MS = 10_000;
const TRIES = 3;
const FIRST_PAUSE_MS = 250;
/** How long a failure is remembered, so that a burst of items asks once. */
const PERMANENT_FAILURE_MS = 30_000;
const TRANSIENT_FAILURE_MS = 5_000;
const MAX_ACCOUNTS = 100;
const MAX_RECENT = 5;
/** How long a token is beyond suspicion, in ms: failures for other reasons must not cause requests. */
const FRESH_MS = 30_000;

/** @see RFC 6749, section 5.1. `expires_in` is sent as text by some servers. */
const tokenSchema = z.object({
	access_token: z.string().min(1),
	expires_in: z.coerce.number().positive().finite().catch(DEFAULT_LIFETIME_S),
});

const fullResponseSchema = z.object({ statusCode: z.number(), body: z.unknown() });

interface IssuedToken {
	value: string;
	/** Its number among the tokens of its account, from 1. */
	serial: number;
	issuedAt: number;
	renewAt: number;
	expiresAt: number;
}

interface Account {
	token?: IssuedToken;
	/** How many tokens were issued. */
	issued: number;
	/** The last few tokens, valid or not: the service may still speak of them. */
	recent: string[];
	pending?: Promise<IssuedToken>;
	failure?: { error: AccessTokenError; until: number };
}

/** Access tokens of service accounts, shared by everything that runs in this process. */
export interface AccessTokens {
	/**
	 * A token that is valid now. One request per lifetime, however many callers there are; renewed
	 * before it expires; kept in memory only.
	 *
	 * @throws AccessTokenError when no token can be had
	 * @throws InputError when the credential's addresses cannot be used
	 */
	get(credential: ICredentialDataDecryptedObject, send: Send): Promise<string>;
	/** The token that `get` obtained last, if it is still valid. */
	current(credential: ICredentialDataDecryptedObject): string | undefined;
	/** The serial number of the token that a request sent now is going to carry. */
	serial(credential: ICredentialDataDecryptedObject): number;
	/** Forgets a token that the service refused, and older ones; a newer one is kept. */
	reject(credential: ICredentialDataDecryptedObject, serial: number): void;
	/** Forgets the token unless it is fresh: a request failed, for whatever reason. */
	suspect(credential: ICredentialDataDecryptedObject): void;
	/** The tokens that texts of the service may quote. */
	recent(credential: ICredentialDataDecryptedObject): readonly string[];
}

/** Identifies an account without keeping its secret: two credentials never share a token by chance. */
function accountKey(credential: ICredentialDataDecryptedObject): string {
	const { authUrl, realm, clientId, clientSecret } = credential;
	return createHash('sha256')
		.update(JSON.stringify([authUrl, realm, clientId, clientSecret]))
		.digest('base64');
}

/** Creates an empty store of tokens. @see RFC 6749, section 4.4 */
export function createAccessTokens(clock: Clock): AccessTokens {
	const accounts = new BoundedMap<string, Account>(MAX_ACCOUNTS);

	async function issue(
		credential: ICredentialDataDecryptedObject,
		send: Send,
	): Promise<Omit<IssuedToken, 'serial'>> {
		for (let attempt = 1; ; attempt += 1) {
			const requestedAt = clock.now();
			const outcome = await requestAccessToken(credential, send);
			if (outcome instanceof AccessTokenError) {
				if (!outcome.transient || attempt === TRIES) throw outcome;
				await clock.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
				continue;
			}
			const lifetimeMs = outcome.expires_in * 1000;
			return {
				value: outcome.access_token,
				issuedAt: requestedAt,
				renewAt: requestedAt + lifetimeMs * RENEW_AFTER,
				expiresAt: requestedAt + lifetimeMs,
			};
		}
	}

	async function renew(
		account: Account,
		credential: ICredentialDataDecryptedObject,
		send: Send,
	): Promise<IssuedToken> {
		account.pending ??= issue(credential, send)
			.then((answer) => {
				account.issued += 1;
				account.token = { ...answer, serial: account.issued };
				account.recent = [answer.value, ...account.recent].slice(0, MAX_RECENT);
				account.failure = undefined;
				return account.token;
			})
			.catch((error: unknown) => {
				if (error instanceof AccessTokenError) {
					const pause = error.transient ? TRANSIENT_FAILURE_MS : PERMANENT_FAILURE_MS;
					account.failure = { error, until: clock.now() + pause };
				}
				throw error;
			})
			.finally(() => {
				account.pending = undefined;
			});
		return await account.pending;
	}

	const accountOf = (credential: ICredentialDataDecryptedObject) =>
		accounts.getOrCreate(accountKey(credential), () => ({ issued: 0, recent: [] }));

	const isValid = (token: IssuedToken | undefined): token is IssuedToken =>
		token !== undefined && clock.now() < token.expiresAt;
	/** Whether it is used without asking for another. */
	const isCurrent = (token: IssuedToken): boolean => isValid(token) && clock.now() < token.renewAt;

	return {
		async get(credential, send) {
			const account = accountOf(credential);
			const { token, failure } = account;
			if (token && isCurrent(token)) return token.value;
			if (failure && clock.now() < failure.until) {
				if (isValid(token)) return token.value;
				throw failure.error;
			}
			const renewed = await renew(account, credential, send).catch((error: unknown) => {
				// A token that still works bridges an outage of the token endpoint.
				if (isValid(token)) return token;
				throw error;
			});
			return renewed.value;
		},
		current(credential) {
			const { token } = accountOf(credential);
			return isValid(token) ? token.value : undefined;
		},
		serial(credential) {
			const { token, issued } = accountOf(credential);
			return token && isCurrent(token) ? token.serial : issued + 1;
		},
		reject(credential, serial) {
			const account = accountOf(credential);
			if (account.token && account.token.serial <= serial) account.token = undefined;
		},
		suspect(credential) {
			const account = accountOf(credential);
			const age = account.token && clock.now() - account.token.issuedAt;
			if (age !== undefined && age > FRESH_MS) account.token = undefined;
		},
		recent: (credential) => accountOf(credential).recent,
	};
}

/**
 * Asks for an access token once, with the client credentials grant.
 *
 * @returns the token and its lifetime in seconds, or what went wrong
 * @throws InputError when the credential's addresses cannot be used
 * @see RFC 6749, sections 2.3.1 and 4.4; service interface, part 5
 */
export async function requestAccessToken(
	credential: ICredentialDataDecryptedObject,
	send: Send,
): Promise<z.infer<typeof tokenSchema> | AccessTokenError> {
	const url = tokenAddress(credential.authUrl, credential.realm);
	const host = new URL(url).host;
	const answer = await send({
		method: 'POST',
		url,
		headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
		body: new URLSearchParams({
			grant_type: 'client_credentials',
			client_id: String(credential.clientId ?? ''),
			client_secret: String(credential.clientSecret ?? ''),
		}).toString(),
		timeout: REQUEST_TIMEOUT_MS,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	}).catch(readNetworkFailure);
	if (answer instanceof NetworkFailure) {
		return new AccessTokenError(
			`The auth server ${host} could not be reached: ${answer.reason}`,
			"Check 'Auth URL' in the credential, and that this n8n can reach it.",
			answer.transient,
		);
	}
	const response = fullResponseSchema.safeParse(answer);
	return response.success
		? readTokenAnswer(response.data.statusCode, response.data.body, host, credential)
		: unreadable(host);
}

const unreadable = (host: string, status?: number): AccessTokenError =>
	new AccessTokenError(
		`The answer of ${host} is not an access token`,
		"Check 'Auth URL' and 'Realm' in the credential: another server may be answering at that address.",
		true,
		status,
	);

/** The token in an answer of success, wrapped or as JSON in a text, too. */
const readToken = (body: unknown): z.infer<typeof tokenSchema> | undefined =>
	readObject(parsedBody(body), 'token', (candidate) => tokenSchema.safeParse(candidate).data);

function readTokenAnswer(
	status: number,
	body: unknown,
	host: string,
	{ clientSecret }: ICredentialDataDecryptedObject,
): z.infer<typeof tokenSchema> | AccessTokenError {
	if (status >= 200 && status < 300) {
		return readToken(body) ?? unreadable(host, status);
	}
	if (status === 404 || (status >= 300 && status < 400)) {
		return new AccessTokenError(
			`The auth server ${host} has no token address for this realm`,
			"Check 'Auth URL' and 'Realm' in the credential.",
			false,
			status,
		);
	}
	if (status === 408 || status === 429 || status >= 500) {
		return new AccessTokenError(
			`The auth server ${host} is not available right now (status ${status})`,
			'Try again in a moment.',
			true,
			status,
		);
	}
	const { detail } = readProblem(status, body, (text) => redact(text, [clientSecret]));
	return new AccessTokenError(
		'The service account was not accepted',
		`Check 'Client ID' and 'Client Secret' in the credential; the account may have been revoked.${detail ? ` The auth server says: ${detail}` : ''}`,
		false,
		status,
	);
}

/** The tokens of this process. */
export const accessTokens = createAccessTokens(systemClock);
