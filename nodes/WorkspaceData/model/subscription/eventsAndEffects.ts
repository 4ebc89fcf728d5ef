/** The events in the life of a trigger node's subscriptions, and the tasks that follow. Times are ms since the epoch. */
import type { RetiredSubscription, StoredSubscriptions, Subscription } from './stored';
import type { SubscriptionSet } from './state';

/**
 * The answer of n8n's own webhook address about a subscription: `confirmed`, it is saved as the current one;
 * `refused`, the node answered that it is not saved; `unknown`, anything else, or no answer in time.
 */
export type ProbeAnswer = 'confirmed' | 'refused' | 'unknown';

/** Where records may have been missed; the end belongs to it. Times by the service's clock. */
export interface Search {
	from: number;
	/** Ends of earlier searches: what lies before one that was completed need not be looked at again. */
	earlier: number[];
	upTo: number;
}

export type SubscriptionEvent =
	/** n8n published the workflow or started; `stored` is the saved data. */
	| {
			type: 'started';
			address: string;
			stored: StoredSubscriptions;
			/** Whether a person publishes: then nothing is put off. */
			byPerson: boolean;
			overlapMs: number;
			now: number;
	  }
	/** Another call from n8n, such as a delivery, read the saved data. */
	| { type: 'read'; stored: StoredSubscriptions }
	/** The service made a subscription; `savedByHook` where n8n saves it as soon as the caller returns. */
	| {
			type: 'created';
			subscription: Subscription;
			savedByHook: boolean;
			overlapMs: number;
			now: number;
	  }
	/**
	 * The service did not make one, for whatever reason; `isLost` where its answer was lost, so that it may
	 * have made one all the same; `jitter` from 0.9 to 1.1.
	 */
	| { type: 'refused'; isLost: boolean; jitter: number; now: number }
	/** The credential has changed: what was refused may be accepted, and what was sealed must be sealed again. */
	| { type: 'credentialChanged'; now: number }
	/** The service takes one subscription for an address, and has one. */
	| { type: 'conflicted' }
	/** This process verified a delivery. */
	| { type: 'delivered'; id: string; overlapMs: number; now: number }
	/** A verified delivery of this subscription was answered late, refused or repeated. */
	| { type: 'strained'; id: string; now: number }
	/** An execution saved the set up to this generation; `deleted` are those it was to delete. */
	| {
			type: 'saved';
			generation: number;
			here: boolean;
			deleted: readonly string[];
			overlapMs: number;
			jitter: number;
			now: number;
	  }
	| { type: 'notSaved'; now: number }
	/** A probe asked whether the subscription of this generation is saved; `jitter` from 0.9 to 1.1. */
	| { type: 'probed'; generation: number; answer: ProbeAnswer; jitter: number; now: number }
	| { type: 'deleted'; ids: readonly string[] }
	| { type: 'notDeleted'; ids: readonly string[]; now: number }
	| { type: 'unpublished'; now: number }
	/** Nothing but time passed. */
	| { type: 'passed'; silenceMs: number; overlapMs: number; now: number };

export type Effect =
	| { type: 'create' }
	| { type: 'delete'; subscriptions: RetiredSubscription[] }
	/**
	 * Have an execution save the set and, if it finds the current subscription saved, delete these; where
	 * the current one is known to work, all others that it finds, too.
	 */
	| { type: 'save'; deletes: RetiredSubscription[]; isSettled: boolean }
	/**
	 * Ask n8n's own webhook address whether this subscription is saved as the current one, and whether no
	 * others are saved than `known`.
	 */
	| { type: 'probe'; subscription: Subscription; known: string[] }
	| { type: 'search'; search: Search }
	/** Deletions that failed for a week, subscriptions of another address, or too many: no more is done about them. */
	| { type: 'leaveBehind'; subscriptions: RetiredSubscription[] };

export interface Outcome {
	set: SubscriptionSet;
	effects: Effect[];
}
