/** Decides for the execution that saves the subscriptions of a trigger node; it reads the saved ones back first. */
import type { RetiredSubscription, StoredSubscriptions } from './stored';
import { isOverwritten, stored, withStored } from './merge';
import { EMPTY_SET, type SubscriptionSet } from './state';

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
