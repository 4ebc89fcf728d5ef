/** Decides what follows each attempt of a request. */
import { readProblem } from '../../model/response/problem';
import { isTimeOut, isTransientStatus, type NetworkFailure } from '../failure/failureKinds';
import { isRateLimited, MAX_WAIT_MS, readRetryAfter, refusalWait } from './rateLimitHeaders';
import type { ApiResponse, ApiRequest } from '../request';

/** The maximum number of attempts if a request may be sent again after a fault. */
const TRIES = 3;

/** How long an impatient request waits for the rate limit at most, in ms. */
export const IMPATIENT_WAIT_MS = 5_000;

/** The attempts of one request so far. */
export interface History {
	/** Attempts that ended in a fault of the network or the service (5xx). */
	faults: number;
	/** Attempts that the rate limit refused, and the total time spent waiting for it, in ms. */
	refusals: number;
	refusedMs: number;
}

/** The history before the first attempt. */
export const UNTRIED: Readonly<History> = { faults: 0, refusals: 0, refusedMs: 0 };

/**
 * Returns true if a request can be sent again without doing its work twice.
 *
 * @see RFC 9110, section 9.2.2, on idempotent methods
 */
export const isRepeatable = (method: ApiRequest['method']): boolean => method !== 'POST';

/** Returns true for the statuses of success. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The next step after an attempt, with the new history. */
export type Step =
	| { act: 'done' | 'fail' }
	/** The service asks for a longer wait than is begun: until this time, in ms since the epoch. */
	| { act: 'closed'; until: number }
	| { act: 'again'; history: History }
	| { act: 'wait'; ms: number; history: History };

/** Words of a conflict that passes. */
const TRY_AGAIN = /\btry\b.{0,30}\bagain\b|\bretry\b/i;

/** Returns true if a conflict asks to try again: something else was changing the same thing. */
function asksToTryAgain({ status, headers, body }: ApiResponse): boolean {
	if (status !== 409) return false;
	const { title, detail } = readProblem(status, body);
	return headers['retry-after'] !== undefined || TRY_AGAIN.test(`${title} ${detail}`);
}

/**
 * Decides what follows one attempt of a request.
 *
 * A request is sent again if that can help and can't do its work twice. A create (POST) is sent again only if the
 * service can't have received it, or has refused it with 429.
 *
 * @param history the attempts before this one
 * @param now ms since the epoch
 */
export function nextStep(
	outcome: ApiResponse | NetworkFailure,
	request: Pick<ApiRequest, 'method' | 'impatient' | 'once' | 'optional'>,
	history: History,
	now: number,
): Step {
	const { method, impatient } = request;
	const repeatable = isRepeatable(method);
	const mayTryAgain = !impatient && !request.once && history.faults + 1 < TRIES;
	const again = { act: 'again', history: { ...history, faults: history.faults + 1 } } as const;

	if (request.optional && isTimeOut(outcome)) return { act: 'fail' };
	if (outcome instanceof Error) {
		const isSafe = repeatable || !outcome.sent;
		return outcome.transient && isSafe && mayTryAgain ? again : { act: 'fail' };
	}
	const { status, headers } = outcome;
	if (isSuccess(status)) return { act: 'done' };
	const waitFor = (ms: number, then: History): Step => {
		const refusedMs = history.refusedMs + ms;
		if (refusedMs > (impatient ? IMPATIENT_WAIT_MS : MAX_WAIT_MS)) {
			return { act: 'closed', until: now + ms };
		}
		return { act: 'wait', ms, history: { ...then, refusedMs } };
	};
	if (isRateLimited(status, headers, repeatable)) {
		const refusals = history.refusals + 1;
		return waitFor(refusalWait(headers, now, refusals), { ...history, refusals });
	}
	const mayPass = isTransientStatus(status) || (method === 'PATCH' && asksToTryAgain(outcome));
	if (mayPass && repeatable && mayTryAgain) {
		const retryAfterMs = readRetryAfter(headers, now);
		return retryAfterMs === undefined ? again : waitFor(retryAfterMs, again.history);
	}
	return { act: 'fail' };
}
