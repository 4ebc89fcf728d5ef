/**
 * Decides about the subscriptions of a trigger node. It is a pure reducer: each exported `on…` takes the state
 * and what happened, and returns the new state; the other functions tell what is due. They read no clock: `now` is
 * given. Times are ms since the epoch by the local clock.
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

/**
 * What is known about n8n's own webhook address since the last creation or save. `mine`: it has what this
 * process saved last, or it delivered the current subscription here; `foreign`: it still doesn't after two
 * more saves, so another n8n responds there; `unknown`: nobody responded.
 */
type Standing = 'unasked' | 'mine' | 'foreign' | 'unknown';

/** The response of n8n's own webhook address. `yes`: it has what was saved last; `none`: nobody said. */
export type ProbeResult = 'yes' | 'no' | 'none';

/** A task to try again, with a growing pause. */
interface Retry {
	at: number;
	pauseMs: number;
}

export interface SubscriptionState {
	/**
	 * The address where this n8n receives the node's deliveries; undefined in a process that didn't start
	 * the node.
	 */
	address: string | undefined;
	/** How long a replaced or deleted subscription counts, in ms. */
	overlapMs: number;
	saved: Saved;
	/** True if this process made the mark, so that no other n8n has it. */
	isMarked: boolean;
	/** IDs of the subscriptions that this process created. */
	made: ReadonlySet<string>;
	standing: Standing;
	/**
	 * How often the address didn't have what was saved. The service may have paused the current
	 * subscription since.
	 */
	denials: number;
	/** When the last response stops counting; Infinity if a delivery proved the address. */
	askAt: number;
	/** When the current subscription last showed that it works. */
	aliveAt: number;
	/** When to create a new one; Infinity if that isn't needed. */
	renewal: Retry;
	/** True if that is needed also if the current one delivers, because the credential changed or is wrong. */
	isDemanded: boolean;
	/** When to have n8n save, and since when something isn't saved; undefined if everything is. */
	saving: { at: number; since: number } | undefined;
	/** What the last creation may have missed; undefined if nothing. */
	search: Search | undefined;
	/** Deletions that failed, by subscription. */
	deletions: ReadonlyMap<string, Retry & { since: number }>;
}

/** The pauses between the tries of a task at the service: doubled each time, up to an hour. */
const FIRST_PAUSE_MS = 15_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 86_400_000;
/** Services may pause a subscription whose deliveries are refused for longer, because it isn't saved. In ms. */
const SAVED_IN_TIME_MS = 5_000;
/** If the address doesn't have what was saved after this many saves, another n8n responds there. */
const MAX_DENIALS = 2;
/** How often the address is asked while nobody or another n8n responds, in ms. */
const ASK_PAUSE_MS = 10 * MINUTE_MS;
/** Max previous subscriptions that wait for deletion, so that n8n saves less than 20 kB for a node. */
const MAX_WAITING = 20;
/** How late deliveries of a removed subscription may arrive, in ms. */
const LATE_MS = 15 * MINUTE_MS;
/** A new subscription may miss records that were created at the same moment. In ms. */
const SEARCH_MARGIN_MS = 2_000;

const NEVER: Retry = { at: Infinity, pauseMs: FIRST_PAUSE_MS };

/** Plans the next try of a task. */
const nextTry = ({ pauseMs }: Pick<Retry, 'pauseMs'>, now: number): Retry => ({
	at: now + pauseMs,
	pauseMs: Math.min(pauseMs * 2, HOUR_MS),
});

export const INITIAL: SubscriptionState = {
	address: undefined,
	overlapMs: LATE_MS,
	saved: NOTHING_SAVED,
	isMarked: false,
	made: new Set(),
	standing: 'unasked',
	denials: 0,
	askAt: 0,
	aliveAt: 0,
	renewal: NEVER,
	isDemanded: false,
	saving: undefined,
	search: undefined,
	deletions: new Map(),
};

/** The time in which records may have been missed, by the service's clock. */
export interface Search {
	from: number;
	to: number;
	/** True if no search since `from` may have failed, so its records arrived in order. */
	isWhole: boolean;
}

/** Something that happened `now`. Returns the new state. */
export type Change<Given = object> = (
	state: SubscriptionState,
	given: Given & { now: number },
) => SubscriptionState;

/** Another call from n8n, such as a delivery, read the saved data. `address`: if the call tells it. */
export const onRead: Change<{ stored: Saved; address?: string }> = (
	state,
	{ stored, address = state.address },
) => ({ ...state, address, saved: newer(state.saved, stored) });

/**
 * The service created none, as far as is known. `isDemanded`: it wasn't even asked, because the credential is
 * wrong.
 */
export const onRefused: Change<{ isDemanded: boolean }> = (state, { isDemanded, now }) => ({
	...state,
	renewal: nextTry(state.renewal, now),
	isDemanded: isDemanded || state.isDemanded,
});

/**
 * A new one is planned because a response was late or the credential changed. If it changed, the seals must be
 * saved again as well.
 */
export const onPlanned: Change<{ delayMs: number; isDemanded: boolean }> = (state, given) => {
	const { delayMs, isDemanded, now } = given;
	const renewal = { ...NEVER, at: Math.min(now + delayMs, state.renewal.at) };
	const planned = { ...state, renewal, isDemanded: isDemanded || state.isDemanded };
	return isDemanded ? dirty(planned, now) : planned;
};

/** A change that the next delivery saves. That needs no execution. */
const changed = (state: SubscriptionState, changes: Partial<Saved>): SubscriptionState => ({
	...state,
	saved: { ...state.saved, ...changes, version: state.saved.version + 1 },
});

/** A change that n8n must save. */
const dirty = (
	state: SubscriptionState,
	now: number,
	changes: Partial<Saved> = {},
): SubscriptionState => ({ ...changed(state, changes), saving: { at: now, since: now } });

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
	return {
		...INITIAL,
		address,
		overlapMs,
		saved: { ...saved, previous, version, mark },
		isMarked: true,
		made: state.made,
		aliveAt: now,
	};
};

/** The previous subscriptions, and the current one as the newest of them. */
const retired = ({ current, previous }: Saved, deleteAt: number): Previous[] => [
	...previous,
	...(current ? [{ ...current, deleteAt }] : []),
];

/** The subscriptions that a change has taken from the list although they weren't deleted. */
export function abandoned(before: SubscriptionState, after: SubscriptionState): Subscription[] {
	const kept = new Set(subscriptionsIn(after.saved).map(({ id }) => id));
	const all = retired(before.saved, Infinity);
	return all.filter(({ id, fate }) => fate !== 'deleted' && !kept.has(id));
}

/** The service created a subscription. `savedByHook`: n8n saves it when the caller returns. */
export const onCreated: Change<{
	subscription: Subscription;
	mark: string;
	savedByHook: boolean;
}> = (state, { subscription, mark, savedByHook, now }) => {
	const { address, overlapMs, saved } = state;
	const all = retired(saved, now + overlapMs);
	const isListed = all.some(({ id, fate }) => id === subscription.id && fate !== 'deleted');
	const upTo = subscription.since + SEARCH_MARGIN_MS;
	const missed = saved.missed?.cardId === subscription.cardId ? saved.missed : undefined;
	return {
		...INITIAL,
		address,
		overlapMs,
		saved: {
			current: subscription,
			previous: all.filter(({ id }) => id !== subscription.id).slice(-MAX_WAITING),
			missed: missed ? { ...missed, upTo } : unsearchedSince(subscription),
			version: Math.max(now, saved.version + 1),
			mark,
		},
		isMarked: true,
		// A service may return a subscription that exists, and a copy of the database lists the original's.
		made: isListed ? state.made : new Set([...state.made, subscription.id]),
		aliveAt: now,
		renewal: { ...state.renewal, at: Infinity },
		saving: savedByHook ? undefined : { at: now, since: now },
		search: missed && { from: missed.from, to: upTo, isWhole: missed.upTo <= missed.from },
		deletions: state.deletions,
	};
};

/** All records up to a time were searched. */
export const onSearched: Change<{ to: number }> = (state, { to, now }) => {
	const { missed } = state.saved;
	const isLater = missed && missed.from < to;
	return isLater ? dirty(state, now, { missed: { ...missed, from: to } }) : state;
};

/** This process verified a delivery. */
export const onDelivered: Change<{ id: string }> = (state, { id, now }) => {
	const { current, previous } = state.saved;
	if (id !== current?.id) {
		// Nobody responded at the address, but a delivery came through it.
		const isPrevious = previous.some((one) => one.id === id && isHere(state, one));
		const isProof = isPrevious && state.standing === 'unknown';
		return isProof ? { ...state, standing: 'mine', askAt: Infinity } : state;
	}
	const alive: SubscriptionState = { ...state, aliveAt: now };
	if (!isHere(state, current)) return alive;
	// A service stops delivering for a paused subscription, and no copy has its secret.
	const renewal = state.isDemanded ? state.renewal : NEVER;
	return { ...alive, standing: 'mine', denials: 0, askAt: Infinity, renewal };
};

const isHere = ({ address }: SubscriptionState, { targetUrl }: Subscription): boolean =>
	targetUrl === address;

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

/** n8n saved this version. */
export const onSaved: Change<{ version: number }> = (state, { version, now }) => {
	if (version < state.saved.version || !state.saving) return state;
	const isLate = now - state.saving.since > SAVED_IN_TIME_MS && state.standing === 'unasked';
	return { ...doubted(state, isLate), saving: undefined };
};

/** Deliveries may have been refused, which can pause the new subscription: it is renewed once more. */
function doubted(state: SubscriptionState, isLate: boolean): SubscriptionState {
	// If executions always wait that long, further renewals wouldn't be faster.
	const isDoubtful = isLate && state.renewal.pauseMs <= MINUTE_MS;
	return isDoubtful ? { ...state, denials: Math.max(state.denials, 1) } : state;
}

/** n8n's own webhook address was probed. `isOurs`: this process itself responded. */
export const onProbed: Change<{ result: ProbeResult; isOurs: boolean }> = (
	state,
	{ result: said, isOurs, now },
) => {
	// The original has a mark that wasn't made here as well, so its response proves nothing.
	const result = said === 'yes' && !state.isMarked && !isOurs ? 'no' : said;
	const askAt = now + ASK_PAUSE_MS;
	if (result === 'none') {
		// A delivery that came meanwhile has proven the address.
		return state.askAt === Infinity ? state : { ...state, standing: 'unknown', askAt };
	}
	if (result === 'yes') {
		const mine = { ...state, standing: 'mine', askAt: now + MINUTE_MS } as const;
		// The service may have paused it because of refusals, so the old ones stay until another one is
		// known to work.
		if (state.denials > 0) return { ...mine, renewal: nextTry(state.renewal, now) };
		return { ...mine, renewal: state.renewal.at === Infinity ? NEVER : state.renewal };
	}
	if (state.saving) return { ...doubted(state, true), standing: 'unasked' };
	const denials = state.denials + 1;
	if (denials > MAX_DENIALS) return { ...state, standing: 'foreign', denials, askAt };
	return { ...state, standing: 'unasked', denials, saving: { at: now, since: now } };
};

/**
 * Returns true if a subscription still exists and is this n8n's. A copy of the database also lists the
 * original's.
 *
 * @param isProven true if this n8n itself responds at the address
 */
const isOurs = (state: SubscriptionState, one: Previous, isProven: boolean): boolean =>
	isHere(state, one) &&
	one.fate !== 'deleted' &&
	(isProven || one.fate === 'ended' || state.made.has(one.id));

/** Returns true if the address is this n8n's, and the current subscription is known to work. */
const isSafe = ({ standing, denials }: SubscriptionState): boolean =>
	standing === 'mine' && denials === 0;

/** The subscriptions to delete now: their overlap is over, or there are too many newer ones. */
export function dueDeletions(state: SubscriptionState, now: number): Previous[] {
	const { previous } = state.saved;
	const isDecided = isSafe(state) || state.standing === 'foreign';
	const isOver = ({ deleteAt }: Previous, place: number) =>
		deleteAt <= now || place < previous.length - MAX_PREVIOUS;
	return previous.filter(
		(one, place) =>
			(one.fate === 'ended' || (isDecided && isOver(one, place))) &&
			isOurs(state, one, isSafe(state)) &&
			(state.deletions.get(one.id)?.at ?? 0) <= now,
	);
}

/**
 * The subscriptions that make room for a new one that the service refused. With one subscription for each
 * address: all of this address. At a limit: one, if nothing has arrived for so long that the current one
 * may be paused.
 */
export function roomFor(
	state: SubscriptionState,
	reason: 'address' | 'limit',
	silenceMs: number,
	now: number,
): Previous[] {
	const own = retired(state.saved, now).filter((one) => isOurs(state, one, isSafe(state)));
	if (reason === 'address') return own;
	return Math.abs(now - state.aliveAt) >= silenceMs ? own.slice(0, 1) : [];
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

/**
 * The workflow is unpublished. Every subscription that this n8n may delete is due for deletion, and stays in the
 * list until it is deleted.
 */
export const onUnpublished: Change = (state, { now }) => {
	const isProven = state.standing === 'mine' || state.standing === 'unknown';
	const previous = retired(state.saved, now + state.overlapMs)
		.filter((one) => one.fate === 'deleted' || isOurs(state, one, isProven))
		.map((one): Previous => ({ ...one, fate: one.fate ?? 'ended' }));
	const version = Math.max(now, state.saved.version + 1);
	return {
		...INITIAL,
		address: state.address,
		made: state.made,
		saved: { ...NOTHING_SAVED, previous, version },
	};
};

/** Returns true if a response of the address is needed and no valid one is known. */
export function isToAsk(state: SubscriptionState, now: number): boolean {
	const { address, standing, askAt, saving, saved, renewal } = state;
	if (address === undefined || !saved.current || (saving && saving.at > now)) return false;
	if (standing === 'unasked') return true;
	if (askAt > now) return false;
	const waits = saved.previous.some(
		(one) => isHere(state, one) && one.fate === undefined && one.deleteAt <= now,
	);
	return standing === 'mine' ? dueDeletions(state, now).length > 0 : waits || renewal.at < Infinity;
}

/** Returns true if a new subscription is due, because it was planned or because of silence. */
export function isToRenew(state: SubscriptionState, silenceMs: number, now: number): boolean {
	const { address, saved, renewal, aliveAt } = state;
	const isSilent = saved.current !== undefined && Math.abs(now - aliveAt) >= silenceMs;
	const isDue = renewal.at <= now || (isSilent && renewal.at === Infinity);
	return isDue && address !== undefined;
}

/**
 * Only time passed. Gives up deletions that failed for a day, and subscriptions of another address after their
 * overlap.
 */
export const onPassed: Change = (state, { now }) => {
	// A process that couldn't start the node doesn't know which subscriptions deliver elsewhere.
	if (state.address === undefined) return state;
	const { previous } = state.saved;
	const hasFailed = ({ id }: Previous) => now - (state.deletions.get(id)?.since ?? now) > DAY_MS;
	const isOver = (one: Previous) =>
		one.deleteAt <= now && (one.fate === 'deleted' || !isHere(state, one));
	const left = previous.filter((one) => !hasFailed(one) && !isOver(one));
	return left.length === previous.length ? state : changed(state, { previous: left });
};
