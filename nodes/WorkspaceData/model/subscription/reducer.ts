/**
 * Decides about the subscriptions of a trigger node: a pure reducer. An event goes in; the new state
 * and the next tasks come out. It reads no clock: `now` comes with what happened, in ms since
 * the epoch by the local clock.
 */
import type { MissedTime, RetiredSubscription, StoredSubscriptions, Subscription } from './stored';
import {
	bounded,
	dueDeletions,
	leftBehind,
	onNotDeleted,
	onUnpublished,
	retireAll,
	withoutIds,
} from './retirement';
import type { SubscriptionEvent, Outcome, Search, Effect } from './events';
import {
	FIRST_RENEWAL_PAUSE_MS,
	isOutdated,
	isOverwritten,
	isOwn,
	replacedBy,
	retire,
	savingFrom,
	type SubscriptionSet,
	type Trust,
	withGone,
	withStored,
} from './state';
import { onPassed, onProbed, renewLater } from './dueWork';

/**
 * How late a new secret may be saved by another process, in ms: deliveries that are refused until then can
 * pause the subscription. The interface does not say how soon.
 */
export const SAVED_IN_TIME_MS = 5_000;
/** Most ends of earlier searches for missed records that are kept. */
const MAX_SEARCHES = 20;
/** A new subscription may miss what was created in the moment in which it was made. */
const SEARCH_MARGIN_MS = 2_000;

/** Whether the current subscription is known to work. */
const isTrusted = (trust: Trust): boolean => trust === 'here' || trust === 'elsewhere';

/** The current subscription is known to work: its predecessors may end. */
const settled = (
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

/** The time in which records may have been missed before the new subscription, and its bookkeeping. */
function searchBefore(
	{ missed }: SubscriptionSet,
	{ since, cardId }: Subscription,
): { missed: MissedTime; search: Search | undefined } {
	if (missed?.cardId !== cardId) {
		return { missed: { cardId, from: since, upTo: [] }, search: undefined };
	}
	const upTo = since + SEARCH_MARGIN_MS;
	return {
		missed: { ...missed, upTo: [...missed.upTo, upTo].slice(-MAX_SEARCHES) },
		search: { from: missed.from, earlier: missed.upTo, upTo },
	};
}

function onCreated(
	set: SubscriptionSet,
	{ subscription, savedByHook, overlapMs, now }: Extract<SubscriptionEvent, { type: 'created' }>,
): Outcome {
	const known = [...set.retired, ...(set.current ? [set.current] : [])];
	// Higher than any before, including numbers that only other processes still remember.
	const ended = set.endedUpTo + 1;
	const generation = Math.max(now, ended, ...known.map((one) => one.generation + 1));
	const next: Subscription = { ...subscription, generation };
	const { missed, search } = searchBefore(set, next);
	const replaced = [
		...set.retired,
		...(set.current ? [retire(set.current, null, now, set.trust !== 'no')] : []),
	].filter(({ id }) => id !== next.id);
	const created: SubscriptionSet = {
		...set,
		current: next,
		retired: replaced,
		trust: savedByHook ? 'here' : 'no',
		createdAt: now,
		aliveAt: now,
		seen: false,
		renewAt: undefined,
		saving: savedByHook ? undefined : savingFrom(now),
		missed,
		gone: set.gone.filter((id) => id !== next.id),
	};
	const kept = bounded(savedByHook ? settled(created, 'here', overlapMs, now) : created, now);
	const effects: Effect[] = search ? [{ type: 'search', search }] : [];
	if (!savedByHook) effects.push({ type: 'save', deletes: [], isSettled: false });
	// n8n waits for its hooks, so what is due is deleted at once; otherwise when time has passed.
	const due = savedByHook ? dueDeletions(kept, now) : [];
	if (due.length > 0) effects.push({ type: 'delete', subscriptions: due });
	return { set: kept, effects };
}

function onDelivered(
	set: SubscriptionSet,
	{ id, overlapMs, now }: Extract<SubscriptionEvent, { type: 'delivered' }>,
): SubscriptionSet {
	const signer = [...set.retired, ...(set.current ? [set.current] : [])].find(
		(one) => one.id === id,
	);
	if (!signer) return set;
	const leadHere = isOwn(set, signer) ? set.leadHere : new Set([...set.leadHere, id]);
	const known: SubscriptionSet = { ...set, leadHere };
	const isSettled = known.seen && isTrusted(known.trust);
	if (id !== set.current?.id) return isSettled ? retireAll(known, overlapMs, now) : known;
	const alive: SubscriptionSet = { ...known, aliveAt: now };
	// A delivery through another address says nothing about this one.
	if (signer.targetUrl !== set.address) return alive;
	const seen: SubscriptionSet = { ...alive, seen: true, renewAt: undefined };
	if (set.trust === 'no') return seen;
	return settled(seen, set.trust === 'here' ? 'here' : 'elsewhere', overlapMs, now);
}

function onSaved(
	set: SubscriptionSet,
	{
		generation,
		here,
		deleted,
		overlapMs,
		jitter,
		now,
	}: Extract<SubscriptionEvent, { type: 'saved' }>,
): SubscriptionSet {
	if (generation !== set.current?.generation) {
		const isIt = (one: RetiredSubscription) => one.generation === generation;
		// Until the current one is known to work, the latest that was saved is needed.
		const asSaved = (one: RetiredSubscription): RetiredSubscription => ({
			...one,
			wasSaved: true,
			deleteAt: isTrusted(set.trust) ? one.deleteAt : null,
		});
		return { ...set, retired: set.retired.map((one) => (isIt(one) ? asSaved(one) : one)) };
	}
	const rest = withoutIds(set, deleted);
	const saved: SubscriptionSet = { ...rest, saving: undefined };
	if (set.trust !== 'no') return saved;
	const inTime = here || now - set.createdAt <= SAVED_IN_TIME_MS;
	if (!inTime) return renewLater({ ...saved, trust: 'late' }, jitter, now);
	if (here) return settled(saved, 'here', overlapMs, now);
	// The pause is short again only if it is still saved after the overlap: where others write over it again
	// and again, renewals must not follow each other at once.
	const { renewalPauseMs } = saved;
	return { ...settled(saved, 'elsewhere', overlapMs, now), renewalPauseMs };
}

/**
 * Whether a process should go by what is saved: where that is newer, and where it only visits the node
 * unless an old copy was written back.
 */
const isBetter = (saved: StoredSubscriptions, set: SubscriptionSet): boolean =>
	isOutdated(set, saved) || (set.address === undefined && !isOverwritten(set, saved));

/** The new state, and what to do. */
export function reduce(set: SubscriptionSet, event: SubscriptionEvent): Outcome {
	const only = (next: SubscriptionSet): Outcome => ({ set: next, effects: [] });
	switch (event.type) {
		case 'started': {
			const known = withStored({ ...set, address: event.address }, event.stored, event.now);
			const left = leftBehind(known, event.now);
			return {
				set: {
					...left.set,
					// Newer than what an earlier start may still have an execution save.
					current: left.set.current && {
						...left.set.current,
						generation: Math.max(event.now + 1, left.set.current.generation),
					},
					renewAt: undefined,
					saving: undefined,
					aliveAt: event.now,
				},
				effects: [...left.effects, { type: 'create' }],
			};
		}
		case 'read':
			return only(isBetter(event.stored, set) ? replacedBy(set, event.stored) : set);
		case 'created':
			return onCreated(set, event);
		case 'refused':
			return only(renewLater(set, event.jitter, event.now));
		case 'conflicted': {
			const all = [...set.retired, ...(set.current ? [retire(set.current, 0, 0)] : [])];
			const subscriptions = all.filter(({ targetUrl }) => targetUrl === set.address);
			return { set, effects: subscriptions.length > 0 ? [{ type: 'delete', subscriptions }] : [] };
		}
		case 'delivered':
			return only(onDelivered(set, event));
		case 'saved':
			return only(onSaved(set, event));
		case 'notSaved':
			return only({
				...set,
				saving: set.saving && { ...set.saving, at: event.now + set.saving.pauseMs },
			});
		case 'deleted':
			return only(withGone(withoutIds(set, event.ids), event.ids));
		case 'notDeleted':
			return only(onNotDeleted(set, event.ids, event.now));
		case 'probed':
			return onProbed(set, event);
		case 'unpublished':
			return onUnpublished(set, event.now);
		case 'passed':
			return onPassed(set, event);
		default:
			return event satisfies never;
	}
}
