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
	unsearchedSince,
} from './saved';

/** The pauses between the tries of a task: doubled each time, up to an hour. */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long a failing deletion is tried, in ms. */
const DAY_MS = 24 * HOUR_MS;
/** How often n8n's own address is asked while nobody or another n8n responds, in ms. */
const ASK_PAUSE_MS = 10 * MINUTE_MS;
/** If a new secret is saved later than this, other processes may have refused deliveries for too long. In ms. */
const SAVED_IN_TIME_MS = 5_000;
/** If executions always take that long, further renewals wouldn't be saved sooner: at most three in a row. */
const MAX_LATE_PAUSE_MS = 4 * MINUTE_MS;
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

/** A task to try again, with a growing pause. */
interface Retry {
	at: number;
	pauseMs: number;
}

export interface SubscriptionState {
	/** Where this n8n receives deliveries; undefined in a process that didn't start the node. */
	address: string | undefined;
	/** How long a replaced subscription counts, in ms. */
	overlapMs: number;
	saved: Saved;
	/** IDs of the subscriptions, and the last mark, that this process made. */
	made: ReadonlySet<string>;
	ownMark: string | undefined;
	/** True if the current subscription has delivered here: no other n8n has its secret. */
	hasDelivered: boolean;
	/**
	 * What n8n's own address said since the last creation, and when to ask again. `isOther`: another n8n responds there.
	 */
	answer: { said: ProbeResult; isOther: boolean; askAt: number } | undefined;
	/** When the current subscription last showed that it works. */
	aliveAt: number;
	/** When to create a new one. `isDemanded`: also if the current one delivers, as the credential changed. */
	renewal: { at: number | undefined; pauseMs: number; isDemanded: boolean };
	/** When to have n8n save, and since when something isn't saved; undefined if everything is. */
	saving: { at: number; since: number } | undefined;
	/** When to search for missed records; undefined if no search waits. */
	search: Retry | undefined;
	/** Deletions that failed, by subscription. */
	deletions: ReadonlyMap<string, Retry & { since: number }>;
}

const NOT_PLANNED = { at: undefined, pauseMs: MINUTE_MS, isDemanded: false };

export const INITIAL: SubscriptionState = {
	address: undefined,
	overlapMs: LATE_MS,
	saved: NOTHING_SAVED,
	made: new Set(),
	ownMark: undefined,
	hasDelivered: false,
	answer: undefined,
	aliveAt: 0,
	renewal: NOT_PLANNED,
	saving: undefined,
	search: undefined,
	deletions: new Map(),
};

/** Something that happened `now`. Returns the new state. */
export type Change<Given = object> = (
	state: SubscriptionState,
	given: Given & { now: number },
) => SubscriptionState;

/** Plans the next try of a task. */
const nextTry = ({ pauseMs }: Pick<Retry, 'pauseMs'>, now: number): Retry => ({
	at: now + pauseMs,
	pauseMs: Math.min(pauseMs * 2, HOUR_MS),
});

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
	const version = Math.max(now, saved.version + 1);
	const own = { made: state.made, ownMark: mark };
	const next = { ...INITIAL, ...own, address, overlapMs, aliveAt: now };
	return { ...next, saved: { ...saved, previous, version, mark } };
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
	const { address, overlapMs, saved, renewal, deletions } = state;
	const all = retired(saved, now + overlapMs);
	const isListed = all.some(({ id, fate }) => id === subscription.id && fate !== 'deleted');
	const unsearched =
		saved.missed?.cardId === subscription.cardId ? saved.missed : unsearchedSince(subscription);
	const isFirst = unsearched !== saved.missed;
	const upTo = isFirst ? unsearched.upTo : subscription.since + SEARCH_MARGIN_MS;
	const isWhole = unsearched.upTo <= unsearched.from;
	const next: SubscriptionState = {
		...{ ...INITIAL, address, overlapMs, deletions, aliveAt: now, ownMark: mark },
		saved: {
			current: subscription,
			previous: all.filter(({ id }) => id !== subscription.id).slice(-MAX_WAITING),
			missed: catchesUp ? { ...unsearched, upTo, isWhole } : undefined,
			version: Math.max(now, saved.version + 1),
			mark,
		},
		// A service may return a subscription that exists, and a copy of the database lists the original's.
		made: isListed ? state.made : new Set([...state.made, subscription.id]),
		renewal: { ...NOT_PLANNED, pauseMs: renewal.pauseMs },
		saving: savedByHook ? undefined : { at: now, since: now },
	};
	const search = { at: now + SEARCH_DELAY_MS, pauseMs: MINUTE_MS };
	return catchesUp && !isFirst ? { ...next, search } : next;
};

/** The service created none, as far as is known. `isDemanded`: a delivery doesn't make another try needless. */
export const onRefused: Change<{ isDemanded: boolean }> = (state, { isDemanded, now }) => ({
	...state,
	renewal: {
		...nextTry(state.renewal, now),
		isDemanded: isDemanded || state.renewal.isDemanded,
	},
});

/**
 * A new one is planned because a response was late or the credential changed. If it changed, the seals must be
 * saved again as well.
 */
export const onPlanned: Change<{ delayMs: number; isDemanded: boolean }> = (state, given) => {
	const { delayMs, now } = given;
	const { renewal } = state;
	const at = Math.min(now + delayMs, renewal.at ?? now + delayMs);
	const isDemanded = given.isDemanded || renewal.isDemanded;
	const planned = { ...state, renewal: { ...NOT_PLANNED, at, isDemanded } };
	return given.isDemanded ? unsaved(planned, now) : planned;
};

/** Returns true if a new subscription is due: planned, or after silence. @param silenceMs undefined for never */
export function isToRenew(
	{ address, saved, renewal, aliveAt }: SubscriptionState,
	silenceMs: number | undefined,
	now: number,
): boolean {
	if (address === undefined) return false;
	if (renewal.at !== undefined) return renewal.at <= now;
	// A clock that was set back must not count as a delivery.
	const isSilent = silenceMs !== undefined && Math.abs(now - aliveAt) >= silenceMs;
	return isSilent && saved.current !== undefined;
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
	const renewal = state.renewal.isDemanded ? state.renewal : NOT_PLANNED;
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
	const isRefused = renewal.at !== undefined && renewal.at <= now;
	return isRefused || overdue(saved, now).some((one) => isLeft(state, one));
}

/**
 * n8n's own address was asked. `isOurs`: this process itself got the question. A mark that another process made
 * proves nothing, as a copy of the database has it, too.
 */
export const onProbed: Change<{ result: ProbeResult; isOurs: boolean }> = (
	state,
	{ result, isOurs, now },
) => {
	const { answer: before, saved, ownMark, renewal } = state;
	const isMine = isOurs || (result === 'yes' && saved.mark === ownMark);
	const said = result === 'yes' && !isMine ? 'no' : result;
	const askAt = now + (said === 'yes' ? MINUTE_MS : ASK_PAUSE_MS);
	const answer = { said, isOther: said === 'no' && !isOurs, askAt };
	// The saved data was lost, or another n8n responds. In the first case, deliveries may have been refused, which can
	// pause the subscription: once it is saved, it is renewed before another one goes.
	const isBack = said === 'yes' && before?.said === 'no' && renewal.at === undefined;
	if (isBack) return { ...state, answer, renewal: { ...renewal, ...nextTry(renewal, now) } };
	const isNew = result === 'no' && before?.said !== 'no' && !state.saving;
	return { ...state, answer, ...(isNew && { saving: { at: now, since: now } }) };
};

// Save

/** Returns true if an execution that saves is due. */
export const isToSave = ({ saving }: SubscriptionState, now: number): boolean =>
	saving !== undefined && saving.at <= now;

/** An execution is to save. The next one follows after as long as nothing has been saved for. */
export const onSaving: Change = (state, { now }) => {
	const { saving } = state;
	if (!saving) return state;
	const pauseMs = Math.min(Math.max(now - saving.since, MINUTE_MS), HOUR_MS);
	return { ...state, saving: { ...saving, at: now + pauseMs } };
};

/** n8n saved this version. If that came late, the service may have paused the subscription meanwhile. */
export const onSaved: Change<{ version: number }> = (state, { version, now }) => {
	const { saving, saved, hasDelivered, renewal, answer } = state;
	if (version < saved.version || !saving) return state;
	const isLate = now - saving.since > SAVED_IN_TIME_MS && !hasDelivered;
	const isToReplace = isLate && renewal.at === undefined && renewal.pauseMs < MAX_LATE_PAUSE_MS;
	return {
		...state,
		saving: undefined,
		answer: answer?.said === 'no' ? { ...answer, askAt: now } : answer,
		renewal: isToReplace ? { ...renewal, ...nextTry(renewal, now) } : renewal,
	};
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
	const replaced = renewal.at === undefined ? overdue(saved, now).filter(isReplaced) : [];
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
		const { pauseMs, since } = deletions.get(id) ?? { pauseMs: MINUTE_MS, since: now };
		deletions.set(id, { ...nextTry({ pauseMs }, now), since });
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
	const { answer, aliveAt } = state;
	const isKnown = isProven(state, now) || answer?.said === 'yes';
	const left = own(state, !isKnown && !(isPublishing && answer?.isOther !== true));
	if (reason === 'address') return left;
	const isSilent = silenceMs !== undefined && Math.abs(now - aliveAt) >= silenceMs;
	const { current } = state.saved;
	return left.filter(({ id }) => isSilent || id !== current?.id).slice(0, 1);
}

/**
 * The workflow is unpublished: everything that this n8n may delete is due for deletion, and stays in the list
 * until it is deleted. If another n8n responds at the address, that is what this process made.
 */
export const onUnpublished: Change = (state, { now }) => {
	const { address, made, saved, overlapMs, answer } = state;
	const ended = new Set(own(state, answer?.isOther === true).map(({ id }) => id));
	const previous = retired(saved, now + overlapMs)
		.filter(({ id, fate }) => fate === 'deleted' || ended.has(id))
		.map((one): Previous => ({ ...one, fate: one.fate ?? 'ended' }));
	const version = Math.max(now, saved.version + 1);
	const left = { ...NOTHING_SAVED, missed: saved.missed, previous, version };
	return { ...INITIAL, address, made, saved: left };
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
	{ saved, search }: SubscriptionState,
	now: number,
): (Search & { cardId: string | null }) | undefined {
	const { missed } = saved;
	if (!missed || !search || search.at > now) return undefined;
	const { cardId, from, upTo, isWhole } = missed;
	return { cardId, from, to: upTo, isWhole };
}

/** A search begins: no other one is due until it fails. */
export const onSearching: Change = (state) => ({ ...state, search: undefined });

/** A search failed. It is tried again, unless a later one is planned. @param pauseMs the pause of the failed one */
export const onSearchFailed: Change<{ pauseMs: number }> = (state, { pauseMs, now }) => ({
	...state,
	search: state.search ?? nextTry({ pauseMs }, now),
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
