/** Decides about a trigger node's subscriptions when time has passed. Times are ms since the epoch. */
import type { RetiredSubscription } from './stored';
import { dueDeletions, leftBehind } from './retirement';
import type { SubscriptionEvent, Outcome, Effect } from './eventsAndEffects';
import { renewLater } from './state';
import { withPlausibleTimes } from './plausibleTimes';
import {
	FIRST_RENEWAL_PAUSE_MS,
	FIRST_STRAIN_PAUSE_MS,
	grown,
	MAX_PAUSE_MS,
	savingFrom,
} from './retryPauses';
import { isOwn, type SubscriptionSet } from './state';

/** How long after the last sign of strain to renew, in ms: the service may still be trying again. */
const CALM_MS = 60_000;
/** How long after the first sign of strain to renew at the latest, in ms: all in all within ten minutes. */
const MAX_STRAIN_MS = 540_000;

/** Whether another process saved the current subscription: what it saved may have been overwritten since. */
const wasSavedElsewhere = ({ trust }: SubscriptionSet): boolean =>
	trust === 'elsewhere' || trust === 'late';

/** Has the set saved. */
function saving(
	set: SubscriptionSet,
	deletes: RetiredSubscription[],
	now: number,
	pauseMs?: number,
): Outcome {
	return {
		set: { ...set, saving: savingFrom(now, pauseMs) },
		effects: [{ type: 'save', deletes, isSettled: set.trust === 'elsewhere' }],
	};
}

/** Ends the subscriptions that are due, as soon as it is sure that their successor is saved. */
function endDue(set: SubscriptionSet, now: number): Outcome {
	const { current, retired, gone } = set;
	const due = dueDeletions(set, now);
	const readsBack = due.length > 0 && wasSavedElsewhere(set);
	if (set.saving) {
		if (set.saving.at <= now) return saving(set, readsBack ? due : [], now, set.saving.pauseMs);
		if (readsBack) return { set, effects: [] };
	}
	if (readsBack) {
		// Where a deletion has failed before, an execution also saves that the subscription has ended.
		const hasFailed = due.some(({ id }) => set.deletions.has(id));
		if (hasFailed || !current) return saving(set, due, now);
		const known = [...retired.map(({ id }) => id), ...gone];
		return { set, effects: [{ type: 'probe', subscription: current, known }] };
	}
	// Before the current one is saved, what is saved is needed.
	const direct = set.trust === 'no' ? due.filter(({ wasSaved }) => !wasSaved) : due;
	return { set, effects: direct.length > 0 ? [{ type: 'delete', subscriptions: direct }] : [] };
}

/** Whether strain makes a renewal due: a minute after its last sign, and nine minutes after its first. */
const isStrained = ({ strain, strainRenewal }: SubscriptionSet, now: number): boolean =>
	strain !== undefined &&
	now >= Math.min(strain.at + CALM_MS, strain.since + MAX_STRAIN_MS) &&
	now >= strainRenewal.at;

/** Renews for strain: what could not be delivered comes by the new subscription, or is searched for. */
const withStrainRenewal = (set: SubscriptionSet, now: number): SubscriptionSet => {
	const { at, pauseMs } = set.strainRenewal;
	const isNew = now - at > MAX_PAUSE_MS;
	const pause = isNew ? FIRST_STRAIN_PAUSE_MS : pauseMs;
	return {
		...set,
		renewAt: now,
		strain: undefined,
		strainRenewal: { at: now + pause, pauseMs: grown(pause) },
	};
};

/** Nothing but time passed: renews after silence or strain, and ends what is due. */
export function onPassed(
	before: SubscriptionSet,
	{ silenceMs, overlapMs, now }: Extract<SubscriptionEvent, { type: 'passed' }>,
): Outcome {
	const clamped = withPlausibleTimes(before, overlapMs, now);
	const isSilent = clamped.current !== undefined && now - clamped.aliveAt >= silenceMs;
	const set =
		clamped.renewAt === undefined && isStrained(clamped, now)
			? withStrainRenewal(clamped, now)
			: clamped;
	const renewAt = set.renewAt ?? (isSilent ? now : undefined);
	const renewal: Effect[] = (renewAt ?? Infinity) <= now ? [{ type: 'create' }] : [];
	const left = leftBehind({ ...set, renewAt }, now);
	const ended = endDue(left.set, now);
	return { set: ended.set, effects: [...renewal, ...left.effects, ...ended.effects] };
}

/** A probe was answered, before the subscriptions that are due are deleted. */
export function onProbed(
	set: SubscriptionSet,
	{ generation, answer, jitter, now }: Extract<SubscriptionEvent, { type: 'probed' }>,
): Outcome {
	const due = dueDeletions(set, now);
	const isOfNow = generation === set.current?.generation && wasSavedElsewhere(set) && !set.saving;
	if (!isOfNow || due.length === 0) return { set, effects: [] };
	if (answer === 'refused') {
		// The service may have paused the new one for the refusals meanwhile: the old ones are needed.
		const retired = set.retired.map((one) => (isOwn(set, one) ? { ...one, deleteAt: null } : one));
		const late = renewLater({ ...set, retired, trust: 'late' }, jitter, now);
		return saving(late, [], now);
	}
	// Still saved when the overlap is over. Of a long row of renewals, some end before that.
	const isStillOpen = (one: RetiredSubscription) =>
		isOwn(set, one) && (one.deleteAt === null || one.deleteAt > now);
	const next = set.retired.some(isStillOpen)
		? set
		: { ...set, renewalPauseMs: FIRST_RENEWAL_PAUSE_MS };
	if (answer === 'confirmed')
		return { set: next, effects: [{ type: 'delete', subscriptions: due }] };
	return saving(next, due, now);
}
