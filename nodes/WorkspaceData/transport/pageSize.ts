/** How large a page of records may be: learned from the service, and kept for an hour. */
import { BoundedMap } from '../model/boundedMap';
import { isObject, ownValue, type JsonObject } from '../model/answer/shapes';
import { systemClock, type Clock } from './http/clock';
import { ApiFailure } from './failure/failures';
import { MAX_ANSWER_BYTES } from './request';

/** The most records of a page that are asked for; larger pages save little and block the event loop. */
export const MAX_PAGE_SIZE = 1_000;
/** Below this size a service is not asked for a size at all: it does not seem to take one. */
const MIN_PAGE_SIZE = 50;
/** A refusal of so few records has another reason, unless it names the limit. */
const MODEST_PAGE_SIZE = 100;
/** How large a page should be at most, in bytes. */
export const MAX_PAGE_BYTES = 8_000_000;
/** Records of a page whose size is measured. */
const MEASURED = 5;
/** How long the size that a service takes is known, in ms. */
const KNOWN_FOR_MS = 3_600_000;
const MAX_SERVICES = 1_000;
/** Paths of a description, and parameters of a path, that are looked at. */
const MAX_PATHS = 5_000;
const MAX_PARAMETERS = 100;

/** The page size that one service accepts. */
export interface PageSize {
	/** The size to ask for; undefined: the service chooses. */
	most(): number | undefined;
	/** The service took this size. */
	took(size: number): void;
	/** Whether the service may refuse this size, and not the request for another reason. */
	isRefused(error: unknown, size: number): boolean;
	/**
	 * Chooses a smaller size than the refused one.
	 *
	 * @param described gives the maximum that the service's description names; asked at most once an hour
	 */
	refused(size: number, described: () => Promise<number | undefined>): Promise<void>;
}

/** Creates what knows nothing yet: the largest size is tried. */
export function createPageSize({ now }: Pick<Clock, 'now'> = systemClock): PageSize {
	let most = MAX_PAGE_SIZE;
	let largestTaken = 0;
	let described: Promise<number | undefined> | undefined;
	let knownUntil = 0;

	function forgetOld(): void {
		if (now() < knownUntil) return;
		most = MAX_PAGE_SIZE;
		largestTaken = 0;
		described = undefined;
		knownUntil = now() + KNOWN_FOR_MS;
	}

	return {
		most() {
			forgetOld();
			return most === 0 ? undefined : most;
		},
		took(size) {
			largestTaken = Math.max(largestTaken, size);
		},
		isRefused(error, size) {
			if (!(error instanceof ApiFailure)) return false;
			const { status, kind, title, detail } = error.problem;
			if (status === 413) return true;
			if (status !== 400 && status !== 422) return false;
			const text = `${kind} ${title} ${detail}`;
			if (/limit|page.?size/i.test(text)) return true;
			return size > MODEST_PAGE_SIZE && size > largestTaken && !/cursor/i.test(text);
		},
		async refused(size, describe) {
			described ??= describe().catch(() => undefined);
			const told = await described;
			// Another execution may have found a smaller one meanwhile.
			if (most < size) return;
			const smaller = told !== undefined && told < size ? told : Math.floor(size / 2);
			most = smaller === told || smaller >= MIN_PAGE_SIZE ? smaller : 0;
		},
	};
}

/** By the clock that tells the hour, and the API root. */
const services = new WeakMap<Clock, BoundedMap<string, PageSize>>();

/** The page size of a service, as this process knows it. */
export function pageSizeOf(baseUrl: string, clock: Clock = systemClock): PageSize {
	const known = services.get(clock) ?? new BoundedMap<string, PageSize>(MAX_SERVICES);
	services.set(clock, known);
	return known.getOrCreate(baseUrl, () => createPageSize(clock));
}

/**
 * How many records of this kind make a page of bearable size.
 *
 * @param records of the page before
 */
export function bearableSize(records: ReadonlyArray<{ raw: JsonObject }>): number {
	const step = Math.max(1, Math.floor(records.length / MEASURED));
	const measured = records.filter((_, place) => place % step === 0).slice(0, MEASURED);
	const bytes = measured.reduce((sum, { raw }) => sum + JSON.stringify(raw).length, 0);
	if (bytes === 0) return MAX_PAGE_SIZE;
	return Math.max(1, Math.floor((MAX_PAGE_BYTES * measured.length) / bytes));
}

/**
 * The size to try after a page that was too large to be read: the one at which its records, all of the same
 * size, would make a page of bearable size. Ends at one record.
 */
export const sizeAfterTooLarge = (size: number): number =>
	Math.max(1, Math.floor((size * MAX_PAGE_BYTES) / MAX_ANSWER_BYTES));

/** The object that a reference within a description points to. @see RFC 6901 */
function resolve(description: JsonObject, value: unknown): JsonObject | undefined {
	if (!isObject(value)) return undefined;
	const { $ref } = value;
	if (typeof $ref !== 'string') return value;
	const names = $ref.startsWith('#/') ? $ref.slice(2).split('/').slice(0, 10) : [];
	let found: unknown = description;
	for (const name of names) {
		const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
		found = isObject(found) ? ownValue(found, key) : undefined;
	}
	return isObject(found) && found !== description ? found : undefined;
}

/** The maximum of the parameter `limit` among these; undefined where there is none that can be used. */
function maximumOf(description: JsonObject, parameters: unknown): number | undefined {
	const list = Array.isArray(parameters) ? parameters.slice(0, MAX_PARAMETERS) : [];
	const limit = list
		.map((parameter) => resolve(description, parameter))
		.find((parameter) => parameter?.name === 'limit' && parameter.in === 'query');
	const schema = limit && (resolve(description, limit.schema) ?? limit);
	const maximum = Number(schema?.maximum ?? NaN);
	return Number.isSafeInteger(maximum) && maximum >= 1 ? maximum : undefined;
}

/**
 * The largest page of records that a description names. Whatever it holds, little of it is looked at.
 *
 * @param description an OpenAPI document
 * @returns undefined where it names none
 */
export function describedPageSize(description: JsonObject): number | undefined {
	const { paths } = description;
	if (!isObject(paths)) return undefined;
	let looked = 0;
	for (const path in paths) {
		if ((looked += 1) > MAX_PATHS) return undefined;
		if (!/\/records\/?$/.test(path)) continue;
		const item = resolve(description, paths[path]);
		const get = item && resolve(description, item.get);
		const found =
			maximumOf(description, get?.parameters) ?? maximumOf(description, item?.parameters);
		if (found !== undefined) return found;
	}
	return undefined;
}
