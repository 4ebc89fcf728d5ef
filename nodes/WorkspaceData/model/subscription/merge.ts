/** Brings together what a process remembers of a node's subscriptions and what is saved. Times are ms since the epoch. */
import { isSigned } from '../signature';
import type { RetiredSubscription, StoredSubscriptions, Subscription } from './stored';
import { EMPTY_SET, MAX_SUBSCRIPTIONS, retire, type SubscriptionSet } from './state';

/** Whether `a` was made after `b`. */
const isNewer = (a: Subscription, b: Subscription): boolean =>
	(a.generation - b.generation || a.since - b.since) > 0;

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

/**
 * Decides for an execution that is to save a set and delete subscriptions. They are deleted only where
 * their successor is found saved; otherwise they are still needed.
 *
 * @param ours the set as the trigger knew it
 * @param saved the saved set, as the execution finds it
 * @returns the subscriptions to delete, and the set to save
 */
export function readBack(
	ours: StoredSubscriptions,
	saved: StoredSubscriptions,
	{ deletes, isSettled }: { deletes: readonly string[]; isSettled: boolean },
	now: number,
): { toDelete: RetiredSubscription[]; toSave: StoredSubscriptions } {
	const known: SubscriptionSet = { ...EMPTY_SET, ...ours };
	const { current, retired, ...rest } = stored(withStored(known, saved));
	const isNamed = (one: RetiredSubscription) => deletes.includes(one.id);
	if (isOverwritten(known, saved)) {
		const kept = retired.map((one) => (isNamed(one) ? { ...one, deleteAt: null } : one));
		return { toDelete: [], toSave: { current, retired: kept, ...rest } };
	}
	// A newer one was saved meanwhile: this job is of the past.
	if (current?.id !== ours.current?.id) return { toDelete: [], toSave: saved };
	const isOlder = (one: RetiredSubscription) => isSettled && one.targetUrl === current?.targetUrl;
	const isOver = (one: RetiredSubscription) => isNamed(one) || isOlder(one);
	const toDelete = deletes.length > 0 ? retired.filter(isOver) : [];
	const marked = retired.map((one) => (toDelete.includes(one) ? { ...one, deleteAt: now } : one));
	return { toDelete, toSave: { current, retired: marked, ...rest } };
}

/**
 * The subscription whose secret signed a body. All are tried, so that it takes the same time whichever it is.
 *
 * @param signature the header of the delivery
 * @see service interface, part 6, "Signature"
 */
export function signerOf(
	body: Uint8Array,
	signature: unknown,
	subscriptions: readonly Subscription[],
): Subscription | undefined {
	return subscriptions.filter(({ secret }) => isSigned(body, signature, [secret]))[0];
}
