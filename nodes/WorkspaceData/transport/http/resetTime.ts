/** When a rate window ends, more exactly than the whole seconds in which a service tells it. */
import { type Headers, type RateLimit, serverTime } from './rateLimit';

const SECOND_MS = 1_000;
/** Ends of windows by the service's clock that differ by less are the same: they are whole seconds. */
const SAME_MS = 500;
/** The service's clock was set back when it shows so much less than it should, in ms. */
const SET_BACK_MS = 5_000;

/** Learns from the answers to one key. */
export interface ResetTime {
	/** The time by the service's clock, in ms since the epoch; undefined where it was never told. */
	serviceNow(headers: Headers, now: number): number | undefined;
	/**
	 * When the window that an answer tells of ends, by the local clock; undefined where that is not told.
	 * Most services start a window with its first request. Where that was ours, the end is so many whole
	 * seconds after its answer; of the two numbers that agree with the told end the smaller one is tried
	 * first, and the larger one once that was too early.
	 */
	expect(told: RateLimit, now: number): number | undefined;
}

/** Creates what knows nothing yet. */
export function createResetTime(): ResetTime {
	/** The service's clock minus the local one, in ms: at least this much, as it is told rounded down. */
	let ahead = -Infinity;
	/** The window that answers told of last: its end by the service's clock, its start by the local one. */
	let current: { end: number; startedAt: number | undefined } | undefined;
	/** Length of a window, in ms. */
	let lengthMs: number | undefined;
	/** Whether the told end was once too early: it is not rounded up. */
	let isRoundedUp = true;

	/** The whole seconds that a window can have: the told end is rounded up, down, or to the nearest. */
	function possibleLengths(resetAt: number, startedAt: number): { least: number; most: number } {
		const most = Math.ceil((resetAt - startedAt) / SECOND_MS) * SECOND_MS;
		return { least: most - SECOND_MS, most };
	}

	return {
		serviceNow(headers, now) {
			const date = serverTime(headers);
			if (date !== undefined) {
				const behind = ahead - (date - now);
				ahead = behind > SET_BACK_MS ? date - now : Math.max(ahead, date - now);
			}
			return Number.isFinite(ahead) ? now + ahead : undefined;
		},
		expect({ limit, remaining, resetAt }, now) {
			if (resetAt === undefined) {
				// At its end by its own clock, the service still refuses.
				if (remaining === 0 && current?.startedAt !== undefined) isRoundedUp = false;
				current = undefined;
				return undefined;
			}
			const end = resetAt + (Number.isFinite(ahead) ? ahead : 0);
			if (current === undefined || Math.abs(current.end - end) >= SAME_MS) {
				const isFirst = limit !== undefined && remaining === limit - 1;
				current = { end, startedAt: isFirst ? now : undefined };
			}
			const { startedAt } = current;
			if (startedAt === undefined) return resetAt;
			const { least, most } = possibleLengths(resetAt, startedAt);
			if (least < SECOND_MS) return resetAt;
			// Asked at the expected end, the service still tells of this window: that was too early.
			if (lengthMs !== undefined && remaining === 0 && now >= startedAt + lengthMs) {
				lengthMs += SECOND_MS;
			}
			if (lengthMs === undefined || lengthMs < least || lengthMs > most + SECOND_MS)
				lengthMs = least;
			const expected = startedAt + lengthMs;
			// A window may have begun before its first request.
			return isRoundedUp ? Math.min(expected, resetAt) : expected;
		},
	};
}
