/** Decides about a trigger node's subscriptions when the service has answered or delivered. Times are ms since the epoch. */
import type { Effect, Outcome, Search, SubscriptionEvent } from './eventsAndEffects';
import { renewLater } from './state';
import { bounded, dueDeletions, isTrusted, retireAll, settled } from './retirement';
import { isOwn, retire, type SubscriptionSet } from './state';
import { savingFrom } from './retryPauses';
import type { MissedTime, Subscription } from './stored';

/**
 * Most ends of earlier searches for missed records that are kept: less than 8 kB in n8n's database. After so
 * many starts without a completed search, the next one begins at the first of them.
 */
const MAX_SEARCHES = 500;
/** A new subscription may miss what was created in the moment in which it was made. */
const SEARCH_MARGIN_MS = 2_000;

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

const subscriptionsOf = ({ retired, current }: SubscriptionSet): Subscription[] => [
	...retired,
	...(current ? [current] : []),
];

export function onCreated(
	set: SubscriptionSet,
	{ subscription, savedByHook, overlapMs, now }: Extract<SubscriptionEvent, { type: 'created' }>,
): Outcome {
	const known = subscriptionsOf(set);
	// Higher than any before, including numbers that only other processes still remember.
	const ended = set.endedUpTo + 1;
	const generation = Math.max(now, ended, ...known.map((one) => one.generation + 1));
	const next: Subscription = { ...subscription, generation };
	const { missed, search } = searchBefore(set, next);
	const replaced = [
		...set.retired,
		...(set.current ? [retire(set.current, null, set.trust !== 'no')] : []),
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
		needsSealing: false,
		missed,
		strain: undefined,
		gone: set.gone.filter((id) => id !== next.id),
		lostAnswers: { count: 0, at: now },
	};
	const kept = bounded(savedByHook ? settled(created, 'here', overlapMs, now) : created, now);
	const effects: Effect[] = search ? [{ type: 'search', search }] : [];
	if (!savedByHook) effects.push({ type: 'save', deletes: [], isSettled: false });
	// n8n waits for its hooks, so what is due is deleted at once; otherwise when time has passed.
	const due = savedByHook ? dueDeletions(kept, now) : [];
	if (due.length > 0) effects.push({ type: 'delete', subscriptions: due });
	return { set: kept, effects };
}

export function onRefused(
	set: SubscriptionSet,
	{ isLost, jitter, now }: Extract<SubscriptionEvent, { type: 'refused' }>,
): SubscriptionSet {
	const lostAnswers = isLost ? { count: set.lostAnswers.count + 1, at: now } : set.lostAnswers;
	const refused = renewLater({ ...set, lostAnswers }, jitter, now);
	if (!set.needsSealing) return refused;
	// What is saved can be read with the new credential only once it is saved again, also without a new subscription.
	return { ...refused, needsSealing: false, saving: { ...savingFrom(now), at: now } };
}

export function onDelivered(
	set: SubscriptionSet,
	{ id, overlapMs, now }: Extract<SubscriptionEvent, { type: 'delivered' }>,
): SubscriptionSet {
	const signer = subscriptionsOf(set).find((one) => one.id === id);
	if (!signer) return set;
	const leadHere = isOwn(set, signer) ? set.leadHere : new Set([...set.leadHere, id]);
	const known: SubscriptionSet = { ...set, leadHere };
	const isSettled = known.seen && isTrusted(known.trust);
	if (id !== set.current?.id) return isSettled ? retireAll(known, overlapMs, now) : known;
	const alive: SubscriptionSet = { ...known, aliveAt: now };
	// A delivery through another address says nothing about this one.
	if (signer.targetUrl !== set.address) return alive;
	// Strain is over: a service delivers nothing more for a subscription that it has paused.
	const seen: SubscriptionSet = { ...alive, seen: true, renewAt: undefined, strain: undefined };
	if (set.trust === 'no') return seen;
	return settled(seen, set.trust === 'here' ? 'here' : 'elsewhere', overlapMs, now);
}

/** An answer was late: the service may have paused the subscription that is the current one. */
export function onStrained(
	set: SubscriptionSet,
	{ id, now }: Extract<SubscriptionEvent, { type: 'strained' }>,
): SubscriptionSet {
	if (id !== set.current?.id) return set;
	return { ...set, strain: { since: set.strain?.since ?? now, at: now } };
}
