/** What all executions of this process share, by credential: in memory only, and with bounds. */
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { BoundedMap } from '../values/boundedMap';
import { systemClock, type Clock } from './clock';
import { entryText, fingerprintOf } from './credential';
import { Limiter } from './limiter';
import { AccountToken } from './token';

/** The maximum number of keys, and of service accounts. */
const MAX_KNOWN = 1_000;

const limiters = new BoundedMap<string, Limiter>(MAX_KNOWN);
const tokens = new BoundedMap<string, AccountToken>(MAX_KNOWN);

/** The limiter of a credential's key. */
export function limiterOf(credential: ICredentialDataDecryptedObject, clock: Clock): Limiter {
	const { baseUrl, apiKey } = credential;
	const key = fingerprintOf(...[baseUrl, apiKey].map(entryText), accountOf(credential));
	return limiters.getOrCreate(key, () => new Limiter(clock));
}

/** The access token of a service account. */
export const tokenOf = (credential: ICredentialDataDecryptedObject): AccountToken =>
	tokens.getOrCreate(accountOf(credential), () => new AccountToken(systemClock));

const accountOf = ({
	authUrl,
	realm,
	clientId,
	clientSecret,
}: ICredentialDataDecryptedObject): string =>
	fingerprintOf(...[authUrl, realm, clientId, clientSecret].map(entryText));
