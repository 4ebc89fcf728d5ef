/** The page size of records, learned from the service and kept for an hour. */
import { ApiFailure, isGone, isTimeOut, Unreachable } from './failure/failures';
import type { Clock } from './http/clock';

/** The maximum page size that is requested; larger pages save little and block the event loop. */
const MAX_PAGE_SIZE = 1_000;
/** If so few records are refused, the reason is another one, unless the service names the limit. */
export const SMALL_PAGE = 10;
/** How long the page size of a service is remembered, in ms. */
const KNOWN_FOR_MS = 3_600_000;
/** The number of refusals after which a smaller size is remembered. A single one may have a temporary reason. */
const REFUSALS_TO_REMEMBER = 2;

/** The page size that the service accepts for one key. The largest one is tried first. */
export class PageSize {
	private readonly clock: Pick<Clock, 'now'>;
	private known = MAX_PAGE_SIZE;
	private largestAccepted = 0;
	private refusals = 0;
	private knownUntil = 0;

	constructor(clock: Pick<Clock, 'now'>) {
		this.clock = clock;
	}

	/** The size to request. */
	get most(): number {
		const now = this.clock.now();
		if (now >= this.knownUntil) {
			this.known = MAX_PAGE_SIZE;
			this.largestAccepted = 0;
			this.refusals = 0;
			this.knownUntil = now + KNOWN_FOR_MS;
		}
		return this.known;
	}

	/** Returns the size to try after a failed request; undefined if the request failed for another reason. */
	smallerAfter(error: unknown, size = 0): number | undefined {
		const half = size > SMALL_PAGE ? Math.max(SMALL_PAGE, Math.floor(size / 2)) : undefined;
		if (isTooLarge(error)) return size > 1 ? Math.max(1, Math.floor(size / 8)) : undefined;
		if (error instanceof Unreachable && isTimeOut(error)) return half;
		if (!(error instanceof ApiFailure) || isAboutElse(error)) return undefined;
		if (namesPageSize(error)) return statedMaximum(error, size) ?? half;
		const isLarge = size > Math.max(SMALL_PAGE, this.largestAccepted);
		return isLarge && !/cursor/i.test(wordsOf(error)) ? SMALL_PAGE : undefined;
	}

	/** Notes that the service accepted a size. @param refusal the last failure with a larger one in the same listing */
	accepted(size: number, refusal?: unknown): void {
		this.largestAccepted = Math.max(this.largestAccepted, size);
		// A page that is too large to be read is no reason for smaller pages of other cards.
		if (refusal === undefined || isTooLarge(refusal)) return;
		this.refusals += namesPageSize(refusal) ? REFUSALS_TO_REMEMBER : 1;
		if (this.refusals >= REFUSALS_TO_REMEMBER) this.known = Math.min(this.known, size);
	}
}

const isTooLarge = (error: unknown): boolean => error instanceof Unreachable && error.tooLarge;

const wordsOf = ({ problem: { kind, title, detail } }: ApiFailure): string =>
	`${kind} ${title} ${detail}`;

/** Returns true if the service's message refuses the page size. */
const namesPageSize = (error: unknown): boolean =>
	error instanceof ApiFailure &&
	(error.problem.status === 413 || /limit|page.?size/i.test(wordsOf(error)));

/**
 * Returns true if the page size can't be the reason for a refusal. Services refuse a large page with any status, but
 * the credential, the rate limit and missing things have specific statuses.
 */
const isAboutElse = ({ problem, rateLimited }: ApiFailure): boolean =>
	rateLimited || [401, 429].includes(problem.status) || isGone(problem, ['card', 'workspace']);

/** Returns the largest size that a refusal names, if it is below the refused one: "limit must be at most 100". */
function statedMaximum(error: ApiFailure, size: number): number | undefined {
	const numbers = (wordsOf(error).match(/\d{1,6}/g) ?? []).map(Number);
	const possible = numbers.filter((number) => number > 1 && number < size);
	return possible.length > 0 ? Math.max(...possible) : undefined;
}
