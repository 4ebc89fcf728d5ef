/** How large a page of records may be: learned from the service, and kept for an hour. */
import type { JsonObject } from '../model/answer/shapes';
import { systemClock, type Clock } from './http/clock';
import { ApiFailure, isGone } from './failure/failures';
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

/** The largest size below the refused one that a refusal names: "limit must be at most 100". */
function statedMaximum(error: ApiFailure, size: number): number | undefined {
	const numbers =
		wordsOf(error)
			.match(/\d{1,6}/g)
			?.map(Number) ?? [];
	const possible = numbers.filter((number) => number > 1 && number < size);
	return possible.length > 0 ? Math.max(...possible) : undefined;
}

/** The page size that one service accepts; the largest one is tried first. */
export class PageSize {
	private readonly clock: Pick<Clock, 'now'>;
	private known: number | undefined = MAX_PAGE_SIZE;
	private largestAccepted = 0;
	private doubtful = 0;
	private knownUntil = 0;

	constructor(clock: Pick<Clock, 'now'> = systemClock) {
		this.clock = clock;
	}

	/** The size to ask for; undefined: the service chooses. */
	get most(): number | undefined {
		const now = this.clock.now();
		if (now >= this.knownUntil) {
			this.known = MAX_PAGE_SIZE;
			this.largestAccepted = 0;
			this.doubtful = 0;
			this.knownUntil = now + KNOWN_FOR_MS;
		}
		return this.known;
	}

	/**
	 * The size to try after a failed request; `undefined` in it: the service chooses.
	 *
	 * @returns undefined where the request failed for another reason
	 */
	smallerAfter(error: unknown, size: number): { size: number | undefined } | undefined {
		if (!mayRefuseSize(error, size)) return undefined;
		const isNamed = namesPageSize(error);
		if (!isNamed && size <= this.largestAccepted) return undefined;
		const stated = isNamed ? statedMaximum(error as ApiFailure, size) : undefined;
		if (stated !== undefined) return { size: stated };
		const half = Math.floor(size / 2);
		if (saysInvalid(error)) return { size: half >= MIN_PAGE_SIZE ? half : undefined };
		return { size: size > SMALL_PAGE ? SMALL_PAGE : undefined };
	}

	/** Notes that the service accepted a size. */
	accepted(size: number): void {
		this.largestAccepted = Math.max(this.largestAccepted, size);
	}

	/**
	 * Remembers what a listing has learned, for all later ones: which size was refused, and which one was accepted.
	 *
	 * @param isCertain whether a refusal named the size; else it may have had a passing reason, and must be seen twice
	 */
	learned(refused: number, accepted: number | undefined, isCertain: boolean): void {
		if (!isCertain && (this.doubtful += 1) < 2) return;
		// Another execution may have learned a smaller one meanwhile.
		if (this.known === undefined || this.known < refused) return;
		this.known = accepted;
	}
}

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
