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
	onStartOf,
	onUnpublished,
	retireAll,
	withoutIds,
} from './retirement';
import type { SubscriptionEvent, Outcome, Search, Effect } from './events';
import {
	FIRST_RENEWAL_PAUSE_MS,
	isOwn,
	retire,
	savingFrom,
	type SubscriptionSet,
	type Trust,
	withGone,
} from './state';
import { onPassed, onProbed } from './dueWork';
import { isOutdated, isOverwritten, replacedBy, withStored } from './merge';
import { putOffUntil, renewLater, withPlausibleTimes } from './pauses';

/**
 * The longest that a new secret may take to be saved, in ms. A service that tries four times with growing
 * pauses needs longer to pause a subscription.
 */
const MAX_SAVED_IN_TIME_MS = 60_000;
/**
 * Most ends of earlier searches for missed records that are kept: less than 8 kB in n8n's database. After so
 * many starts without a completed search, the next one begins at the first of them.
 */
const MAX_SEARCHES = 500;
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

function onRefused(
	set: SubscriptionSet,
	{ isLost, jitter, now }: Extract<SubscriptionEvent, { type: 'refused' }>,
): SubscriptionSet {
	const lostAnswers = isLost ? { count: set.lostAnswers.count + 1, at: now } : set.lostAnswers;
	return renewLater({ ...set, lostAnswers }, jitter, now);
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
	// Strain is over: a service delivers nothing more for a subscription that it has paused.
	const seen: SubscriptionSet = { ...alive, seen: true, renewAt: undefined, strain: undefined };
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
	const tookMs = now - set.createdAt;
	const inTime = here || tookMs <= set.savedInTimeMs;
	if (!inTime) {
		// Where executions always wait that long, further renewals would be no faster.
		const savedInTimeMs = Math.min(Math.max(set.savedInTimeMs, 2 * tookMs), MAX_SAVED_IN_TIME_MS);
		return renewLater({ ...saved, trust: 'late', savedInTimeMs }, jitter, now);
	}
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

function onStarted(
	set: SubscriptionSet,
	{ address, stored, byPerson, overlapMs, now }: Extract<SubscriptionEvent, { type: 'started' }>,
): Outcome {
	const known = withStored({ ...set, address }, stored);
	const left = leftBehind(onStartOf(withPlausibleTimes(known, overlapMs, now), now), now);
	const { current } = left.set;
	// Whoever starts n8n again and again must not leave a subscription behind each time.
	const putOff = byPerson ? -Infinity : putOffUntil(left.set);
	const isPutOff = putOff > now;
	return {
		set: {
			...left.set,
			// Newer than what an earlier start may still have an execution save.
			current: current && { ...current, generation: Math.max(now + 1, current.generation) },
			renewAt: isPutOff ? putOff : undefined,
			saving: undefined,
			aliveAt: now,
		},
		effects: [...left.effects, ...(isPutOff ? [] : [{ type: 'create' } as const])],
	};
}

/** Numbers continue above those of a deleted one: by a clock that was put back, they would not. */
function onDeleted(set: SubscriptionSet, ids: readonly string[]): SubscriptionSet {
	const isCurrent = set.current !== undefined && ids.includes(set.current.id);
	const endedUpTo = Math.max(set.endedUpTo, isCurrent ? (set.current?.generation ?? 0) : 0);
	return { ...withGone(withoutIds(set, ids), ids), endedUpTo };
}

/** An answer was late: the service may have paused the subscription that is the current one. */
function onStrained(
	set: SubscriptionSet,
	{ id, now }: Extract<SubscriptionEvent, { type: 'strained' }>,
): SubscriptionSet {
	if (id !== set.current?.id) return set;
	return { ...set, strain: { since: set.strain?.since ?? now, at: now } };
}

/** The new state, and what to do. */
export function reduce(set: SubscriptionSet, event: SubscriptionEvent): Outcome {
	const only = (next: SubscriptionSet): Outcome => ({ set: next, effects: [] });
	switch (event.type) {
		case 'started':
			return onStarted(set, event);
		case 'read':
			return only(isBetter(event.stored, set) ? replacedBy(set, event.stored) : set);
		case 'created':
			return onCreated(set, event);
		case 'refused':
			return only(onRefused(set, event));
		case 'credentialChanged':
			return only({
				...set,
				renewAt: event.now,
				renewalPauseMs: FIRST_RENEWAL_PAUSE_MS,
				lostAnswers: { count: 0, at: event.now },
			});
		case 'strained':
			return only(onStrained(set, event));
		case 'conflicted': {
			const all = [...set.retired, ...(set.current ? [retire(set.current, 0)] : [])];
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
			return only(onDeleted(set, event.ids));
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
