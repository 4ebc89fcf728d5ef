/** When the replaced subscriptions of a trigger node end, and what becomes of deletions that fail. Times are ms since the epoch. */
import type { RetiredSubscription } from './stored';
import type { Outcome } from './events';
import {
	EMPTY_SET,
	FIRST_RETRY_PAUSE_MS,
	grown,
	isOwn,
	MAX_SUBSCRIPTIONS,
	retire,
	type SubscriptionSet,
	withGone,
} from './state';

/** Lets the replaced subscriptions end after the overlap, now that the current one is known to work. */
export function retireAll(set: SubscriptionSet, overlapMs: number, now: number): SubscriptionSet {
	const mayEnd = (one: RetiredSubscription) =>
		one.deleteAt === null &&
		isOwn(set, one) &&
		// The old address is known to work; the new one must be seen working first.
		(one.targetUrl === set.address || set.seen);
	return {
		...set,
		retired: set.retired.map((one) => (mayEnd(one) ? retire(one, now + overlapMs, now) : one)),
	};
}

/** Of a long row of renewals, the oldest end at once, beginning with subscriptions that were never saved. */
export function bounded(set: SubscriptionSet, now: number): SubscriptionSet {
	const open = set.retired
		.filter((one) => one.deleteAt === null || one.deleteAt > now)
		.sort((a, b) => Number(a.wasSaved) - Number(b.wasSaved));
	const superfluous = new Set(open.slice(0, Math.max(0, open.length - (MAX_SUBSCRIPTIONS - 1))));
	return {
		...set,
		retired: set.retired.map((one) => (superfluous.has(one) ? retire(one, now, now) : one)),
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

/** Gives up subscriptions that could not be deleted for a week, or were foreign that long. */
export function leftBehind(set: SubscriptionSet, now: number): Outcome {
	const isOver = (one: RetiredSubscription) =>
		one.giveUpAt <= now && (one.deleteAt === null ? !isOwn(set, one) : one.deleteAt <= now);
	const subscriptions = set.retired.filter(isOver);
	if (subscriptions.length === 0) return { set, effects: [] };
	const ids = subscriptions.map(({ id }) => id);
	return {
		set: withGone(withoutIds(set, ids), ids),
		effects: [{ type: 'leaveBehind', subscriptions }],
	};
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
	return { ...set, deletions };
}

/** The workflow is unpublished: all that deliver to this n8n end at once. */
export function onUnpublished(set: SubscriptionSet, now: number): Outcome {
	const all = [...set.retired, ...(set.current ? [retire(set.current, null, now)] : [])];
	const subscriptions = all.filter((one) => isOwn(set, one)).map((one) => retire(one, now, now));
	const foreign = all.filter((one) => !isOwn(set, one));
	const { address, leadHere } = set;
	return {
		set: {
			...EMPTY_SET,
			address,
			leadHere,
			retired: [...foreign, ...subscriptions],
			endedUpTo: Math.max(now, set.endedUpTo, ...all.map(({ generation }) => generation)),
		},
		effects: subscriptions.length > 0 ? [{ type: 'delete', subscriptions }] : [],
	};
}
