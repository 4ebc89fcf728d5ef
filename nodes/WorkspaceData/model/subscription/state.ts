/** Which subscriptions a trigger node has, and what follows from that alone. Times are ms since the epoch. */
import {
	type LostAnswers,
	type MissedTime,
	NONE_LOST,
	type RetiredSubscription,
	type Subscription,
} from './stored';
import {
	DAY_MS,
	FIRST_RENEWAL_PAUSE_MS,
	FIRST_STRAIN_PAUSE_MS,
	grown,
	type Retry,
} from './retryPauses';

/**
 * Most answers to requests for a subscription that may be lost one after the other: each may have left one at
 * the service. After that the node tries once a day.
 */
export const MAX_LOST_ANSWERS = 5;
/** Most subscriptions of a node, so most secrets that a delivery is checked with. */
export const MAX_SUBSCRIPTIONS = 6;
/** Most ids of ended subscriptions that are remembered; a renewal adds one or two. */
const MAX_GONE = 20;
/**
 * Most replaced subscriptions that wait for their deletion: what n8n saves for a node stays below 20 kB, and
 * a start sends no more deletions than this. The oldest remain at the service; refused deliveries pause them.
 */
export const MAX_LEFTOVERS = 20;
/**
 * How late a new secret may be saved by another process, in ms: deliveries that are refused until then can
 * pause the subscription. The interface does not say how soon.
 */
export const SAVED_IN_TIME_MS = 5_000;

/**
 * How sure it is that the current subscription delivers to every process of this n8n: `no`, not yet;
 * `here`, this process saved it; `elsewhere`, another process saved it in time; `late`, another process
 * saved it so late that the service may have paused it meanwhile.
 */
export type Trust = 'no' | 'here' | 'elsewhere' | 'late';

/** Signs that the service may have paused the current subscription: answers that came late, or not at all. */
export interface Strain {
	/** The first and the last sign since the subscription last delivered without one. */
	since: number;
	at: number;
}

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
	/** Whether the saved secrets are sealed with an earlier credential, and nothing that saves them is under way. */
	needsSealing: boolean;
	/** How late another process may save; grows where n8n's executions wait behind others. */
	savedInTimeMs: number;
	strain: Strain | undefined;
	/** When a strain may next lead to a renewal; its pause grows while strain continues. */
	strainRenewal: Retry;
	/** Deletions that failed, by subscription. */
	deletions: ReadonlyMap<string, Retry>;
	missed: MissedTime | undefined;
	/** See `StoredSubscriptions`. */
	endedUpTo: number;
	/** See `StoredSubscriptions`. */
	gone: readonly string[];
	/** See `StoredSubscriptions`. */
	lostAnswers: LostAnswers;
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
	needsSealing: false,
	savedInTimeMs: SAVED_IN_TIME_MS,
	strain: undefined,
	strainRenewal: { at: 0, pauseMs: FIRST_STRAIN_PAUSE_MS },
	deletions: new Map(),
	missed: undefined,
	endedUpTo: 0,
	gone: [],
	lostAnswers: NONE_LOST,
};

/** A subscription as one that was replaced. */
export const retire = (
	subscription: Subscription | RetiredSubscription,
	deleteAt: number | null,
	wasSaved = true,
): RetiredSubscription => ({
	giveUpAt: null,
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

/** A renewal that did not lead to a subscription that is known to work is tried again. */
export const renewLater = (set: SubscriptionSet, jitter: number, now: number): SubscriptionSet => ({
	...set,
	renewAt: Math.max(now + set.renewalPauseMs * jitter, putOffUntil(set)),
	renewalPauseMs: grown(set.renewalPauseMs),
});

/** Until when no further subscription is asked for, because too many answers were lost. */
export const putOffUntil = ({ lostAnswers: { count, at } }: SubscriptionSet): number =>
	count >= MAX_LOST_ANSWERS ? at + DAY_MS : -Infinity;
