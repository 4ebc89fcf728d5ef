/** What this process remembers about services between executions, in memory only and with limits. */
import { BoundedMap } from '../model/boundedMap';
import { AccessTokens } from './auth/accessToken';
import { systemClock, type Clock } from './http/clock';
import { Pace } from './http/pace';
import { PageSize } from './pageSize';

/** The maximum number of keys, and of services. */
const MAX_KNOWN = 1_000;

const paces = new BoundedMap<string, Pace>(MAX_KNOWN);
const pageSizes = new BoundedMap<string, PageSize>(MAX_KNOWN);

export const accessTokens = new AccessTokens(systemClock);

/** Returns the pace of a key, shared by all executions. @param fingerprint identifies the credential */
export const paceOf = (fingerprint: string, clock: Clock): Pace =>
	paces.getOrCreate(fingerprint, () => new Pace(clock));

/** Returns what is known about the page size of a service. @param baseUrl its API root */
export const pageSizeOf = (baseUrl: string): PageSize =>
	pageSizes.getOrCreate(baseUrl, () => new PageSize());
