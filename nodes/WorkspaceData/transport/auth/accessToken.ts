/** Access tokens of service accounts, shared by the whole process. */
import { createHash } from 'node:crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { tokenAddress } from '../../model/serviceUrl';
import { BoundedMap } from '../../model/boundedMap';
import { isSilent, noteSilence } from '../http/silence';
import { systemClock, type Clock, withTimeLimit } from '../http/clock';
import { entryText } from './credential';
import { AccessTokenError, SilentService } from '../failure/failures';
import {
	requestAccessToken,
	TOKEN_TIMEOUT_MS,
	unreachableAuth,
	type Send,
	type TokenAnswer,
} from './tokenRequest';

/** The part of its lifetime after which a token is renewed. */
const RENEW_AFTER = 0.85;
const TRIES = 3;
const FIRST_PAUSE_MS = 250;
/** How long a failure is remembered, so that a burst of items asks once. */
const PERMANENT_FAILURE_MS = 30_000;
const TRANSIENT_FAILURE_MS = 5_000;
const MAX_ACCOUNTS = 1_000;
const MAX_RECENT = 5;
/** How long a token is beyond suspicion, in ms: failures for other reasons must not cause requests. */
const FRESH_MS = 30_000;
/** How long the replacement of a refused token is not replaced itself, in ms: the refusal has other reasons. */
const REPLACED_MS = 60_000;
/** The same for one that the service has accepted since: it was revoked, or another part of the service refuses it. */
const ACCEPTED_MS = 5_000;
/** How long a renewal is waited for while the token is still valid, in ms from its start. */
const PATIENCE_MS = 1_000;

interface IssuedToken {
	value: string;
	/** Whether it was asked for because the service refused the one before. */
	replacement: boolean;
	/** Whether the service has accepted it. */
	accepted?: boolean;
	issuedAt: number;
	renewAt: number;
	expiresAt: number;
}

interface Account {
	token?: IssuedToken;
	/** The last few tokens, valid or not: the service may still speak of them. */
	recent: string[];
	pending?: { renewal: Promise<IssuedToken>; since: number };
	/** Whether the service refused the last token. */
	refused?: boolean;
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
	/** Whether another token may be accepted where the service refused this one. */
	mayReplace(credential: ICredentialDataDecryptedObject, token: string | undefined): boolean;
	/** Notes that the service has accepted a token. */
	accept(credential: ICredentialDataDecryptedObject, token: string | undefined): void;
	/** Forgets a token that the service refused; a newer one is kept. */
	reject(credential: ICredentialDataDecryptedObject, token: string | undefined): void;
	/** Forgets the token unless it is fresh: a request failed, for whatever reason. */
	suspect(credential: ICredentialDataDecryptedObject): void;
	/** The tokens that texts of the service may quote. */
	recent(credential: ICredentialDataDecryptedObject): readonly string[];
}

/** Identifies an account without keeping its secret: two credentials never share a token by chance. */
function accountKey(credential: ICredentialDataDecryptedObject): string {
	const { authUrl, realm, clientId, clientSecret } = credential;
	return createHash('sha256')
		.update(JSON.stringify([authUrl, realm, clientId, clientSecret].map(entryText)))
		.digest('base64');
}

/** Creates an empty store of tokens. @see RFC 6749, section 4.4 */
export function createAccessTokens(clock: Clock): AccessTokens {
	const accounts = new BoundedMap<string, Account>(MAX_ACCOUNTS);

	const accountOf = (credential: ICredentialDataDecryptedObject) =>
		accounts.getOrCreate(accountKey(credential), () => ({ recent: [] }));

	/** One attempt; undefined if the auth server did not answer lately, so that nobody waits for it twice. */
	async function requestUnlessSilent(
		credential: ICredentialDataDecryptedObject,
		send: Send,
	): Promise<TokenAnswer | AccessTokenError | undefined> {
		const url = tokenAddress(credential.authUrl, credential.realm);
		if (isSilent(url, clock)) return undefined;
		const start = clock.now();
		const { recent } = accountOf(credential);
		const outcome = await requestAccessToken(credential, send, {
			clock,
			timeoutMs: TOKEN_TIMEOUT_MS,
			recent,
		});
		noteSilence(url, outcome, clock.now() - start, clock);
		return outcome;
	}

	async function issue(
		credential: ICredentialDataDecryptedObject,
		send: Send,
	): Promise<Omit<IssuedToken, 'replacement'>> {
		let failed: AccessTokenError | undefined;
		for (let attempt = 1; ; attempt += 1) {
			const requestedAt = clock.now();
			const outcome = await requestUnlessSilent(credential, send);
			if (!outcome) throw failed ?? unreachableAuth(credential, new SilentService());
			if (outcome instanceof AccessTokenError) {
				failed = outcome;
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

	/** The renewal that is under way; begins one where there is none. */
	function renew(
		account: Account,
		credential: ICredentialDataDecryptedObject,
		send: Send,
	): NonNullable<Account['pending']> {
		const begin = async (): Promise<IssuedToken> =>
			await issue(credential, send)
				.then((issued) => {
					const token = { ...issued, replacement: account.refused === true };
					account.token = token;
					account.refused = false;
					account.recent = [issued.value, ...account.recent].slice(0, MAX_RECENT);
					account.failure = undefined;
					return token;
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
		account.pending ??= { renewal: begin(), since: clock.now() };
		return account.pending;
	}

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
			const { renewal, since } = renew(account, credential, send);
			if (!isValid(token)) return (await renewal).value;
			// A token that still works bridges an outage of the token endpoint.
			const patienceMs = since + PATIENCE_MS - clock.now();
			const renewed = await withTimeLimit(patienceMs, clock, async () => await renewal).catch(
				async () => (isValid(token) ? token : await renewal),
			);
			return renewed.value;
		},
		current(credential) {
			const { token } = accountOf(credential);
			return isValid(token) ? token.value : undefined;
		},
		mayReplace(credential, refused) {
			const { token } = accountOf(credential);
			if (token?.value !== refused || !token?.replacement) return true;
			return clock.now() - token.issuedAt >= (token.accepted ? ACCEPTED_MS : REPLACED_MS);
		},
		accept(credential, accepted) {
			const { token } = accountOf(credential);
			if (token && token.value === accepted) token.accepted = true;
		},
		reject(credential, refused) {
			const account = accountOf(credential);
			if (account.token?.value !== refused) return;
			account.token = undefined;
			account.refused = true;
		},
		suspect(credential) {
			const account = accountOf(credential);
			const age = account.token && clock.now() - account.token.issuedAt;
			if (age !== undefined && age > FRESH_MS) account.token = undefined;
		},
		recent: (credential) => accountOf(credential).recent,
	};
}

/** The tokens of this process. */
export const accessTokens = createAccessTokens(systemClock);
