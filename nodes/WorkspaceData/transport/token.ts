/** The access token of a service account: requested once for each lifetime, whoever needs it. */
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { tryParse } from '../values/parseJson';
import type { Clock } from './clock';
import { entryText, tokenAddress } from './credential';
import { RequestError } from './errors';
import { redact } from './redact';
import { exchange, isSuccess, PLAIN_RESPONSE, refusal, type ApiResponse } from './response';
import { token as tokenSchema, type Token } from './schemas/token';

/** The fraction of its lifetime after which a token is renewed. */
const RENEW_AFTER = 0.85;
/** The time limit of a token request, in ms. */
const TIMEOUT_MS = 10_000;
/** How long a refusal of the auth server is remembered, so that many items cause one request. */
const REFUSAL_MS = 30_000;
/** How long after a refused token its replacement isn't replaced, in ms: the refusal must have another reason. */
const REPLACED_MS = 30_000;
const MAX_RECENT = 5;

/** Sends one HTTP request and returns n8n's full response. Throws if there is no response. */
export type Send = (options: IHttpRequestOptions) => Promise<unknown>;

/** Kept in memory only. Times are in ms since the epoch. @see RFC 6749, section 4.4 */
export class AccountToken {
	/** The most recent tokens, valid or not: the service may still quote them. */
	recent: readonly string[] = [];
	private readonly clock: Clock;
	/** The latest token. It is renewed at once if the service refused it. */
	private issued: { value: string; renewAt: number; expiresAt: number } | undefined;
	private refusedAt = -Infinity;
	private renewal: Promise<string> | undefined;
	/** The auth server's refusal, and when it may have another answer. */
	private refusal: { error: RequestError; until: number } | undefined;

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
		const valid = this.issued && now < this.issued.expiresAt ? this.issued : undefined;
		if (valid && now < valid.renewAt) return valid.value;
		this.renewal ??= this.renew(credential, send).finally(() => (this.renewal = undefined));
		if (valid && valid.renewAt > 0) {
			this.renewal.catch(() => {});
			return valid.value;
		}
		return await this.renewal.catch((error: unknown) => {
			if (!(error instanceof RequestError)) throw error;
			// It may have been refused for another reason.
			if (valid && error.isTransient) return valid.value;
			// One for each execution, which may add to it.
			throw new RequestError(error.message, error);
		});
	}

	/** Notes that the service refused a token. @returns true if it may accept another one */
	refuse(value: string): boolean {
		const { issued } = this;
		if (issued?.value !== value || issued.renewAt === 0) return true;
		const now = this.clock.now();
		if (now - this.refusedAt < REPLACED_MS) return false;
		this.refusedAt = now;
		issued.renewAt = 0;
		return true;
	}

	private async renew(credential: ICredentialDataDecryptedObject, send: Send): Promise<string> {
		const { clock, recent, refusal: known } = this;
		const now = clock.now();
		if (known && now < known.until) throw known.error;
		const issuing = requestToken(credential, send, clock, recent);
		const { access_token: value, expires_in: lifeS } = await issuing.catch((error: unknown) => {
			const isFinal = error instanceof RequestError && !error.isTransient;
			this.refusal = isFinal ? { error, until: clock.now() + REFUSAL_MS } : undefined;
			throw error;
		});
		const lifeMs = lifeS * 1_000;
		this.issued = { value, renewAt: now + lifeMs * RENEW_AFTER, expiresAt: now + lifeMs };
		this.recent = [value, ...recent].slice(0, MAX_RECENT);
		return value;
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
		clean: (text: string) => redact(text, [credential.clientSecret, ...recent]),
	} as const;
	const request = {
		...PLAIN_RESPONSE,
		method: 'POST',
		url,
		timeout: TIMEOUT_MS,
		headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
		body: new URLSearchParams({
			grant_type: 'client_credentials',
			client_id: entryText(credential.clientId),
			client_secret: entryText(credential.clientSecret),
		}).toString(),
	} as const;
	const sending = async (abortSignal: AbortSignal) => await send({ ...request, abortSignal });
	const response = await exchange(sending, origin, { ms: TIMEOUT_MS, clock });
	if (!isSuccess(response)) throw tokenRefusal(response);
	const read = tokenSchema.safeParse(tryParse(response.text)?.value);
	if (read.success) return read.data;
	throw new RequestError(`${origin.host} didn't return an access token`, {
		status: response.status,
		isTransient: true,
		advice:
			"Check 'Auth URL' and 'Realm' in the credential: another server may be answering there.",
	});
}

/** @see RFC 6749, section 5.2 */
const REFUSES_CLIENT = /"(?:invalid_client|unauthorized_client|invalid_grant)"/;

/** The error for a refused token request: it says which entry of the credential to look at. */
function tokenRefusal(response: ApiResponse): RequestError {
	const { message, detail, isTransient, advice } = refusal(response);
	const { status, text, origin } = response;
	const said = { isTransient, detail: `The auth server responded: ${detail ?? message}` };
	if (isTransient || status < 400) {
		const heading = `The auth server ${origin.host} isn't available right now (status ${status})`;
		// Without the status: a 429 isn't the service's, whose rate limit is waited for.
		return new RequestError(heading, { ...said, advice });
	}
	const refused = (heading: string, toCheck: string) =>
		new RequestError(heading, { ...said, status, advice: `Check ${toCheck}` });
	if (status === 404) {
		const heading = 'The auth server has no token endpoint for this realm';
		return refused(heading, "'Auth URL' and 'Realm' in the credential.");
	}
	if (status === 401 || REFUSES_CLIENT.test(text)) {
		const toCheck = "'Client ID' and 'Client Secret' in the credential";
		const heading = "The service account wasn't accepted";
		return refused(heading, `${toCheck}; the account may have been revoked.`);
	}
	const heading = 'The realm refused the token request';
	return refused(heading, "'Realm' in the credential, and what the realm allows this client.");
}
