/** What this process remembers of services between executions, in memory only, each with its bound. */
import { BoundedMap } from '../model/boundedMap';
import { AccessTokens } from './auth/accessToken';
import { systemClock, type Clock } from './http/clock';
import { Pace } from './http/pace';
import { PageSize } from './pageSize';

const MAX_KEYS = 1_000;
const MAX_SERVICES = 1_000;

const paces = new BoundedMap<string, Pace>(MAX_KEYS);
const pageSizes = new BoundedMap<string, PageSize>(MAX_SERVICES);

/** The tokens of service accounts. */
export const accessTokens = new AccessTokens(systemClock);

/** The pace of a key: executions share what it may send. @param fingerprint identifies the credential */
export const paceOf = (fingerprint: string, clock: Clock): Pace =>
	paces.getOrCreate(fingerprint, () => new Pace(clock));

/** The page size of a service, as this process knows it. @param baseUrl its API root */
export const pageSizeOf = (baseUrl: string): PageSize =>
	pageSizes.getOrCreate(baseUrl, () => new PageSize());
