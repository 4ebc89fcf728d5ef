/** Access tokens of service accounts, shared by everything that runs in this process. */
import { createHash } from 'node:crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { BoundedMap } from '../../model/boundedMap';
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
const MAX_ACCOUNTS = 1_000;
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
	replacement: boolean;
	/** True if the service has accepted it. */
	accepted?: boolean;
	issuedAt: number;
	renewAt: number;
	expiresAt: number;
}

interface Account {
	token?: IssuedToken;
	/** The most recent tokens, valid or not: the service may still quote them. */
	recent: string[];
	renewal?: Promise<IssuedToken>;
	/** True if the service refused the last token. */
	refused: boolean;
	failure?: { error: AccessTokenError; until: number };
}

/** Access tokens of service accounts, kept in memory only. @see RFC 6749, section 4.4 */
export class AccessTokens {
	private readonly clock: Clock;
	private readonly accounts = new BoundedMap<string, Account>(MAX_ACCOUNTS);

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/**
	 * Returns a valid token. It's requested once per lifetime for all callers, and renewed before it expires.
	 *
	 * @throws AccessTokenError if no token can be obtained
	 * @throws InputError if the credential's addresses can't be used
	 */
	async get(credential: ICredentialDataDecryptedObject, send: Send): Promise<string> {
		const account = this.accountOf(credential);
		const { token, failure, renewal } = account;
		const valid = this.isValid(token) ? token.value : undefined;
		if (valid !== undefined && this.clock.now() < (token?.renewAt ?? 0)) return valid;
		const isFailing = failure !== undefined && this.clock.now() < failure.until;
		// A token that is still valid bridges an outage of the token endpoint.
		if (valid !== undefined && (isFailing || renewal)) return valid;
		if (isFailing) throw failure.error;
		const renewed = (account.renewal ??= this.renew(account, credential, send).finally(() => {
			account.renewal = undefined;
		}));
		if (valid === undefined) return (await renewed).value;
		const waited = withTimeLimit(PATIENCE_MS, this.clock, async () => await renewed);
		return (await waited.catch(async () => (this.isValid(token) ? token : await renewed))).value;
	}

	/** The token that `get` obtained last, if it is still valid. */
	current(credential: ICredentialDataDecryptedObject): string | undefined {
		const { token } = this.accountOf(credential);
		return this.isValid(token) ? token.value : undefined;
	}

	/** Returns true if the service may accept another token after it refused this one. */
	mayReplace(credential: ICredentialDataDecryptedObject, refused: string | undefined): boolean {
		const { token } = this.accountOf(credential);
		if (token?.value !== refused || !token?.replacement) return true;
		return this.clock.now() - token.issuedAt >= (token.accepted ? ACCEPTED_MS : REPLACED_MS);
	}

	/** Notes that the service has accepted a token. */
	accept(credential: ICredentialDataDecryptedObject, accepted: string | undefined): void {
		const { token } = this.accountOf(credential);
		if (token && token.value === accepted) token.accepted = true;
	}

	/** Forgets a token that the service refused, but keeps a newer one. */
	reject(credential: ICredentialDataDecryptedObject, refused: string | undefined): void {
		const account = this.accountOf(credential);
		if (account.token?.value !== refused) return;
		account.token = undefined;
		account.refused = true;
	}

	/** Has the token renewed unless it is fresh, because a request failed for an unknown reason. */
	suspect(credential: ICredentialDataDecryptedObject): void {
		const { token } = this.accountOf(credential);
		const now = this.clock.now();
		if (token && now - token.issuedAt > FRESH_MS) token.renewAt = Math.min(token.renewAt, now);
	}

	/** The tokens that the service may quote in its messages. */
	recent(credential: ICredentialDataDecryptedObject): readonly string[] {
		return this.accountOf(credential).recent;
	}

	/** Identifies the account without keeping the secret. Two credentials never share a token. */
	private accountOf(credential: ICredentialDataDecryptedObject): Account {
		const { authUrl, realm, clientId, clientSecret } = credential;
		const identity = JSON.stringify([authUrl, realm, clientId, clientSecret].map(entryText));
		const key = createHash('sha256').update(identity).digest('base64');
		return this.accounts.getOrCreate(key, () => ({ recent: [], refused: false }));
	}

	private isValid(token: IssuedToken | undefined): token is IssuedToken {
		return token !== undefined && this.clock.now() < token.expiresAt;
	}

	/**
	 * Requests a token, with a retry after a temporary fault, and remembers it or the failure. A server that timed out
	 * isn't tried again.
	 */
	private async renew(
		account: Account,
		credential: ICredentialDataDecryptedObject,
		send: Send,
	): Promise<IssuedToken> {
		const { clock } = this;
		const { recent, refused } = account;
		for (let attempt = 1; ; attempt += 1) {
			const issuedAt = clock.now();
			const outcome = await requestAccessToken(credential, send, { clock, recent });
			if (!(outcome instanceof AccessTokenError)) {
				const ms = outcome.expires_in * 1000;
				const value = outcome.access_token;
				const token = { value, replacement: refused, issuedAt, expiresAt: issuedAt + ms };
				account.token = { ...token, renewAt: issuedAt + ms * RENEW_AFTER };
				account.recent = [value, ...recent].slice(0, MAX_RECENT);
				account.refused = false;
				account.failure = undefined;
				return account.token;
			}
			const mayPass = outcome.transient && !isTimeOut(outcome);
			if (!mayPass || attempt === TRIES) {
				const until = clock.now() + (mayPass ? TRANSIENT_FAILURE_MS : FAILURE_MS);
				account.failure = { error: outcome, until };
				throw outcome;
			}
			await clock.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
		}
	}
}
