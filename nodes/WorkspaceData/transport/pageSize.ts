/** The page size of records, learned from the service and kept for an hour. */
import { ApiFailure, isGone, isTimeOut, Unreachable } from './failure/failures';
import { systemClock } from './http/clock';

/** The maximum page size that is requested; larger pages save little and block the event loop. */
const MAX_PAGE_SIZE = 1_000;
/** If so few records are refused, the reason is another one, unless the service names the limit. */
export const SMALL_PAGE = 10;
/** How long the page size of a service is remembered, in ms. */
const KNOWN_FOR_MS = 3_600_000;

/** A size that the service refused to a listing. */
export interface RefusedSize {
	size: number;
	/** True if the refusal named the size; else the reason may be temporary. */
	isCertain: boolean;
}

/** The page size that one service accepts. The largest one is tried first. */
export class PageSize {
	private known: number | undefined = MAX_PAGE_SIZE;
	private largestAccepted = 0;
	private doubtful = 0;
	private knownUntil = 0;

	/** The size to request; if undefined, the service decides. */
	get most(): number | undefined {
		const now = systemClock.now();
		if (now >= this.knownUntil) {
			this.known = MAX_PAGE_SIZE;
			this.largestAccepted = 0;
			this.doubtful = 0;
			this.knownUntil = now + KNOWN_FOR_MS;
		}
		return this.known;
	}

	/**
	 * Returns the size to try after a failed request. In both places, the service decides if `size` is undefined.
	 *
	 * @returns undefined if the request failed for another reason
	 */
	smallerAfter(error: unknown, size = 0): { size: number | undefined } | undefined {
		const half = size > SMALL_PAGE ? Math.max(SMALL_PAGE, Math.floor(size / 2)) : undefined;
		if (error instanceof Unreachable) {
			if (error.tooLarge) return size > 1 ? { size: Math.max(1, Math.floor(size / 8)) } : undefined;
			return half && isTimeOut(error) ? { size: half } : undefined;
		}
		if (!(error instanceof ApiFailure) || !mayRefuseSize(error, size)) return undefined;
		if (namesPageSize(error)) return { size: statedMaximum(error, size) ?? half };
		return size > this.largestAccepted ? { size: SMALL_PAGE } : undefined;
	}

	/**
	 * Notes that the service accepted a size.
	 *
	 * @param refused the largest size that it refused before, in the same listing. It is remembered only when
	 * it occurs twice, unless the refusal named it
	 */
	accepted(size: number | undefined, refused?: RefusedSize): void {
		this.largestAccepted = Math.max(this.largestAccepted, size ?? 0);
		if (!refused || (!refused.isCertain && (this.doubtful += 1) < 2)) return;
		// Another execution may have learned a smaller size meanwhile.
		if (this.known !== undefined && this.known >= refused.size) this.known = size;
	}
}

const wordsOf = ({ problem: { kind, title, detail } }: ApiFailure): string =>
	`${kind} ${title} ${detail}`;

/** Returns true if the service's message refuses the page size. */
export const namesPageSize = (error: unknown): boolean =>
	error instanceof ApiFailure &&
	(error.problem.status === 413 || /limit|page.?size/i.test(wordsOf(error)));

/**
 * Returns true if the page size may be the reason for a refusal. Services refuse a large page with any status, but
 * the credential, the rate limit and missing things have specific statuses.
 */
function mayRefuseSize(error: ApiFailure, size: number): boolean {
	const { problem, rateLimited } = error;
	const isAboutElse = [401, 429].includes(problem.status) || isGone(problem, ['card', 'workspace']);
	if (rateLimited || isAboutElse || size === 0) return false;
	return namesPageSize(error) || (size > SMALL_PAGE && !/cursor/i.test(wordsOf(error)));
}

/** Returns the largest size that a refusal names, if it is below the refused one: "limit must be at most 100". */
function statedMaximum(error: ApiFailure, size: number): number | undefined {
	const numbers = (wordsOf(error).match(/\d{1,6}/g) ?? []).map(Number);
	const possible = numbers.filter((number) => number > 1 && number < size);
	return possible.length > 0 ? Math.max(...possible) : undefined;
}
