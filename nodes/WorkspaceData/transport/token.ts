/** The access token of a service account: requested once for each lifetime, whoever needs it. */
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { z } from 'zod/v3';
import { tryParse } from '../values/parseJson';
import type { Clock } from './clock';
import { entryText } from './credential';
import { networkError, RequestError, requestError, type RequestOrigin } from './errors';
import { redact } from './redact';
import { isSuccess, PLAIN_RESPONSE, refusal, toResponse, type ApiResponse } from './response';
import { token as tokenSchema, type Token } from './schemas/token';
import { parseAddress, pathSegment } from './serviceUrl';
import { within } from './within';

/** The fraction of its lifetime after which a token is renewed. */
const RENEW_AFTER = 0.85;
/** The time limit of a token request, in ms. */
const TIMEOUT_MS = 10_000;
/** How long a refusal is remembered, so that many items cause one request. */
const REFUSAL_MS = 30_000;
/** The same for a fault that may pass: shorter than the pause before a request is tried again. */
const FAULT_MS = 100;
/** How long the replacement of a refused token isn't replaced, in ms: the refusal must have another reason. */
const REPLACED_MS = 30_000;
const MAX_RECENT = 5;

/** Sends one HTTP request and returns n8n's full response. Throws if there is no response. */
export type Send = (options: IHttpRequestOptions) => Promise<unknown>;

interface IssuedToken {
	value: string;
	issuedAt: number;
	renewAt: number;
	expiresAt: number;
	/** True if the one before may have been refused. */
	isReplacement: boolean;
}

/** Kept in memory only. Times are in ms since the epoch. @see RFC 6749, section 4.4 */
export class AccountToken {
	/** The most recent tokens, valid or not: the service may still quote them. */
	recent: readonly string[] = [];
	private readonly clock: Clock;
	private issued: IssuedToken | undefined;
	private isRefused = false;
	private renewal: Promise<string> | undefined;
	private failure: { error: RequestError; until: number } | undefined;

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
		if (valid && !this.isRefused) {
			this.renewal.catch(() => {});
			return valid.value;
		}
		return await this.renewal.catch((error: Error) => {
			const mayPass = error instanceof RequestError && error.isTransient;
			// It may have been refused for another reason.
			if (valid && mayPass) return valid.value;
			throw error instanceof RequestError ? error.copy() : error;
		});
	}

	/** Notes that the service refused a token. @returns true if it may accept another one */
	refuse(value: string): boolean {
		const { issued } = this;
		if (issued?.value !== value) return true;
		if (issued.isReplacement && this.clock.now() - issued.issuedAt < REPLACED_MS) return false;
		issued.renewAt = 0;
		this.isRefused = true;
		return true;
	}

	private async renew(credential: ICredentialDataDecryptedObject, send: Send): Promise<string> {
		const { clock, recent, failure } = this;
		if (failure && clock.now() < failure.until) throw failure.error;
		const issuedAt = clock.now();
		const issuing = requestToken(credential, send, clock, recent);
		const token = await issuing.catch((error: unknown) => {
			if (error instanceof RequestError) {
				const until = clock.now() + (error.isTransient ? FAULT_MS : REFUSAL_MS);
				this.failure = { error, until };
			}
			throw error;
		});
		return this.keep(token, issuedAt);
	}

	private keep({ access_token: value, expires_in: lifeS }: Token, issuedAt: number): string {
		const lifeMs = lifeS * 1_000;
		const [renewAt, expiresAt] = [issuedAt + lifeMs * RENEW_AFTER, issuedAt + lifeMs];
		this.issued = { value, issuedAt, renewAt, expiresAt, isReplacement: this.isRefused };
		this.isRefused = false;
		this.recent = [value, ...this.recent].slice(0, MAX_RECENT);
		this.failure = undefined;
		return value;
	}
}

/** The address that issues tokens. @throws InputError if it can't be used @see service interface, parts 4 and 5 */
export function tokenAddress({ authUrl, realm }: ICredentialDataDecryptedObject): string {
	const root = parseAddress(authUrl, 'Auth URL', 'https://auth.example.com');
	return `${root}/realms/${pathSegment(realm, 'Realm')}/protocol/openid-connect/token`;
}

/** Requests an access token once, with the client credentials grant. @throws RequestError */
export async function requestToken(
	credential: ICredentialDataDecryptedObject,
	send: Send,
	clock: Clock,
	recent: readonly string[] = [],
): Promise<Token> {
	const url = tokenAddress(credential);
	const { host } = new URL(url);
	const origin = { host, account: 'service account', address: 'Auth URL', method: 'GET' } as const;
	const clean = (text: string) => redact(text, [credential.clientSecret, ...recent]);
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
	const response = await within(TIMEOUT_MS, clock, sending).then(
		(full) => toResponse(full, clean, false),
		(error: unknown) => {
			throw networkError(error, origin, clean);
		},
	);
	if (!isSuccess(response)) throw tokenRefusal(response, origin);
	const read = tokenSchema.safeParse(tryParse(response.text)?.value);
	if (read.success) return read.data;
	throw new RequestError(`${host} didn't return an access token`, {
		status: response.status,
		isTransient: true,
		advice:
			"Check 'Auth URL' and 'Realm' in the credential: another server may be answering there.",
	});
}

/** @see RFC 6749, section 5.2 */
const oauthError = z.object({ error: z.string() }).catch({ error: '' });
const REFUSES_CLIENT = /^(?:invalid_client|unauthorized_client|invalid_grant)$/;

/** The error for a refused token request: it says which entry to look at. */
function tokenRefusal(response: ApiResponse, origin: RequestOrigin): RequestError {
	const { status = 0, title, detail, isTransient } = refusal(response, origin);
	const kind = oauthError.parse(tryParse(response.text)?.value).error;
	const said = `The auth server responded: ${detail || title}`;
	const facts = { status, kind, isTransient, detail: said };
	if (isTransient || status < 400) {
		const heading = `The auth server ${origin.host} isn't available right now (status ${status})`;
		return requestError(heading, facts, origin);
	}
	const found = REFUSALS.find(([fits]) => fits(status, kind)) ?? REFUSALS[2];
	return new RequestError(found[1], { ...facts, advice: found[2] });
}

/** Which entry of the credential a refusal is about. */
const REFUSALS = [
	[
		(status: number) => status === 404,
		'The auth server has no token endpoint for this realm',
		"Check 'Auth URL' and 'Realm' in the credential.",
	],
	[
		(status: number, kind: string) => status === 401 || REFUSES_CLIENT.test(kind),
		"The service account wasn't accepted",
		"Check 'Client ID' and 'Client Secret' in the credential; the account may have been revoked.",
	],
	[
		() => true,
		'The realm refused the token request',
		"Check 'Realm' in the credential, and what the realm allows this client.",
	],
] as const;
