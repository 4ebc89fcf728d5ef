/** How large a page of records may be: learned from the service, and kept for an hour. */
import { ApiFailure, isGone, Unreachable } from './failure/failures';
import { systemClock, type Clock } from './http/clock';

/** The most records of a page that are asked for; larger pages save little and block the event loop. */
const MAX_PAGE_SIZE = 1_000;
/** A refusal of so few records has another reason, unless it names the limit. */
export const SMALL_PAGE = 10;
/** How long the size that a service takes is known, in ms. */
const KNOWN_FOR_MS = 3_600_000;

/** A size that a listing was refused. */
export interface RefusedSize {
	size: number;
	/** Whether the refusal named the size; else it may have had a passing reason. */
	isCertain: boolean;
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
		const half = Math.max(SMALL_PAGE, Math.floor(size / 2));
		if (error instanceof Unreachable) {
			if (error.tooLarge) return size > 1 ? { size: Math.max(1, Math.floor(size / 8)) } : undefined;
			return error.timedOut && size > SMALL_PAGE ? { size: half } : undefined;
		}
		if (!(error instanceof ApiFailure) || !mayRefuseSize(error, size)) return undefined;
		if (namesPageSize(error)) {
			return { size: statedMaximum(error, size) ?? (size > SMALL_PAGE ? half : undefined) };
		}
		return size > this.largestAccepted ? { size: SMALL_PAGE } : undefined;
	}

	/**
	 * Notes that the service accepted a size.
	 *
	 * @param refused the largest size that it refused before, in the same listing: unless the refusal named it, it is
	 * remembered only when it is seen twice
	 */
	accepted(size: number | undefined, refused?: RefusedSize): void {
		this.largestAccepted = Math.max(this.largestAccepted, size ?? 0);
		if (!refused || (!refused.isCertain && (this.doubtful += 1) < 2)) return;
		// Another execution may have learned a smaller one meanwhile.
		if (this.known !== undefined && this.known >= refused.size) this.known = size;
	}
}

const wordsOf = ({ problem: { kind, title, detail } }: ApiFailure): string =>
	`${kind} ${title} ${detail}`;

/** Whether an answer refuses a page size, in its own words. */
export const namesPageSize = (error: unknown): boolean =>
	error instanceof ApiFailure &&
	(error.problem.status === 413 || /limit|page.?size/i.test(wordsOf(error)));

/**
 * Whether a refusal may mean the page size. Services refuse a large page with any status; the credential, the rate limit
 * and a thing that does not exist have statuses of their own.
 */
function mayRefuseSize(error: ApiFailure, size: number): boolean {
	const { problem, rateLimited } = error;
	const isAboutElse = [401, 429].includes(problem.status) || isGone(problem, ['card', 'workspace']);
	if (rateLimited || isAboutElse) return false;
	return namesPageSize(error) || (size > SMALL_PAGE && !/cursor/i.test(wordsOf(error)));
}

/** The largest size below the refused one that a refusal names: "limit must be at most 100". */
function statedMaximum(error: ApiFailure, size: number): number | undefined {
	const numbers = (wordsOf(error).match(/\d{1,6}/g) ?? []).map(Number);
	const possible = numbers.filter((number) => number > 1 && number < size);
	return possible.length > 0 ? Math.max(...possible) : undefined;
}
