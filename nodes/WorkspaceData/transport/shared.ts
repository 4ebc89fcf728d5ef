/** What all executions of this process share of a credential: in memory only, and with a bound. */
import { createHash } from 'node:crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { BoundedMap } from '../values/boundedMap';
import { systemClock, type Clock } from './clock';
import { entryText } from './credential';
import { Limiter } from './limiter';
import { AccountToken } from './token';

/** The maximum number of credentials. */
const MAX_KNOWN = 1_000;
/** The entries that make another key or account. */
const ENTRIES = ['baseUrl', 'apiKey', 'authUrl', 'realm', 'clientId', 'clientSecret'];

const known = new BoundedMap<string, { limiter: Limiter; token: AccountToken }>(MAX_KNOWN);

/** The limiter and the access token of a credential. */
export function sharedBy(credential: ICredentialDataDecryptedObject, clock: Clock = systemClock) {
	const entries = JSON.stringify(ENTRIES.map((name) => entryText(credential[name])));
	const key = createHash('sha256').update(entries).digest('base64');
	return known.getOrCreate(key, () => ({
		limiter: new Limiter(clock),
		token: new AccountToken(clock),
	}));
}
