/** How fast the requests of one key go out: how many at once, and how many in a window of the rate limit. */
import { type Clock, createServiceClock, type ServiceClock } from './clock';
import { createSharedLimiter, type Limiter } from './limiter';
import { NetworkFailure, SilentService } from '../failure/failures';
import {
	atOnce,
	requestEnded,
	requestSent,
	unknownParallelism,
	type Kind,
	type Outcome,
} from './adaptiveLimit';
import { createRateGate, type RateGate } from './rateGate';
import { hasNoneLeft } from './rateLimitHeaders';
import { isRepeatable } from './retryPolicy';
import type { ApiRequest } from '../request';
import type { Attempt } from './attempt';

/** Shared by all executions of this process that use the same key. */
export interface Pacing {
	gate: RateGate;
	serviceClock: ServiceClock;
	/** Opens the limiter of one execution; all of them share the number of parallel requests. */
	openLimiter(): Limiter;
	/** How many requests may be under way at once now, with one of this kind among them. */
	atOnce(kind: Kind): number;
	/**
	 * Notes that an attempt of a request is sent.
	 *
	 * @returns must be told the outcome; undefined if there is none
	 */
	sending(request: ApiRequest): (outcome: Attempt['outcome'] | undefined) => void;
	/**
	 * Whether an attempt was one too many: it was refused or cut off, while the service answered others of this key.
	 *
	 * @param since when the attempt before it was sent, in ms since the epoch: a refusal comes sooner than other answers
	 */
	isSurplus(outcome: Attempt['outcome'], since: number): boolean;
}

/** The properties of a request that decide its pace. */
export const kindOf = ({
	method,
	maxParallel,
}: Pick<ApiRequest, 'method' | 'maxParallel'>): Kind => ({
	write: method !== 'GET',
	repeatable: isRepeatable(method),
	maxParallel,
});

/** Statuses that say that the service, or a gateway, has too much to do, or is down. A 500 says nothing about load. */
const OVERLOADED = new Set([408, 429, 502, 503, 504]);

function outcomeOf(outcome: Attempt['outcome'] | undefined): Outcome {
	if (outcome === undefined || outcome instanceof SilentService) return 'unknown';
	if (outcome instanceof Error) {
		return outcome instanceof NetworkFailure && outcome.transient ? 'refused' : 'unknown';
	}
	const { status, headers } = outcome;
	if (status >= 200 && status < 300) return 'succeeded';
	// The window is used up: that says nothing about how many requests may be under way at once.
	if (hasNoneLeft(headers)) return 'unknown';
	if (OVERLOADED.has(status)) return 'refused';
	return status >= 500 ? 'unknown' : 'answered';
}

/** The most time between two creates, in ms: n8n takes about one to send a request. */
const MAX_SPACING_MS = 10;
/** The mean of how long creates take is that of about so many. */
const MEAN_OF = 8;

/** Creates the pacing of a key about which nothing is known yet. */
export function createPacing(clock: Clock): Pacing {
	let state = unknownParallelism;
	const serviceClock = createServiceClock(clock);
	const gate = createRateGate(clock, serviceClock);
	const mostAtOnce = (kind: Kind) => atOnce(state, kind, gate.isLimitKnown, clock.now());
	/** How long a create takes, in ms: the mean of the last ones; before them, how long the first request took. */
	let createMs = 0;
	/** When the service last answered a request, and did not refuse it as one too many. */
	let servedAt = -Infinity;
	/**
	 * Few creates run at once. Begun together they would all be answered together, and each would wait until n8n has
	 * worked on the others: so they are spread over half of the time that one takes.
	 */
	const spacing = ({ repeatable }: Kind, most: number) =>
		repeatable ? 0 : Math.min(createMs / most / 2, MAX_SPACING_MS);
	return {
		gate,
		serviceClock,
		openLimiter: createSharedLimiter(mostAtOnce, clock, spacing),
		atOnce: mostAtOnce,
		sending(request) {
			const kind = kindOf(request);
			const started = requestSent(state, kind);
			const start = clock.now();
			state = started.state;
			return (outcome) => {
				const ms = Math.max(0, clock.now() - start);
				if (createMs === 0) createMs = ms;
				else if (!kind.repeatable) createMs += (ms - createMs) / MEAN_OF;
				const how = outcomeOf(outcome);
				if (how === 'succeeded' || how === 'answered') servedAt = clock.now();
				state = requestEnded(state, started.sent, how, gate.isLimitKnown, clock.now());
			};
		},
		isSurplus: (outcome, since) => outcomeOf(outcome) === 'refused' && servedAt >= since,
	};
}
