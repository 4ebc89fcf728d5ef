/** Decides what follows each try of a request. */
import {
	isTimeOut,
	isTransientStatus,
	SilentService,
	type NetworkFailure,
} from '../failure/failures';
import { isRateLimited, readRetryAfter, refusalWait } from './rateLimitHeaders';
import type { ApiAnswer, ApiRequest } from '../request';

/** Tries of a request that may be sent again after a fault. */
const TRIES = 3;
/** The longest total time that one request waits for the rate limit, in ms. */
const MAX_REFUSED_MS = 5 * 60_000;

/** The longest total time that an impatient request waits for it, in ms. */
export const IMPATIENT_WAIT_MS = 5_000;

/** The tries of one request so far. */
export interface History {
	/** Tries that ended in a fault: of the network, or of the service (5xx). */
	faults: number;
	/** Attempts that the rate limit refused, and the total time that was waited for it, in ms. */
	refusals: number;
	refusedMs: number;
	/** Whether the access token was renewed for it. */
	renewed: boolean;
	/** Whether a try without a clear answer may have had its effect. */
	unclear: boolean;
}

/** How a request begins. */
export const UNTRIED: Readonly<History> = {
	faults: 0,
	refusals: 0,
	refusedMs: 0,
	renewed: false,
	unclear: false,
};

/**
 * Whether a request can be sent again without doing its work twice.
 *
 * @see RFC 9110, section 9.2.2, on idempotent methods
 */
export const isRepeatable = (method: ApiRequest['method']): boolean => method !== 'POST';

/** The next step after a try, with the new history. */
export type Step =
	| { act: 'done' | 'alreadyGone' | 'fail' }
	| { act: 'again' | 'renewToken'; history: History }
	| { act: 'wait'; ms: number; history: History };

/**
 * Decides what follows one try of a request.
 *
 * A request is sent again when that can help and cannot do its work twice: creations (POST) only
 * where the service cannot have received them, or has refused them with 429.
 *
 * @param history the tries before this one
 * @param now ms since the epoch
 * @param mayRenew whether another access token could be had
 */
export function nextStep(
	outcome: ApiAnswer | NetworkFailure,
	{ method, impatient, shrinks }: Pick<ApiRequest, 'method' | 'impatient' | 'shrinks'>,
	history: History,
	{ now, mayRenew }: { now: number; mayRenew: boolean },
): Step {
	const repeatable = isRepeatable(method);
	const mayTryAgain = !impatient && history.faults + 1 < TRIES;
	const again = (unclear: boolean): Step & { act: 'again' } => ({
		act: 'again',
		history: {
			...history,
			faults: history.faults + 1,
			unclear: history.unclear || unclear,
		},
	});

	if (outcome instanceof SilentService) return { act: 'fail' };
	if (shrinks && isTimeOut(outcome)) return { act: 'fail' };
	if (outcome instanceof Error) {
		const mayHaveArrived = outcome.sent !== 'no';
		const safe = repeatable || !mayHaveArrived;
		if (outcome.transient && safe && mayTryAgain) return again(mayHaveArrived);
		return { act: 'fail' };
	}
	const { status, headers } = outcome;
	if (status >= 200 && status < 300) return { act: 'done' };
	const waitFor = (ms: number, then: History): Step => {
		const refusedMs = history.refusedMs + ms;
		if (refusedMs > (impatient ? IMPATIENT_WAIT_MS : MAX_REFUSED_MS)) return { act: 'fail' };
		return { act: 'wait', ms, history: { ...then, refusedMs } };
	};
	if (isRateLimited(status, headers, repeatable)) {
		const refusals = history.refusals + 1;
		return waitFor(refusalWait(headers, now, refusals), { ...history, refusals });
	}
	if (status === 401 && mayRenew && !history.renewed) {
		return { act: 'renewToken', history: { ...history, renewed: true } };
	}
	// An earlier try may have deleted it.
	if (status === 404 && method === 'DELETE' && history.unclear) return { act: 'alreadyGone' };
	if (isTransientStatus(status) && repeatable && mayTryAgain) {
		const next = again(true);
		const retryAfterMs = readRetryAfter(headers, now);
		return retryAfterMs === undefined ? next : waitFor(retryAfterMs, next.history);
	}
	return { act: 'fail' };
}
