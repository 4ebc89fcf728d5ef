/** The access token of a service account, shared by everything that runs in this process. */
import { createHash } from 'node:crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { AccessTokenError, isTimeOut } from '../failure/failures';
import { type Clock, withTimeLimit } from '../http/clock';
import { entryText } from './credential';
import type { Send } from '../http/sendAndRead';
import { requestAccessToken } from './tokenRequest';

/** The fraction of its lifetime after which a token is renewed. */
const RENEW_AFTER = 0.85;
const TRIES = 3;
const FIRST_PAUSE_MS = 250;
/** How long a failure is remembered, so that many items cause one request; the second is for short failures. */
const FAILURE_MS = 30_000;
const TRANSIENT_FAILURE_MS = 5_000;
const MAX_RECENT = 5;
/** A token younger than this, in ms, isn't suspected: failures for other reasons must not cause requests. */
const FRESH_MS = 30_000;
/** How long the replacement of a refused token isn't replaced, in ms: the refusal must have another reason. */
const REPLACED_MS = 60_000;
/** The same for a token that the service has accepted since: it was revoked. */
const ACCEPTED_MS = 5_000;
/** How long to wait for a renewal while the token is still valid, in ms. */
const PATIENCE_MS = 1_000;

interface IssuedToken {
	value: string;
	/** True if it was requested because the service refused the previous one. */
	isReplacement: boolean;
	/** True if the service has accepted it. */
	isAccepted: boolean;
	/** True if the service has refused it. */
	isRefused: boolean;
	issuedAt: number;
	renewAt: number;
	expiresAt: number;
}

/** Identifies a service account without keeping the secret. Two credentials never share a token. */
export function accountKey(credential: ICredentialDataDecryptedObject): string {
	const { authUrl, realm, clientId, clientSecret } = credential;
	const identity = JSON.stringify([authUrl, realm, clientId, clientSecret].map(entryText));
	return createHash('sha256').update(identity).digest('base64');
}

/** The access token of a service account, kept in memory only. @see RFC 6749, section 4.4 */
export class ServiceAccountToken {
	/** The most recent tokens, valid or not: the service may still quote them. */
	recent: readonly string[] = [];
	private readonly clock: Clock;
	private token: IssuedToken | undefined;
	private renewal: Promise<IssuedToken> | undefined;
	private failure: { error: AccessTokenError; until: number } | undefined;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/**
	 * Returns a valid token. It's requested once per lifetime for all callers, and renewed before it expires.
	 *
	 * @param credential the account's credential
	 * @throws AccessTokenError if no token can be obtained
	 * @throws InputError if the credential's addresses can't be used
	 */
	async get(credential: ICredentialDataDecryptedObject, send: Send): Promise<string> {
		const { token, failure, renewal } = this;
		const valid = this.current;
		const now = this.clock.now();
		if (valid !== undefined && token && now < token.renewAt) return valid;
		const isFailing = failure !== undefined && now < failure.until;
		// A token that is still valid bridges an outage of the token endpoint.
		if (valid !== undefined && (isFailing || renewal)) return valid;
		if (isFailing) throw failure.error;
		const renewed = (this.renewal ??= this.renew(credential, send).finally(() => {
			this.renewal = undefined;
		}));
		if (valid !== undefined) {
			await withTimeLimit(PATIENCE_MS, this.clock, async () => await renewed).catch(() => {});
		}
		return this.current ?? (await renewed).value;
	}

	/** The token that `get` obtained last, if it is still valid. */
	get current(): string | undefined {
		const { token } = this;
		const isValid = token && !token.isRefused && this.clock.now() < token.expiresAt;
		return isValid ? token.value : undefined;
	}

	/**
	 * Notes that the service refused a token.
	 *
	 * @returns true if it may accept another one
	 */
	refuse(refused: string): boolean {
		const { token } = this;
		if (token?.value !== refused) return true;
		const age = this.clock.now() - token.issuedAt;
		if (token.isReplacement && age < (token.isAccepted ? ACCEPTED_MS : REPLACED_MS)) return false;
		token.isRefused = true;
		return true;
	}

	/** Notes that the service has accepted a token. */
	accept(accepted: string): void {
		if (this.token?.value === accepted) this.token.isAccepted = true;
	}

	/** Has the token renewed unless it is fresh, because a request failed for an unknown reason. */
	suspect(): void {
		const { token } = this;
		const now = this.clock.now();
		if (token && now - token.issuedAt > FRESH_MS) token.renewAt = Math.min(token.renewAt, now);
	}

	/**
	 * Requests a token, with a retry after a temporary fault, and remembers it or the failure. A server that timed out
	 * isn't tried again.
	 */
	private async renew(
		credential: ICredentialDataDecryptedObject,
		send: Send,
	): Promise<IssuedToken> {
		const { clock, recent } = this;
		const isReplacement = this.token?.isRefused ?? false;
		for (let attempt = 1; ; attempt += 1) {
			const issuedAt = clock.now();
			const outcome = await requestAccessToken(credential, send, { clock, recent });
			if (!(outcome instanceof AccessTokenError)) {
				const ms = outcome.expires_in * 1000;
				const times = { issuedAt, renewAt: issuedAt + ms * RENEW_AFTER, expiresAt: issuedAt + ms };
				const value = outcome.access_token;
				this.recent = [value, ...recent].slice(0, MAX_RECENT);
				this.failure = undefined;
				this.token = { value, isReplacement, isAccepted: false, isRefused: false, ...times };
				return this.token;
			}
			const mayPass = outcome.transient && !isTimeOut(outcome);
			if (!mayPass || attempt === TRIES) {
				const until = clock.now() + (mayPass ? TRANSIENT_FAILURE_MS : FAILURE_MS);
				this.failure = { error: outcome, until };
				throw outcome;
			}
			await clock.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
		}
	}
}
