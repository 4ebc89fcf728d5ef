/**
 * How many requests of one key may be under way at once, as a pure model: no clock, no requests.
 *
 * Additive increase, multiplicative decrease (AIMD), as TCP does it: answers raise the limit, a refusal halves it. Only
 * requests that can be repeated look for the service's capacity. A create that is refused is lost to the user, so
 * creates stay at a level that has worked for writes.
 *
 * @see RFC 5681
 */

/** Requests at once before anything is known. */
export const START = 8;
/** The most requests at once; fewer if the service does not tell how many it allows. */
export const MAX_PARALLEL = 64;
export const MAX_WITHOUT_LIMIT = 16;
/** How long creates keep to what has worked and failed, in ms. */
const REMEMBERED_MS = 3_600_000;
/** How long all others keep below a level that failed, in ms; then they try it again. */
const AVOIDED_MS = 60_000;
/** The part of a level that failed which is safe for creates: the service may count differently. */
const SAFE_PART = 3 / 4;

/** A number of requests at once, and when it worked or failed, in ms since the epoch. */
interface Level {
	readonly level: number;
	readonly at: number;
}

/** The state of one key. */
export interface Parallelism {
	/** Requests at once; its fraction counts towards the next whole one. */
	readonly limit: number;
	/** Whether nothing was refused so far: the limit then doubles with each round of answers. */
	readonly doubling: boolean;
	/** Requests under way, and how many of them are writes. */
	readonly underWay: number;
	readonly writes: number;
	/** The number of the next request, and of the first one that was sent after the limit was halved. */
	readonly next: number;
	readonly reducedFrom: number;
	/** Writes in a row that succeeded at one level. */
	readonly row: { readonly level: number; readonly count: number };
	/** The highest level at which as many writes in a row have succeeded. */
	readonly shown: Level;
	/** The level that is taken to work as long as nothing is known: less after one has failed. */
	readonly assumed: number;
	/** The lowest level that failed, for requests that cannot be repeated; and the last one, for all others. */
	readonly failed: Level;
	readonly failedLast: Level;
}

const NEVER: Level = { level: Infinity, at: -Infinity };

export const unknownParallelism: Parallelism = {
	limit: START,
	doubling: true,
	underWay: 0,
	writes: 0,
	next: 0,
	reducedFrom: 0,
	row: { level: 0, count: 0 },
	shown: NEVER,
	assumed: START,
	failed: NEVER,
	failedLast: NEVER,
};

/** The properties of a request that matter here. */
export interface Kind {
	/** Whether it changes data. */
	write: boolean;
	/** Whether it can be sent again without doing its work twice. */
	repeatable: boolean;
	/** The most requests of its execution at once, if the user has set it. */
	maxParallel?: number | undefined;
}

/** A request on its way. */
export interface Sent extends Kind {
	number: number;
	/** Requests under way when it was sent, itself included; and how many of them were writes. */
	level: number;
	writeLevel: number;
}

/**
 * How a request ended: it succeeded; it was answered in another way; it was refused or got no answer, as too many
 * were sent or the service is down; or it tells nothing about that.
 */
export type Outcome = 'succeeded' | 'answered' | 'refused' | 'unknown';

const isWithin = (ms: number, { at }: Level, now: number): boolean => now >= at && now - at <= ms;

/** The highest level that is known or taken to work for requests that cannot be repeated. */
function safeLevel({ shown, assumed, failed }: Parallelism, now: number): number {
	const isFailed = isWithin(REMEMBERED_MS, failed, now);
	const base = isFailed ? assumed : START;
	const worked = isWithin(REMEMBERED_MS, shown, now) ? shown.level : 0;
	const most = isFailed ? Math.floor(failed.level * SAFE_PART) : Infinity;
	return Math.max(1, base, Math.min(worked, most));
}

/** The highest level at which a request may be sent, and to which its answer may raise the limit. */
function ceilingOf(state: Parallelism, kind: Kind, isLimitKnown: boolean, now: number): number {
	const { repeatable, maxParallel = 0 } = kind;
	const failed = repeatable ? state.failedLast : state.failed;
	const most = isLimitKnown ? MAX_PARALLEL : MAX_WITHOUT_LIMIT;
	const allowed = repeatable ? most : Math.min(most, safeLevel(state, now));
	// More than that is the user's decision. It ends where requests were refused.
	const wanted = Math.max(allowed, Math.min(maxParallel, MAX_PARALLEL));
	const avoidedMs = repeatable ? AVOIDED_MS : REMEMBERED_MS;
	return isWithin(avoidedMs, failed, now) ? Math.min(wanted, failed.level - 1) : wanted;
}

/**
 * How many requests may be under way at once, with one of this kind among them.
 *
 * @param isLimitKnown whether the service tells how many more requests it allows
 * @param now ms since the epoch
 */
export const atOnce = (
	state: Parallelism,
	kind: Kind,
	isLimitKnown: boolean,
	now: number,
): number =>
	Math.max(1, Math.floor(Math.min(state.limit, ceilingOf(state, kind, isLimitKnown, now))));

/** Notes that a request is sent. */
export function requestSent(before: Parallelism, kind: Kind): { state: Parallelism; sent: Sent } {
	const underWay = before.underWay + 1;
	const writes = before.writes + (kind.write ? 1 : 0);
	return {
		state: { ...before, underWay, writes, next: before.next + 1 },
		sent: { ...kind, number: before.next, level: underWay, writeLevel: writes },
	};
}

/** The level that is taken to work when this one has failed. */
const assumedBelow = (level: number): number =>
	level > START ? Math.min(START, Math.floor(level * SAFE_PART)) : Math.floor(level / 2);

/** A refusal halves the limit, once for all requests that were under way then. */
function reduced(state: Parallelism, level: number, now: number): Parallelism {
	const halved = {
		...state,
		limit: Math.max(1, Math.min(state.limit, level) / 2),
		doubling: false,
		reducedFrom: state.next,
		row: unknownParallelism.row,
	};
	// Refused although it was alone: it is not for the number of requests.
	if (level === 1) return { ...halved, assumed: START, failed: NEVER, failedLast: NEVER };
	const { failed, shown } = state;
	const lowest = isWithin(REMEMBERED_MS, failed, now) ? Math.min(failed.level, level) : level;
	return {
		...halved,
		assumed: Math.min(state.assumed, assumedBelow(level)),
		shown: { ...shown, level: Math.min(shown.level, level - 1) },
		failed: { level: lowest, at: now },
		failedLast: { level, at: now },
	};
}

/** Notes that a write succeeded. A level works if as many in a row succeed at it. */
function proven(state: Parallelism, level: number, now: number): Parallelism {
	const { row, shown, failed } = state;
	if (level < row.level) return state;
	const count = level === row.level ? row.count + 1 : 1;
	const next = { ...state, row: { level, count } };
	if (count < level) return next;
	const isHighest = level >= shown.level || !isWithin(REMEMBERED_MS, shown, now);
	return {
		...next,
		...(isHighest && { shown: { level, at: now } }),
		...(level >= failed.level && { failed: NEVER, assumed: START }),
	};
}

/** Notes how a request ended. @param now ms since the epoch */
export function requestEnded(
	before: Parallelism,
	sent: Sent,
	outcome: Outcome,
	isLimitKnown: boolean,
	now: number,
): Parallelism {
	const underWay = before.underWay - 1;
	let state = { ...before, underWay, writes: before.writes - (sent.write ? 1 : 0) };
	if (outcome === 'unknown' || sent.number < before.reducedFrom) return state;
	if (outcome === 'refused') return reduced(state, Math.max(sent.level, before.underWay), now);
	if (sent.write && outcome === 'succeeded') state = proven(state, sent.writeLevel, now);
	// Few requests at once prove nothing about more.
	if (before.underWay * 2 <= state.limit) return state;
	const ceiling = ceilingOf(state, sent, isLimitKnown, now);
	if (state.limit >= ceiling) return state;
	const raised = state.limit + (state.doubling ? 1 : 1 / state.limit);
	return { ...state, limit: Math.min(raised, ceiling) };
}
