/** The access token of a service account: requested once for each lifetime, whoever needs it. */
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { tryParse } from '../values/json';
import type { Clock } from './clock';
import { entryText, redact, tokenAddress } from './credential';
import { asFailure, RequestError } from './errors';
import { exchange, isSuccess, refusal, type ApiResponse, type Send } from './response';
import { token as tokenSchema, type Token } from './schemas';

/** The fraction of its lifetime after which a token is renewed. */
const RENEW_AFTER = 0.85;
/** The time limit of a token request, in ms. */
const TIMEOUT_MS = 10_000;
/** How long nothing else is expected of the auth server, after it failed or replaced a refused token, in ms. */
const REST_MS = 30_000;
const MAX_RECENT = 5;

/** Kept in memory only. Times are in ms since the epoch. @see RFC 6749, section 4.4 */
export class AccountToken {
	/** The most recent tokens, the current one first: the service may still quote the others. */
	recent: readonly string[] = [];
	private readonly clock: Clock;
	private expiresAt = 0;
	/** The auth server isn't asked before this time. */
	private askAt = 0;
	private asking: Promise<void> | undefined;
	/** Why the auth server gave no token when it was last asked. */
	private failure: RequestError | undefined;
	/** The token that the service refused last, and until when the one after it isn't replaced. */
	private refused = { value: '', until: 0 };

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/**
	 * Returns a valid token. While it is renewed, the old one is used, unless it was refused.
	 *
	 * @throws RequestError if no token can be obtained
	 * @throws InputError if the credential's addresses can't be used
	 */
	async get(credential: ICredentialDataDecryptedObject, send: Send): Promise<string> {
		const now = this.clock.now();
		if (now >= this.askAt)
			this.asking ??= this.ask(credential, send).finally(() => (this.asking = undefined));
		const isValid = now < this.expiresAt;
		const isRefused = this.recent[0] === this.refused.value;
		if (isValid && !isRefused) this.asking?.catch(() => {});
		else await this.asking;
		const { recent, failure } = this;
		// A refused one may have been refused for another reason.
		if (!failure || (isValid && (!isRefused || failure.isTransient))) return recent[0] ?? '';
		// One for each execution, which may add to it.
		throw new RequestError(failure.message, failure);
	}

	/** Notes that the service refused a token. @returns true if it may accept another one */
	refuse(value: string): boolean {
		if (value !== this.recent[0] || value === this.refused.value) return true;
		const now = this.clock.now();
		// The refusal must have another reason than the token.
		if (now < this.refused.until) return false;
		this.refused = { value, until: now + REST_MS };
		this.askAt = now;
		return true;
	}

	/** Asks for a token, and keeps it, or why there is none. */
	private async ask(credential: ICredentialDataDecryptedObject, send: Send): Promise<void> {
		const { clock, recent } = this;
		const begun = clock.now();
		const token = await requestToken(credential, send, clock, recent).catch(asFailure);
		if (token instanceof RequestError) {
			this.failure = token;
			this.askAt = clock.now() + REST_MS;
			// Without a valid token, each try of a request asks.
			if (token.isTransient) this.askAt = Math.min(this.askAt, this.expiresAt);
			return;
		}
		const lifeMs = token.expires_in * 1_000;
		this.expiresAt = begun + lifeMs;
		this.askAt = begun + lifeMs * RENEW_AFTER;
		this.recent = [token.access_token, ...recent].slice(0, MAX_RECENT);
		this.failure = undefined;
	}
}

/** Requests an access token once, with the client credentials grant. @throws RequestError */
export async function requestToken(
	credential: ICredentialDataDecryptedObject,
	send: Send,
	clock: Clock,
	recent: readonly string[],
): Promise<Token> {
	const url = tokenAddress(credential);
	const origin = {
		host: new URL(url).host,
		account: 'service account',
		address: 'Auth URL',
		// It changes nothing.
		method: 'GET',
		clean: (text: string) => redact(text, credential, recent),
	} as const;
	const request = {
		method: 'POST',
		url,
		headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
		body: new URLSearchParams({
			grant_type: 'client_credentials',
			client_id: entryText(credential.clientId),
			client_secret: entryText(credential.clientSecret),
		}).toString(),
	} as const;
	const response = await exchange(send, request, origin, { ms: TIMEOUT_MS, clock });
	if (!isSuccess(response)) throw tokenRefusal(response);
	const read = tokenSchema.safeParse(tryParse(response.text)?.value);
	if (read.success) return read.data;
	throw new RequestError(`${origin.host} didn't return an access token`, {
		status: response.status,
		isTransient: true,
		advice: `Check ${AUTH_SERVER}: another server may be answering there.`,
	});
}

const AUTH_SERVER = "'Auth URL' and 'Realm' in the credential";
/** @see RFC 6749, section 5.2 */
const REFUSES_CLIENT = /"(?:invalid_client|unauthorized_client|invalid_grant)"/;

/** The error for a refused token request: it says which entry of the credential to look at. */
function tokenRefusal(response: ApiResponse): RequestError {
	const { message, detail: said = message, isTransient, advice } = refusal(response);
	const { status, text, origin } = response;
	const detail = `The auth server responded: ${said}`;
	if (isTransient || status < 400) {
		const heading = `The auth server ${origin.host} isn't available right now (status ${status})`;
		// Without the status: a 429 isn't the service's, whose rate limit is waited for.
		return new RequestError(heading, { isTransient, detail, advice });
	}
	const refused = (heading: string, toCheck: string) =>
		new RequestError(heading, { status, detail, advice: `Check ${toCheck}.` });
	if (status === 404)
		return refused('The auth server has no token endpoint for this realm', AUTH_SERVER);
	if (status !== 401 && !REFUSES_CLIENT.test(text)) {
		const toCheck = "'Realm' in the credential, and what the realm allows this client";
		return refused('The realm refused the token request', toCheck);
	}
	const toCheck =
		"'Client ID' and 'Client Secret' in the credential; the account may have been revoked";
	return refused("The service account wasn't accepted", toCheck);
}
