/** Brings together what a process remembers of a node's subscriptions and what is saved. Times are ms since the epoch. */
import type { RetiredSubscription, StoredSubscriptions, Subscription } from './stored';
import { EMPTY_SET, MAX_SUBSCRIPTIONS, retire, type SubscriptionSet } from './state';

/** Whether `a` was made after `b`. */
const isNewer = (a: Subscription, b: Subscription): boolean =>
	a.generation !== b.generation ? a.generation > b.generation : a.since > b.since;

/** The part of a set that n8n saves. */
export const stored = (set: SubscriptionSet): StoredSubscriptions => ({
	current: set.current,
	retired: [...set.retired],
	missed: set.missed,
	endedUpTo: set.endedUpTo,
	gone: set.gone,
	lostAnswers: set.lostAnswers,
});

/** Whether a newer subscription is saved than this process knows. */
export const isOutdated = (set: SubscriptionSet, { current }: StoredSubscriptions): boolean =>
	current !== undefined && (!set.current || isNewer(current, set.current));

/** Whether this process knows a newer subscription than is saved: an old copy was written back. */
export const isOverwritten = (
	set: SubscriptionSet,
	{ current, endedUpTo }: StoredSubscriptions,
): boolean =>
	set.current !== undefined &&
	set.current.generation > endedUpTo &&
	(!current || isNewer(set.current, current));

/** The set as another process saved it. */
export const replacedBy = (
	{ address, leadHere }: SubscriptionSet,
	saved: StoredSubscriptions,
): SubscriptionSet => ({ ...EMPTY_SET, ...saved, address, leadHere, trust: 'here' });

/** The set with what is saved: both together, none twice. The newest is current. */
export function withStored(set: SubscriptionSet, saved: StoredSubscriptions): SubscriptionSet {
	const { current, retired, missed, endedUpTo } = saved;
	const isBehind = isOutdated(set, saved);
	const newest = isBehind ? current : set.current;
	// Not of both: a service may give an id again.
	const gone = isBehind ? saved.gone : set.gone;
	const others = new Map<string, RetiredSubscription>();
	const add = (one: Subscription | RetiredSubscription) => {
		if (one.id === newest?.id || others.has(one.id) || gone.includes(one.id)) return;
		others.set(one.id, 'deleteAt' in one ? one : retire(one, null));
	};
	// The knowledge of this process about a subscription counts more than the saved state.
	for (const one of set.retired) add(one);
	for (const one of retired) add(one);
	for (const one of [current, set.current]) if (one) add(one);
	return {
		...set,
		current: newest,
		retired: [...others.values()].sort((a, b) => (isNewer(a, b) ? 1 : -1)),
		missed: isBehind || !set.missed ? missed : set.missed,
		endedUpTo: Math.max(set.endedUpTo, endedUpTo),
		gone,
		lostAnswers: set.lostAnswers.at >= saved.lostAnswers.at ? set.lostAnswers : saved.lostAnswers,
		// Saved by whoever made it.
		...(isBehind && { trust: 'here', saving: undefined, seen: false, renewAt: undefined }),
	};
}

/** The subscriptions whose deliveries count, newest first; never more than {@link MAX_SUBSCRIPTIONS}. */
export function accepted(
	{ current, retired }: Pick<SubscriptionSet, 'current' | 'retired'>,
	now: number,
): Subscription[] {
	const valid = retired.filter(({ deleteAt }) => deleteAt === null || deleteAt > now);
	return [...(current ? [current] : []), ...valid.reverse()].slice(0, MAX_SUBSCRIPTIONS);
}
