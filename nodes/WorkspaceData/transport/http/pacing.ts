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
} from './parallelism';
import { createRateGate, type RateGate } from './rateGate';
import { hasNoneLeft } from './rateLimit';
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

/** Creates the pacing of a key about which nothing is known yet. */
export function createPacing(clock: Clock): Pacing {
	let state = unknownParallelism;
	const serviceClock = createServiceClock(clock);
	const gate = createRateGate(clock, serviceClock);
	const mostAtOnce = (kind: Kind) => atOnce(state, kind, gate.isLimitKnown, clock.now());
	return {
		gate,
		serviceClock,
		openLimiter: createSharedLimiter(mostAtOnce, clock),
		atOnce: mostAtOnce,
		sending(request) {
			const started = requestSent(state, kindOf(request));
			state = started.state;
			return (outcome) => {
				state = requestEnded(
					state,
					started.sent,
					outcomeOf(outcome),
					gate.isLimitKnown,
					clock.now(),
				);
			};
		},
	};
}
