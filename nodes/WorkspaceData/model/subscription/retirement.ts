/** When the replaced subscriptions of a trigger node end, and what becomes of deletions that fail. Times are ms since the epoch. */
import type { RetiredSubscription } from './stored';
import type { Outcome } from './eventsAndEffects';
import {
	EMPTY_SET,
	isOwn,
	MAX_LEFTOVERS,
	MAX_SUBSCRIPTIONS,
	retire,
	type SubscriptionSet,
	type Trust,
	withGone,
} from './state';
import { DAY_MS, FIRST_RENEWAL_PAUSE_MS, grown, MAX_PAUSE_MS, type Retry } from './retryPauses';

/** For how long a deletion is tried again, from its first failure: 7 days. */
export const KEEP_TRYING_MS = 7 * 24 * 3_600_000;
/** The pause before a deletion is tried again; doubles with each further failure. */
export const FIRST_RETRY_PAUSE_MS = 60_000;

/** Lets the replaced subscriptions end after the overlap, now that the current one is known to work. */
export function retireAll(set: SubscriptionSet, overlapMs: number, now: number): SubscriptionSet {
	const mayEnd = (one: RetiredSubscription) =>
		one.deleteAt === null &&
		isOwn(set, one) &&
		// The old address is known to work; the new one must be seen working first.
		(one.targetUrl === set.address || set.seen);
	return {
		...set,
		retired: set.retired.map((one) => (mayEnd(one) ? retire(one, now + overlapMs) : one)),
	};
}

/** Whether the current subscription is known to work. */
export const isTrusted = (trust: Trust): boolean => trust === 'here' || trust === 'elsewhere';

/** The current subscription is known to work: its predecessors may end. */
export const settled = (
	set: SubscriptionSet,
	trust: 'here' | 'elsewhere',
	overlapMs: number,
	now: number,
): SubscriptionSet =>
	retireAll(
		{ ...set, trust, renewAt: undefined, renewalPauseMs: FIRST_RENEWAL_PAUSE_MS },
		overlapMs,
		now,
	);

/** Of a long row of renewals, the oldest end at once, beginning with subscriptions that were never saved. */
export function bounded(set: SubscriptionSet, now: number): SubscriptionSet {
	const open = set.retired
		.filter((one) => one.deleteAt === null || one.deleteAt > now)
		.sort((a, b) => Number(a.wasSaved) - Number(b.wasSaved));
	const superfluous = new Set(open.slice(0, Math.max(0, open.length - (MAX_SUBSCRIPTIONS - 1))));
	return {
		...set,
		retired: set.retired.map((one) => (superfluous.has(one) ? retire(one, now) : one)),
	};
}

/** The subscriptions that are due to be deleted. */
export function dueDeletions(set: SubscriptionSet, now: number): RetiredSubscription[] {
	return set.retired.filter(
		(one) =>
			one.deleteAt !== null &&
			one.deleteAt <= now &&
			isOwn(set, one) &&
			(set.deletions.get(one.id)?.at ?? 0) <= now,
	);
}

/** The set when these are gone. */
export const withoutIds = (set: SubscriptionSet, ids: readonly string[]): SubscriptionSet => ({
	...set,
	current: set.current && ids.includes(set.current.id) ? undefined : set.current,
	retired: set.retired.filter(({ id }) => !ids.includes(id)),
	deletions: new Map([...set.deletions].filter(([id]) => !ids.includes(id))),
	leadHere: new Set([...set.leadHere].filter((id) => !ids.includes(id))),
});

/** Whether a replaced subscription waits for its deletion, or belongs to another address. */
const isLeftover = (set: SubscriptionSet, one: RetiredSubscription, now: number): boolean =>
	one.deleteAt === null ? !isOwn(set, one) : one.deleteAt <= now;

/** A deletion that is not tried again before the next start. */
const GIVEN_UP: Retry = { at: Infinity, pauseMs: MAX_PAUSE_MS };

/**
 * Gives up subscriptions: ones whose deletion failed since the start and for a week, until the next start;
 * ones of another address, and the oldest of too many, for good.
 */
export function leftBehind(set: SubscriptionSet, now: number): Outcome {
	const leftovers = set.retired.filter((one) => isLeftover(set, one, now));
	const tooMany = leftovers.slice(0, Math.max(0, leftovers.length - MAX_LEFTOVERS));
	const isLongOver = ({ giveUpAt }: RetiredSubscription) => giveUpAt !== null && giveUpAt <= now;
	const foreign = leftovers.filter((one) => one.deleteAt === null && isLongOver(one));
	const failed = leftovers.filter((one) => {
		const retry = set.deletions.get(one.id);
		return isLongOver(one) && retry !== undefined && retry.at !== Infinity;
	});
	const subscriptions = [...new Set([...tooMany, ...foreign, ...failed])];
	if (subscriptions.length === 0) return { set, effects: [] };
	const ids = [...new Set([...tooMany, ...foreign])].map(({ id }) => id);
	const rest = withGone(withoutIds(set, ids), ids);
	const deletions = new Map(rest.deletions);
	for (const { id } of failed) if (!ids.includes(id)) deletions.set(id, GIVEN_UP);
	return { set: { ...rest, deletions }, effects: [{ type: 'leaveBehind', subscriptions }] };
}

/**
 * n8n starts: each deletion is tried again before it is given up, and a subscription of another address gets
 * at least a day in which a delivery can show that it leads here.
 */
export function onStartOf(set: SubscriptionSet, now: number): SubscriptionSet {
	const retired = set.retired.map((one) => {
		if (isOwn(set, one)) return one;
		const giveUpAt = Math.max(one.giveUpAt ?? now + KEEP_TRYING_MS, now + DAY_MS);
		return { ...one, giveUpAt };
	});
	return { ...set, retired, deletions: new Map() };
}

/** A deletion that failed is tried again, after a pause that grows. */
export function onNotDeleted(
	set: SubscriptionSet,
	ids: readonly string[],
	now: number,
): SubscriptionSet {
	const deletions = new Map(set.deletions);
	for (const id of ids) {
		const pauseMs = deletions.get(id)?.pauseMs ?? FIRST_RETRY_PAUSE_MS;
		deletions.set(id, { at: now + pauseMs, pauseMs: grown(pauseMs) });
	}
	const retired = set.retired.map((one) =>
		ids.includes(one.id) ? { ...one, giveUpAt: one.giveUpAt ?? now + KEEP_TRYING_MS } : one,
	);
	return { ...set, retired, deletions };
}

/** The workflow is unpublished: all that deliver to this n8n end at once. */
export function onUnpublished(set: SubscriptionSet, now: number): Outcome {
	const all = [...set.retired, ...(set.current ? [retire(set.current, null)] : [])];
	const subscriptions = all.filter((one) => isOwn(set, one)).map((one) => retire(one, now));
	const foreign = all.filter((one) => !isOwn(set, one));
	const { address, leadHere } = set;
	return {
		set: {
			...EMPTY_SET,
			address,
			leadHere,
			lostAnswers: set.lostAnswers,
			retired: [...foreign, ...subscriptions],
			endedUpTo: Math.max(now, set.endedUpTo, ...all.map(({ generation }) => generation)),
		},
		effects: subscriptions.length > 0 ? [{ type: 'delete', subscriptions }] : [],
	};
}
