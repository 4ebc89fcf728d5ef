/** Which subscriptions a trigger node has, and what follows from that alone. Times are ms since the epoch. */
import type { MissedTime, RetiredSubscription, StoredSubscriptions, Subscription } from './stored';

/** Most subscriptions of a node, so most secrets that a delivery is checked with. */
export const MAX_SUBSCRIPTIONS = 6;
/** The pause before a renewal that was refused is tried again; doubles with each further refusal. */
export const FIRST_RENEWAL_PAUSE_MS = 15_000;
/** The pause before a deletion is tried again; doubles with each further failure. */
export const FIRST_RETRY_PAUSE_MS = 60_000;
/**
 * How long the first execution that saves is waited for. It may wait behind others, and n8n in queue mode may
 * not hear of its end: it removes a finished job at once, and the first end after a start can come before it
 * listens. Doubles with each further one; after a failure it is the pause, too.
 */
const FIRST_SAVING_PAUSE_MS = 30_000;
/** Most ids of ended subscriptions that are remembered; a renewal adds one or two. */
const MAX_GONE = 20;
/** The longest of these pauses. */
export const MAX_PAUSE_MS = 3_600_000;
/** For how long a deletion that fails is tried again: 7 days. */
export const KEEP_TRYING_MS = 7 * 24 * 3_600_000;
/**
 * How sure it is that the current subscription delivers to every process of this n8n: `no`, not yet;
 * `here`, this process saved it; `elsewhere`, another process saved it in time; `late`, another process
 * saved it so late that the service may have paused it meanwhile.
 */
export type Trust = 'no' | 'here' | 'elsewhere' | 'late';

/** Something to try again, with a pause that grows. */
export interface Retry {
	/** When it is due. */
	at: number;
	/** How long to wait when it fails once more. */
	pauseMs: number;
}

/** The pause after one that failed. */
export const grown = (pauseMs: number): number => Math.min(pauseMs * 2, MAX_PAUSE_MS);

/** An execution that saves begins: when it is given up, and how long to wait after that. */
export const savingFrom = (now: number, pauseMs = FIRST_SAVING_PAUSE_MS): Retry => ({
	at: now + pauseMs,
	pauseMs: grown(pauseMs),
});

export interface SubscriptionSet {
	/** Where this n8n receives the deliveries of the node; undefined in a process that never asked. */
	address: string | undefined;
	current: Subscription | undefined;
	retired: readonly RetiredSubscription[];
	trust: Trust;
	/** When the current subscription was made. */
	createdAt: number;
	/** When the current subscription last gave a sign of life. */
	aliveAt: number;
	/** Subscriptions of other addresses whose deliveries came here all the same: those lead here. */
	leadHere: ReadonlySet<string>;
	/** Whether this process has seen the current subscription deliver. */
	seen: boolean;
	/** When to create a new one; undefined while the current one will do. */
	renewAt: number | undefined;
	/** How long to wait when that is refused. */
	renewalPauseMs: number;
	saving: Retry | undefined;
	/** Deletions that failed, by subscription. */
	deletions: ReadonlyMap<string, Retry>;
	missed: MissedTime | undefined;
	/** See {@link StoredSubscriptions}. */
	endedUpTo: number;
	/** See {@link StoredSubscriptions}. */
	gone: readonly string[];
}

export const EMPTY_SET: SubscriptionSet = {
	address: undefined,
	current: undefined,
	retired: [],
	trust: 'no',
	createdAt: 0,
	aliveAt: 0,
	leadHere: new Set(),
	seen: false,
	renewAt: undefined,
	renewalPauseMs: FIRST_RENEWAL_PAUSE_MS,
	saving: undefined,
	deletions: new Map(),
	missed: undefined,
	endedUpTo: 0,
	gone: [],
};

/** A subscription as one that was replaced. */
export const retire = (
	subscription: Subscription | RetiredSubscription,
	deleteAt: number | null,
	now: number,
	wasSaved = true,
): RetiredSubscription => ({
	giveUpAt: now + KEEP_TRYING_MS,
	wasSaved,
	...subscription,
	deleteAt,
});

/**
 * Whether a subscription delivers to this n8n, so that it may be deleted. A copy of n8n's database at
 * another address must not delete what delivers to the original.
 */
export const isOwn = (
	{ address, leadHere }: SubscriptionSet,
	{ id, targetUrl }: Subscription,
): boolean => targetUrl === address || leadHere.has(id);

/** The set that remembers that these subscriptions are gone. */
export const withGone = (set: SubscriptionSet, ids: readonly string[]): SubscriptionSet => ({
	...set,
	gone: [...set.gone.filter((id) => !ids.includes(id)), ...ids].slice(-MAX_GONE),
});

/** Whether `a` was made after `b`. */
const isNewer = (a: Subscription, b: Subscription): boolean =>
	a.generation !== b.generation ? a.generation > b.generation : a.since > b.since;

/** The part of a set that n8n saves. */
export const stored = (set: SubscriptionSet): StoredSubscriptions => ({
	current: set.current,
	retired: [...set.retired],
	missed: set.missed,
	endedUpTo: set.endedUpTo,
	gone: set.gone,
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
export function withStored(
	set: SubscriptionSet,
	saved: StoredSubscriptions,
	now: number,
): SubscriptionSet {
	const { current, retired, missed, endedUpTo } = saved;
	const isBehind = isOutdated(set, saved);
	const newest = isBehind ? current : set.current;
	// Not of both: a service may give an id again.
	const gone = isBehind ? saved.gone : set.gone;
	const others = new Map<string, RetiredSubscription>();
	const add = (one: Subscription | RetiredSubscription) => {
		if (one.id === newest?.id || others.has(one.id) || gone.includes(one.id)) return;
		others.set(one.id, 'deleteAt' in one ? one : retire(one, null, now));
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
