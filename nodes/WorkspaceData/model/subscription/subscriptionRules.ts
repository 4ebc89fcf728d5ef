/**
 * The rules about the subscriptions of a trigger node (ADR 25). Each exported `on…` takes the state and what
 * happened, and returns the new state; the other functions tell what is due. They read no clock: `now` is given.
 * Times are ms since the epoch by the local clock.
 */
import {
	MAX_PREVIOUS,
	newer,
	NOTHING_SAVED,
	type Previous,
	type Saved,
	type Subscription,
	subscriptionsIn,
} from './saved';

/** The first pause between the tries of a task, in ms, and the longest. */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long a failing deletion is tried, in ms. */
const DAY_MS = 24 * HOUR_MS;
/** How often n8n's own address is asked while nobody or another n8n responds, in ms. */
const ASK_PAUSE_MS = 10 * MINUTE_MS;
/** Time for a doubtful subscription to deliver again, as the service may still retry. In ms. */
const DOUBT_MS = 9 * MINUTE_MS;
/**
 * How late n8n may respond to a delivery, in ms, before the service may count it as failed. The interface doesn't say when
 * a service stops waiting.
 */
export const RESPONSE_IN_TIME_MS = 5_000;
/** If a new secret is saved later than this, other processes may have refused deliveries for too long. In ms. */
const SAVED_IN_TIME_MS = 5_000;
/** If executions always take that long, further renewals wouldn't be saved sooner: at most two in a row. */
const MAX_LATE = 3;
/** Max previous subscriptions that wait for their deletion, so that n8n saves less than 20 kB for a node. */
const MAX_WAITING = 20;
/** How late deliveries of a removed subscription may arrive, in ms. */
const LATE_MS = 15 * MINUTE_MS;
/** A new subscription may miss records that were created at the same moment. In ms. */
const SEARCH_MARGIN_MS = 2_000;
/** Delay before a search, in ms, so that deliveries of that time arrive first. */
const SEARCH_DELAY_MS = 5_000;

/** What n8n's own webhook address says about what was saved last. `none`: nobody responded. */
export type ProbeResult = 'yes' | 'no' | 'none';

/** A task to do: when, and since when it has failed, if it has. */
export interface Retry {
	at: number;
	since?: number;
}

export interface SubscriptionState {
	/** Where this n8n receives deliveries; undefined in a process that didn't start the node. */
	address: string | undefined;
	/** How long a replaced subscription counts, in ms. */
	overlapMs: number;
	saved: Saved;
	/** IDs of the subscriptions, and marks, that this process made. */
	made: ReadonlySet<string>;
	/** True if the current subscription has delivered here: no other n8n has its secret. */
	hasDelivered: boolean;
	/**
	 * Who responded at n8n's own address since the last creation, and when to ask again: this n8n, with what was saved
	 * last (`yes`) or without it (`lost`), another n8n, or nobody.
	 */
	answer: { said: 'yes' | 'lost' | 'other' | 'none'; askAt: number } | undefined;
	/** When the current subscription last showed that it works. */
	aliveAt: number;
	/** When to create a new one. `isNeeded`: also if the current one delivers. */
	renewal: (Retry & { isNeeded: boolean }) | undefined;
	/** When to have n8n save, and since when something isn't saved; undefined if everything is. */
	saving: Required<Retry> | undefined;
	/** When to search for missed records. `isWhole`: no earlier search of this time has failed. */
	search: (Retry & Pick<Search, 'isWhole'>) | undefined;
	/** Deletions that failed, by subscription. */
	deletions: ReadonlyMap<string, Required<Retry>>;
}

export const INITIAL: SubscriptionState = {
	address: undefined,
	overlapMs: LATE_MS,
	saved: NOTHING_SAVED,
	made: new Set(),
	hasDelivered: false,
	answer: undefined,
	aliveAt: 0,
	renewal: undefined,
	saving: undefined,
	search: undefined,
	deletions: new Map(),
};

/** Something that happened `now`. Returns the new state. */
export type Change<Given = object> = (
	state: SubscriptionState,
	given: Given & { now: number },
) => SubscriptionState;

/** Plans the next try of a task: after 1, 2, 4 … minutes, up to an hour. */
const again = (retry: Retry | undefined, now: number): Required<Retry> => {
	const since = Math.min(retry?.since ?? now, now);
	return { since, at: now + Math.min(now - since + MINUTE_MS, HOUR_MS) };
};

const isDue = (task: { at: number } | undefined, now: number): boolean =>
	task !== undefined && task.at <= now;

/** A change that the next delivery saves. That needs no execution. */
const changed = (state: SubscriptionState, changes: Partial<Saved>): SubscriptionState => ({
	...state,
	saved: { ...state.saved, ...changes, version: state.saved.version + 1 },
});

/** A change that n8n must save. */
const unsaved = (
	state: SubscriptionState,
	now: number,
	changes: Partial<Saved> = {},
): SubscriptionState => ({ ...changed(state, changes), saving: { at: now, since: now } });

/** The version of a new start. It counts more than any copy of the database. */
const nextVersion = ({ version }: Saved, now: number): number => Math.max(now, version + 1);

/** The previous subscriptions, and the current one as the newest of them. */
const retired = ({ current, previous }: Saved, deleteAt: number): Previous[] => [
	...previous,
	...(current ? [{ ...current, deleteAt }] : []),
];

const isHere = ({ address }: SubscriptionState, { targetUrl }: Subscription): boolean =>
	targetUrl === address;

/** Returns true if a subscription exists and delivers to this address. */
const isLeft = (state: SubscriptionState, one: Previous): boolean =>
	isHere(state, one) && one.fate !== 'deleted';

// Create

/** n8n published the workflow or started. `stored`: the saved data; `mark`: random text. */
export const onStarted: Change<{
	address: string;
	stored: Saved;
	mark: string;
	overlapMs: number;
}> = (state, { address, stored, mark, overlapMs, now }) => {
	const saved = newer(state.saved, stored);
	// A corrected clock must not keep them for years.
	const previous = saved.previous.map((one) => ({
		...one,
		deleteAt: Math.min(one.deleteAt, now + overlapMs),
	}));
	const own = { address, overlapMs, made: new Set([...state.made, mark]), aliveAt: now };
	return {
		...INITIAL,
		...own,
		saved: { ...saved, previous, version: nextVersion(saved, now), mark },
	};
};

/**
 * The service created a subscription. `savedByHook`: n8n saves it when the caller returns; `catchesUp`: records
 * that it missed are searched for.
 */
export const onCreated: Change<{
	subscription: Subscription;
	mark: string;
	savedByHook: boolean;
	catchesUp: boolean;
}> = (state, { subscription, mark, savedByHook, catchesUp, now }) => {
	const { address, overlapMs, saved, made, deletions } = state;
	const { id, cardId, since } = subscription;
	const all = retired(saved, now + overlapMs);
	// A service may return a subscription that exists, and a copy of the database lists the original's.
	const isListed = all.some((one) => one.id === id && one.fate !== 'deleted');
	const before = saved.missed?.cardId === cardId ? saved.missed : undefined;
	const missed = before
		? { ...before, upTo: since + SEARCH_MARGIN_MS }
		: { cardId, from: since, upTo: since };
	const isWhole = before !== undefined && before.upTo <= before.from;
	return {
		...{ ...INITIAL, address, overlapMs, deletions, aliveAt: now },
		saved: {
			current: subscription,
			previous: all.filter((one) => one.id !== id).slice(-MAX_WAITING),
			missed: catchesUp ? missed : undefined,
			version: nextVersion(saved, now),
			mark,
		},
		made: new Set([...made, mark, ...(isListed ? [] : [id])]),
		saving: savedByHook ? undefined : { at: now, since: now },
		search: catchesUp && before ? { at: now + SEARCH_DELAY_MS, isWhole } : undefined,
	};
};

/** The service created none, as far as is known. `isNeeded`: a delivery doesn't make another try needless. */
export const onRefused: Change<{ isNeeded: boolean }> = (state, { isNeeded, now }) => ({
	...state,
	renewal: {
		...again(state.renewal, now),
		isNeeded: isNeeded || state.renewal?.isNeeded === true,
	},
});

/** The service may have paused the current one: unless it delivers, it is renewed. */
export const onDoubted: Change = (state, { now }) => ({
	...state,
	renewal: state.renewal ?? { at: now + DOUBT_MS, isNeeded: false },
});

/** The credential changed: it may be for another workspace, and the seals must be saved again. */
export const onCredentialChanged: Change = (state, { now }) => ({
	...unsaved(state, now),
	renewal: { at: now, isNeeded: true },
});

/** Returns true if nothing has shown for so long that the current one works. @param silenceMs undefined for never */
const isSilent = (
	{ aliveAt }: SubscriptionState,
	silenceMs: number | undefined,
	now: number,
	// A clock that was set back must not count as a delivery.
): boolean => silenceMs !== undefined && Math.abs(now - aliveAt) >= silenceMs;

/** Returns true if a new subscription is due: planned, or after silence. @param silenceMs undefined for never */
export function isToRenew(
	state: SubscriptionState,
	silenceMs: number | undefined,
	now: number,
): boolean {
	const { address, saved, renewal } = state;
	if (address === undefined) return false;
	if (renewal) return isDue(renewal, now);
	return saved.current !== undefined && isSilent(state, silenceMs, now);
}

// Deliver

/** Another call from n8n, such as a delivery, read the saved data. `address`: if the call tells it. */
export const onRead: Change<{ stored: Saved; address?: string }> = (
	state,
	{ stored, address = state.address },
) => ({ ...state, address, saved: newer(state.saved, stored) });

/** This process verified a delivery of the subscription. */
export const onDelivered: Change<{ id: string }> = (state, { id, now }) => {
	const { current } = state.saved;
	if (id !== current?.id) return state;
	const alive: SubscriptionState = { ...state, aliveAt: now };
	if (!isHere(state, current)) return alive;
	// A service stops delivering for a paused subscription.
	const renewal = state.renewal?.isNeeded ? state.renewal : undefined;
	return { ...alive, hasDelivered: true, renewal };
};

// Proven

/** Returns true if the current subscription is known to arrive here, and not in another n8n. */
const isProven = ({ hasDelivered, answer }: SubscriptionState, now: number): boolean =>
	hasDelivered || (answer?.said === 'yes' && answer.askAt > now);

/** Returns true if n8n's own address is to be asked: a deletion or a creation waits for what it says. */
export function isToAsk(state: SubscriptionState, now: number): boolean {
	const { address, saved, renewal, answer, saving } = state;
	if (address === undefined || isProven(state, now)) return false;
	if ((saving && saving.at > now) || (answer && answer.askAt > now)) return false;
	return isDue(renewal, now) || overdue(saved, now).some((one) => isLeft(state, one));
}

/** Returns true if the address didn't have what was saved. */
const isMissing = ({ answer }: SubscriptionState): boolean =>
	answer?.said === 'lost' || answer?.said === 'other';

/**
 * n8n's own address was asked. `isOurs`: this process itself got the question. A mark that another process made
 * proves nothing, as a copy of the database has it, too.
 */
export const onProbed: Change<{ result: ProbeResult; isOurs: boolean }> = (
	before,
	{ result, isOurs, now },
) => {
	const has = result === 'yes' ? 'yes' : 'lost';
	const isMine = isOurs || (result === 'yes' && before.made.has(before.saved.mark));
	const said = result === 'none' ? 'none' : isMine ? has : 'other';
	const askAt = now + (said === 'yes' ? MINUTE_MS : ASK_PAUSE_MS);
	const state: SubscriptionState = { ...before, answer: { said, askAt } };
	// While the saved data was lost, deliveries may have been refused.
	if (said === 'yes' && isMissing(before)) return onDoubted(state, { now });
	const isNew = isMissing(state) && !isMissing(before) && !state.saving;
	return isNew ? { ...state, saving: { at: now, since: now } } : state;
};

// Save

/** Returns true if an execution that saves is due. */
export const isToSave = ({ saving }: SubscriptionState, now: number): boolean => isDue(saving, now);

/** An execution is to save. The next one follows if it doesn't. */
export const onSaving: Change = (state, { now }) => ({
	...state,
	saving: again(state.saving, now),
});

/** n8n saved this version. If that came late, deliveries may have been refused. */
export const onSaved: Change<{ version: number }> = (before, { version, now }) => {
	const { saving, saved, hasDelivered, answer } = before;
	if (version < saved.version || !saving) return before;
	const state: SubscriptionState = {
		...before,
		saving: undefined,
		answer: answer && isMissing(before) ? { ...answer, askAt: now } : answer,
	};
	const isLate = now - saving.since > SAVED_IN_TIME_MS && !hasDelivered;
	const left = saved.previous.filter((one) => isLeft(state, one));
	return isLate && left.length < MAX_LATE ? onDoubted(state, { now }) : state;
};

// Delete

/** The previous subscriptions whose overlap is over, and those that newer ones have replaced. */
const overdue = ({ previous }: Saved, now: number): Previous[] => {
	const left = previous.filter(({ fate }) => fate !== 'deleted');
	return left.filter(
		({ deleteAt }, place) => deleteAt <= now || place < left.length - MAX_PREVIOUS,
	);
};

/**
 * The subscriptions to delete now: those of the unpublished workflow, and previous ones if the current one is
 * proven, or if this process made both and the current one is saved. None while the current one may be paused.
 */
export function dueDeletions(state: SubscriptionState, now: number): Previous[] {
	const { saved, made, saving, renewal } = state;
	const { current, previous } = saved;
	const isSaved = current !== undefined && made.has(current.id) && !saving;
	const isReplaced = ({ id }: Previous) => isProven(state, now) || (isSaved && made.has(id));
	const replaced = renewal ? [] : overdue(saved, now).filter(isReplaced);
	return previous.filter(
		(one) =>
			isLeft(state, one) &&
			(one.fate === 'ended' || replaced.includes(one)) &&
			(state.deletions.get(one.id)?.at ?? 0) <= now,
	);
}

/** A deletion ended. A failed one is tried again after a growing pause. */
export const onDeleted: Change<{ id: string; isDone: boolean }> = (state, { id, isDone, now }) => {
	const deletions = new Map(state.deletions);
	if (!isDone) {
		deletions.set(id, again(deletions.get(id), now));
		return { ...state, deletions };
	}
	deletions.delete(id);
	const { current, previous } = state.saved;
	const isCurrent = current?.id === id;
	const all = isCurrent ? retired(state.saved, now + LATE_MS) : previous;
	const changes = {
		current: isCurrent ? undefined : current,
		// It stays until its overlap is over, because late deliveries are accepted until then.
		previous: all.map((one): Previous => (one.id === id ? { ...one, fate: 'deleted' } : one)),
	};
	return { ...changed(state, changes), deletions };
};

/** The subscriptions of this address that this n8n may delete at once. @param isOther true if another n8n responds there */
const own = (state: SubscriptionState, isOther: boolean): Previous[] =>
	retired(state.saved, 0).filter(
		(one) => isLeft(state, one) && (!isOther || one.fate === 'ended' || state.made.has(one.id)),
	);

/**
 * The subscriptions that make room for a new one that the service refused. With one subscription for each address:
 * all of it, if the address is this n8n's. At a limit: the oldest previous one, or the current one after silence.
 *
 * @param silenceMs undefined for never
 */
export function roomFor(
	state: SubscriptionState,
	{ reason, isPublishing }: { reason: 'address' | 'limit'; isPublishing: boolean },
	silenceMs: number | undefined,
	now: number,
): Previous[] {
	const said = state.answer?.said;
	const isKnown = isProven(state, now) || said === 'yes' || (isPublishing && said !== 'other');
	const left = own(state, !isKnown);
	if (reason === 'address') return left;
	const mayGo = ({ id }: Previous) =>
		id !== state.saved.current?.id || isSilent(state, silenceMs, now);
	return left.filter(mayGo).slice(0, 1);
}

/**
 * The workflow is unpublished: everything that this n8n may delete is due for deletion, and stays in the list
 * until it is deleted. If another n8n responds at the address, that is what this process made.
 */
export const onUnpublished: Change = (state, { now }) => {
	const { address, made, saved, overlapMs, answer } = state;
	const ended = new Set(own(state, answer?.said === 'other').map(({ id }) => id));
	const previous = retired(saved, now + overlapMs)
		.filter(({ id, fate }) => fate === 'deleted' || ended.has(id))
		.map((one): Previous => ({ ...one, fate: one.fate ?? 'ended' }));
	const left = { missed: saved.missed, previous, version: nextVersion(saved, now) };
	return { ...INITIAL, address, made, saved: { ...NOTHING_SAVED, ...left } };
};

/**
 * Only time passed. Gives up deletions that failed for a day, and subscriptions of another address after their
 * overlap.
 */
export const onPassed: Change = (state, { now }) => {
	// A process that couldn't start the node doesn't know which subscriptions deliver elsewhere.
	if (state.address === undefined) return state;
	const { previous } = state.saved;
	const hasFailed = ({ id }: Previous) => now - (state.deletions.get(id)?.since ?? now) > DAY_MS;
	const isOver = (one: Previous) => one.deleteAt <= now && !isLeft(state, one);
	const left = previous.filter((one) => !hasFailed(one) && !isOver(one));
	return left.length === previous.length ? state : changed(state, { previous: left });
};

/** The subscriptions that a change has taken from the list although they weren't deleted. */
export function abandoned(before: SubscriptionState, after: SubscriptionState): Subscription[] {
	const kept = new Set(subscriptionsIn(after.saved).map(({ id }) => id));
	return retired(before.saved, 0).filter(({ id, fate }) => fate !== 'deleted' && !kept.has(id));
}

// Catch up

/** The time in which records may have been missed, by the service's clock. */
export interface Search {
	from: number;
	to: number;
	/** True if no search since `from` may have failed, so its records arrived in order. */
	isWhole: boolean;
}

/** The search that is due; undefined if none is. */
export function dueSearch(
	{ saved: { missed }, search }: SubscriptionState,
	now: number,
): (Search & { cardId: string | null }) | undefined {
	if (!missed || !search || search.at > now) return undefined;
	const { cardId, from, upTo } = missed;
	return { cardId, from, to: upTo, isWhole: search.isWhole };
}

/** A search begins: no other one is due until it fails. */
export const onSearching: Change = (state) => ({ ...state, search: undefined });

/** A search failed. It is tried again, unless a later one is planned. @param failed the failed one */
export const onSearchFailed: Change<{ failed: SubscriptionState['search'] }> = (
	state,
	{ failed, now },
) => ({
	...state,
	search: state.search ?? (failed && { ...failed, ...again(failed, now) }),
});

/** All records of the card (null for all cards) up to a time were searched. */
export const onSearched: Change<{ to: number; cardId: string | null }> = (
	state,
	{ to, cardId, now },
) => {
	const { missed } = state.saved;
	const isLater = missed?.cardId === cardId && missed.from < to;
	return isLater ? unsaved(state, now, { missed: { ...missed, from: to } }) : state;
};
