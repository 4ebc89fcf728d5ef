/** Times that a clock which was put right meanwhile makes implausible. Times are ms since the epoch. */
import type { RetiredSubscription } from './stored';
import { KEEP_TRYING_MS } from './retirement';
import { DAY_MS, MAX_JITTER, MAX_PAUSE_MS } from './retryPauses';
import { putOffUntil, type SubscriptionSet } from './state';

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
