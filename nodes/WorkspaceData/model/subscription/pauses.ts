/** When to try again what failed, also by a clock that is put right meanwhile. Times are ms since the epoch. */
import type { RetiredSubscription } from './stored';
import { grown, KEEP_TRYING_MS, MAX_PAUSE_MS, type SubscriptionSet } from './state';

/**
 * Most answers to requests for a subscription that may be lost one after the other: each may have left one at
 * the service. After that the node tries once a day.
 */
export const MAX_LOST_ANSWERS = 5;
export const DAY_MS = 24 * 3_600_000;
/** Pauses are spread by a tenth. */
const MAX_JITTER = 1.1;

/** A renewal that did not lead to a subscription that is known to work is tried again. */
export const renewLater = (set: SubscriptionSet, jitter: number, now: number): SubscriptionSet => ({
	...set,
	renewAt: Math.max(now + set.renewalPauseMs * jitter, putOffUntil(set)),
	renewalPauseMs: grown(set.renewalPauseMs),
});

/** Until when no further subscription is asked for, because too many answers were lost. */
export const putOffUntil = ({ lostAnswers: { count, at } }: SubscriptionSet): number =>
	count >= MAX_LOST_ANSWERS ? at + DAY_MS : -Infinity;

/** The set after a clock was put back: nothing is due later than its longest pause from now. */
export function withPlausibleTimes(
	set: SubscriptionSet,
	overlapMs: number,
	now: number,
): SubscriptionSet {
	const atMost = <T extends number | null | undefined>(time: T, ms: number) =>
		typeof time === 'number' && time !== Infinity ? (Math.min(time, now + ms) as T) : time;
	const plausible = (one: RetiredSubscription): RetiredSubscription => {
		const deleteAt = atMost(one.deleteAt, overlapMs);
		const giveUpAt = atMost(one.giveUpAt, KEEP_TRYING_MS);
		return deleteAt === one.deleteAt && giveUpAt === one.giveUpAt
			? one
			: { ...one, deleteAt, giveUpAt };
	};
	const { strain, saving, strainRenewal, lostAnswers } = set;
	return {
		...set,
		retired: set.retired.map(plausible),
		createdAt: atMost(set.createdAt, 0),
		aliveAt: atMost(set.aliveAt, 0),
		renewAt: atMost(
			set.renewAt,
			(set.renewAt ?? 0) === putOffUntil(set) ? DAY_MS : MAX_PAUSE_MS * MAX_JITTER,
		),
		saving: saving && { ...saving, at: atMost(saving.at, MAX_PAUSE_MS) },
		strain: strain && { since: atMost(strain.since, 0), at: atMost(strain.at, 0) },
		strainRenewal: { ...strainRenewal, at: atMost(strainRenewal.at, MAX_PAUSE_MS) },
		lostAnswers: { ...lostAnswers, at: atMost(lostAnswers.at, 0) },
		deletions: new Map(
			[...set.deletions].map(([id, retry]) => [
				id,
				{ ...retry, at: atMost(retry.at, MAX_PAUSE_MS) },
			]),
		),
	};
}
