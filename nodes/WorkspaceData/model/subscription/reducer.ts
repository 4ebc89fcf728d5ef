/**
 * Decides about the subscriptions of a trigger node: a pure reducer. An event goes in; the new state
 * and the next tasks come out. It reads no clock: `now` comes with what happened, in ms since
 * the epoch by the local clock.
 */
import type { RetiredSubscription, StoredSubscriptions } from './stored';
import {
	isTrusted,
	leftBehind,
	onNotDeleted,
	onStartOf,
	onUnpublished,
	settled,
	withoutIds,
} from './retirement';
import type { SubscriptionEvent, Outcome } from './eventsAndEffects';
import { onCreated, onDelivered, onRefused, onStrained } from './serviceEvents';
import { FIRST_RENEWAL_PAUSE_MS } from './retryPauses';
import { retire, type SubscriptionSet, withGone } from './state';
import { onPassed, onProbed } from './dueWork';
import { isOutdated, isOverwritten, replacedBy, withStored } from './merge';
import { putOffUntil, renewLater } from './state';
import { withPlausibleTimes } from './plausibleTimes';

/**
 * The longest that a new secret may take to be saved, in ms. A service that tries four times with growing
 * pauses needs longer to pause a subscription.
 */
const MAX_SAVED_IN_TIME_MS = 60_000;

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
	const { current } = set;
	const ended = current && ids.includes(current.id) ? current.generation : 0;
	const endedUpTo = Math.max(set.endedUpTo, ended);
	return { ...withGone(withoutIds(set, ids), ids), endedUpTo };
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
				needsSealing: set.current !== undefined,
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
