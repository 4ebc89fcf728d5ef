/**
 * How many requests of one key should be under way at once, as a pure model: no clock, no requests.
 *
 * It is the gradient limit of Netflix' concurrency limits, in rounds as TCP Vegas counts them. As long as
 * answers take no longer than the quickest one did, more requests at once do more work; when they take
 * longer, the requests only wait for each other. A round is the time that one answer takes: it ends with
 * the first answer to a request that was sent in it, or earlier when half of the answers were slow.
 *
 * @see https://github.com/Netflix/concurrency-limits
 * @see L. S. Brakmo, L. L. Peterson: "TCP Vegas: End to End Congestion Avoidance on a Global Internet",
 * IEEE Journal on Selected Areas in Communications 13(8), 1995
 */

/** Requests at once before anything is known; slow answers alone never lead below. */
export const START = 4;
/** The most requests at once; a service that does not tell how many it allows gets fewer. */
export const MAX_PARALLEL = 64;
export const MAX_UNTOLD = 16;
/** How much longer than the quickest an answer may take before requests count as waiting for each other. */
const TOLERANCE = 1.5;
/** The smallest part of the limit that one round of slow answers leaves. */
const MIN_GRADIENT = 0.5;
/** How often the quickest answer is measured again, with nothing else under way: after this time, in ms … */
const MEASURED_FOR_MS = 10_000;
/** … and after this number of rounds, as measuring takes about two of them. */
const MEASURED_FOR_ROUNDS = 50;
/**
 * Rounds after which it is measured anyway while so few requests are slow: not because of each other. Not where
 * the limit is not made use of: a listing has two at once, and would only be slowed down.
 */
const STUCK_FOR_ROUNDS = 8;
/** Kinds of request whose times are kept; there are about twenty. */
const MAX_KINDS = 100;

/** The state of one key. */
export interface Parallelism {
	/** Requests at once; its fraction counts towards the next whole one. */
	readonly limit: number;
	/** Whether the limit still doubles with each round: no answer was slow so far, and none failed. */
	readonly doubling: boolean;
	/** The quickest answer to each kind of request, in ms. */
	readonly quickest: ReadonlyMap<string, number>;
	/** The number of the next request, and the first numbers of this round and after the limit last shrank. */
	readonly next: number;
	readonly roundFrom: number;
	readonly reducedFrom: number;
	readonly underWay: number;
	/** The most requests that were under way at once in this round. */
	readonly most: number;
	/** Answers of this round, and how slow they were altogether: each in times of the quickest of its kind. */
	readonly answers: number;
	readonly slowness: number;
	/** When the quickest answers were measured, in ms since the epoch, and rounds since. */
	readonly measuredAt: number;
	readonly rounds: number;
	/** While they are measured: the first request that counts, and the limit to go back to. */
	readonly measuring: { readonly from: number; readonly limit: number } | undefined;
}

/** The outcome of a request. */
export interface Outcome {
	/** As `Parallelism.next` was when it was sent. */
	number: number;
	/** Requests of one kind take about as long: the method, the collection, and whether it was refused. */
	kind: string;
	/** How long the answer took, in ms. */
	ms: number;
	/** It was answered; it was refused for the rate, failed (5xx) or not answered; or nothing is known. */
	how: 'answered' | 'overloaded' | 'unknown';
	/** Whether the service tells how many more requests it allows. */
	told: boolean;
}

/** @param now ms since the epoch */
export const unknownParallelism = (now: number): Parallelism => ({
	limit: START,
	doubling: true,
	quickest: new Map(),
	next: 0,
	roundFrom: 0,
	reducedFrom: 0,
	underWay: 0,
	most: 0,
	answers: 0,
	slowness: 0,
	measuredAt: now,
	rounds: 0,
	measuring: undefined,
});

/** How many requests may be under way at once. */
export const atOnce = ({ limit, measuring }: Parallelism): number =>
	measuring ? 1 : Math.max(1, Math.floor(limit));

/** A request, number `state.next`, is sent. */
export function requestSent(state: Parallelism): Parallelism {
	const underWay = state.underWay + 1;
	return { ...state, next: state.next + 1, underWay, most: Math.max(state.most, underWay) };
}

const nextRound = (state: Parallelism, more: Partial<Parallelism>): Parallelism => ({
	...state,
	roundFrom: state.next,
	most: state.underWay,
	answers: 0,
	slowness: 0,
	rounds: state.rounds + 1,
	...more,
});

/** Whether the round came near the limit. One that did not neither confirms the limit nor refutes it. */
const isUsed = ({ most, limit }: Parallelism): boolean => most * 2 > limit;

/** Draws the conclusion from the answers of a round. */
function endRound(state: Parallelism, ceiling: number): Parallelism {
	const { limit, slowness, answers } = state;
	const gradient = Math.min(Math.max((TOLERANCE * answers) / slowness, MIN_GRADIENT), 1);
	const doubling = state.doubling && gradient === 1;
	const wanted = doubling ? limit * 2 : limit * gradient + Math.sqrt(limit);
	return nextRound(state, {
		...(isUsed(state) && {
			limit: Math.min(Math.max(wanted, Math.min(limit, START)), ceiling),
			doubling,
		}),
		...(gradient < 1 && { reducedFrom: state.next }),
	});
}

function withQuickest(state: Parallelism, kind: string, ms: number): Parallelism {
	const known = state.quickest.get(kind);
	if (known !== undefined && known <= ms) return state;
	const kept = state.quickest.size < MAX_KINDS ? state.quickest : [];
	return { ...state, quickest: new Map([...kept, [kind, ms]]) };
}

/** @param now ms since the epoch */
export function requestEnded(before: Parallelism, outcome: Outcome, now: number): Parallelism {
	const ceiling = outcome.told ? MAX_PARALLEL : MAX_UNTOLD;
	const limit = Math.min(before.limit, ceiling);
	let state: Parallelism = { ...before, limit, underWay: Math.max(0, before.underWay - 1) };
	const { number, how, kind } = outcome;
	// Requests under way when the limit shrank fail, or are slow, for the same reason: they count once.
	if (how === 'unknown' || number < state.reducedFrom) return state;
	if (how === 'overloaded') {
		const halved = Math.max(1, limit / 2);
		return nextRound(state, {
			limit: halved,
			doubling: false,
			reducedFrom: state.next,
			measuring: undefined,
		});
	}
	// Clocks have whole milliseconds: an answer within one of them would make all others slow.
	const ms = Math.max(1, outcome.ms);
	if (state.measuring) {
		if (number < state.measuring.from) return state;
		// The first answer that waited for no other: from here on the times are known afresh.
		return nextRound(
			{ ...state, quickest: new Map([[kind, ms]]) },
			{
				limit: Math.min(state.measuring.limit, limit),
				measuring: undefined,
				measuredAt: now,
				rounds: 0,
			},
		);
	}
	state = withQuickest(state, kind, ms);
	const slowness = state.slowness + ms / (state.quickest.get(kind) ?? ms);
	state = { ...state, slowness, answers: state.answers + 1 };
	const isSlow = slowness > TOLERANCE * state.answers;
	if (state.answers * 2 < Math.min(limit, state.most)) return state;
	if (number < state.roundFrom && !isSlow) return state;
	const isHeld = isSlow && isUsed(state);
	state = endRound(state, ceiling);
	const isOld = now - state.measuredAt >= MEASURED_FOR_MS && state.rounds >= MEASURED_FOR_ROUNDS;
	const isStuck = isHeld && state.limit < START + 1 && state.rounds >= STUCK_FOR_ROUNDS;
	if (!isOld && !isStuck) return state;
	return { ...state, measuring: { from: state.next, limit: state.limit } };
}
