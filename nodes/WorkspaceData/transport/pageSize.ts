/** How large a page of records may be: learned from the service, and kept for an hour. */
import { BoundedMap } from '../model/boundedMap';
import type { JsonObject } from '../model/answer/shapes';
import { systemClock, type Clock } from './http/clock';
import { ApiFailure, Cancelled, isGone } from './failure/failures';
import { MAX_ANSWER_BYTES } from './http/answer';

/** The most records of a page that are asked for; larger pages save little and block the event loop. */
export const MAX_PAGE_SIZE = 1_000;
/** Below this size a service is not asked for a size at all: it does not seem to take one. */
const MIN_PAGE_SIZE = 50;
/** A refusal of so few records has another reason, unless it names the limit. After a refusal for no clear reason, it is tried. */
export const SMALL_PAGE = 10;
/** How large a page should be at most, in bytes. */
export const MAX_PAGE_BYTES = 8_000_000;
/** Records of a page whose size is measured. */
const MEASURED = 5;
/** How long the size that a service takes is known, in ms. */
const KNOWN_FOR_MS = 3_600_000;
const MAX_SERVICES = 1_000;

/** A refused page size, and the size that the service accepted instead; undefined if it chose one itself. */
interface Refusal {
	refused: number;
	accepted: number | undefined;
	/** Whether the answer, or the service's description, names the size as the reason. */
	isCertain: boolean;
}

/** The page size that one service accepts. */
export interface PageSize {
	/** The size to ask for; undefined: the service chooses. */
	most(): number | undefined;
	/** Notes that the service accepted a size. */
	accepted(size: number): void;
	/** Whether the service may refuse this size, and not the request for another reason. */
	isRefused(error: unknown, size: number): boolean;
	/**
	 * The size to try after a refused one.
	 *
	 * @param describe gives the maximum that the service's description names; once an hour, the first listings ask. None
	 * waits for the answer to another one, which may belong to an execution that is cancelled
	 * @returns undefined: the service chooses
	 * @throws Cancelled
	 */
	smallerThan(
		error: unknown,
		size: number,
		describe: () => Promise<number | undefined>,
	): Promise<Pick<Refusal, 'accepted' | 'isCertain'>>;
	/**
	 * Remembers what a listing has learned, for all later ones. A refusal that does not name the size may have had
	 * a passing reason, so it must be seen twice.
	 */
	learned(refusal: Refusal): void;
}

/** Statuses that reject a request because of its content. */
const INVALID = [400, 413, 422];

const saysInvalid = (error: unknown): boolean =>
	error instanceof ApiFailure && INVALID.includes(error.problem.status);

/** Whether an answer refuses a page size, in its own words. */
export const namesPageSize = (error: unknown): boolean =>
	error instanceof ApiFailure &&
	(error.problem.status === 413 || /limit|page.?size/i.test(wordsOf(error)));

/**
 * Whether a refusal may mean the page size. Services refuse a large page with any status; the credential, the rate limit
 * and a thing that does not exist have statuses of their own.
 */
export function mayRefuseSize(error: unknown, size: number): boolean {
	if (!(error instanceof ApiFailure)) return false;
	const { problem, rateLimited } = error;
	const isAboutElse = [401, 429].includes(problem.status) || isGone(problem, ['card', 'workspace']);
	if (rateLimited || isAboutElse) return false;
	return namesPageSize(error) || (size > SMALL_PAGE && !/cursor/i.test(wordsOf(error)));
}

const wordsOf = ({ problem: { kind, title, detail } }: ApiFailure): string =>
	`${kind} ${title} ${detail}`;

/** A description that cannot be read names nothing. @throws Cancelled, which says nothing about the service */
function unlessCancelled(error: unknown): undefined {
	if (error instanceof Cancelled) throw error;
}

/** Creates the page size of a service about which nothing is known: the largest one is tried first. */
export function createPageSize({ now }: Pick<Clock, 'now'> = systemClock): PageSize {
	let most: number | undefined = MAX_PAGE_SIZE;
	let largestAccepted = 0;
	let doubtful = 0;
	let described: { maximum: number | undefined } | undefined;
	let knownUntil = 0;

	function forgetOld(): void {
		if (now() < knownUntil) return;
		most = MAX_PAGE_SIZE;
		largestAccepted = 0;
		doubtful = 0;
		described = undefined;
		knownUntil = now() + KNOWN_FOR_MS;
	}

	return {
		most() {
			forgetOld();
			return most;
		},
		accepted(size) {
			largestAccepted = Math.max(largestAccepted, size);
		},
		isRefused(error, size) {
			if (!mayRefuseSize(error, size)) return false;
			return namesPageSize(error) || size > largestAccepted;
		},
		async smallerThan(error, size, describe) {
			if (!saysInvalid(error)) {
				return { accepted: size > SMALL_PAGE ? SMALL_PAGE : undefined, isCertain: false };
			}
			const { maximum } = (described ??= { maximum: await describe().catch(unlessCancelled) });
			if (maximum !== undefined && maximum < size) return { accepted: maximum, isCertain: true };
			const half = Math.floor(size / 2);
			return { accepted: half >= MIN_PAGE_SIZE ? half : undefined, isCertain: false };
		},
		learned({ refused, accepted, isCertain }) {
			if (!isCertain && (doubtful += 1) < 2) return;
			// Another execution may have learned a smaller one meanwhile.
			if (most === undefined || most < refused) return;
			most = accepted;
		},
	};
}

/** By the API root. */
const services = new BoundedMap<string, PageSize>(MAX_SERVICES);

/** The page size of a service, as this process knows it. */
export const pageSizeOf = (baseUrl: string): PageSize =>
	services.getOrCreate(baseUrl, () => createPageSize());

/**
 * How many records of this kind fit into a page of `MAX_PAGE_BYTES`; at least one.
 *
 * @param records of an earlier page
 */
export function recordsWithin(records: ReadonlyArray<{ raw: JsonObject }>): number {
	const step = Math.max(1, Math.floor(records.length / MEASURED));
	const measured = records.filter((_, place) => place % step === 0).slice(0, MEASURED);
	const bytes = measured.reduce((sum, { raw }) => sum + JSON.stringify(raw).length, 0);
	if (bytes === 0) return MAX_PAGE_SIZE;
	return Math.max(1, Math.floor((MAX_PAGE_BYTES * measured.length) / bytes));
}

/**
 * The size to try after a page that was too large to be read: the one at which its records, all of the same
 * size, would fit into a page of `MAX_PAGE_BYTES`. Ends at one record.
 */
export const sizeAfterTooLarge = (size: number): number =>
	Math.max(1, Math.floor((size * MAX_PAGE_BYTES) / MAX_ANSWER_BYTES));
