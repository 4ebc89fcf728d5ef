/** What this process remembers about services between executions, in memory only and with limits. */
import { BoundedMap } from '../model/boundedMap';
import { AccessTokens } from './auth/accessToken';
import { systemClock, type Clock } from './http/clock';
import { Pace } from './http/pace';

/** The maximum number of keys. */
const MAX_KNOWN = 1_000;

const paces = new BoundedMap<string, Pace>(MAX_KNOWN);

export const accessTokens = new AccessTokens(systemClock);

/** Returns the pace of a key, shared by all executions. @param fingerprint identifies the credential */
export const paceOf = (fingerprint: string, clock: Clock): Pace =>
	paces.getOrCreate(fingerprint, () => new Pace(clock));
