/** How fast the requests of one key go out: how many at once, and how many in a window of the rate limit. */
import type { Clock } from './clock';
import { createSharedLimiter, type Limiter } from './limiter';
import { isTransientStatus, NetworkFailure, SilentService } from '../failure/failures';
import { atOnce, requestEnded, requestSent, unknownParallelism, type Outcome } from './parallelism';
import { createRateGate, type RateGate } from './rateGate';
import { isRateLimited } from './rateLimit';
import { createServiceClock, type ServiceClock } from './serviceClock';
import type { ApiRequest } from '../request';
import type { Try } from './attempt';

/** Shared by all executions of this process that use the same key. */
export interface Pacing {
	gate: RateGate;
	serviceClock: ServiceClock;
	/** Opens the limiter of one execution; all of them share the number of parallel requests. */
	openLimiter(): Limiter;
	/** How many requests may be under way at once now. */
	atOnce(): number;
	/**
	 * Notes that a try of a request is sent.
	 *
	 * @returns must be told the outcome; undefined if there is none
	 */
	sending(request: ApiRequest): (outcome: Try['outcome'] | undefined) => void;
}

function howItEnded(outcome: Try['outcome'] | undefined): Outcome['how'] {
	if (outcome === undefined || outcome instanceof SilentService) return 'unknown';
	if (outcome instanceof Error) {
		return outcome instanceof NetworkFailure && outcome.transient ? 'overloaded' : 'unknown';
	}
	const { status, headers } = outcome;
	const isRefused = isRateLimited(status, headers) || isTransientStatus(status);
	return isRefused ? 'overloaded' : 'answered';
}

/** Creates the pacing of a key about which nothing is known yet. */
export function createPacing(clock: Clock): Pacing {
	let state = unknownParallelism(clock.now());
	const serviceClock = createServiceClock(clock);
	const gate = createRateGate(clock, serviceClock);
	return {
		gate,
		serviceClock,
		openLimiter: createSharedLimiter(() => atOnce(state), clock),
		atOnce: () => atOnce(state),
		sending({ method, path }) {
			const sentAt = clock.now();
			const number = state.next;
			state = requestSent(state);
			return (outcome) => {
				const now = clock.now();
				const status = outcome instanceof Error ? 0 : Math.floor((outcome?.status ?? 0) / 100);
				const what = path.filter((part) => typeof part === 'string').join('/');
				state = requestEnded(
					state,
					{
						number,
						kind: `${method} ${what} ${status}`,
						ms: now - sentAt,
						how: howItEnded(outcome),
						told: gate.isTold,
					},
					now,
				);
			};
		},
	};
}
