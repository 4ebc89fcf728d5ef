/** Sets of subscriptions for the tests of their rules, and the events that change them. */
import type {
	Outcome,
	SubscriptionEvent,
} from '../../../../nodes/WorkspaceData/model/subscription/eventsAndEffects';
import { reduce } from '../../../../nodes/WorkspaceData/model/subscription/reducer';
import {
	EMPTY_SET,
	type SubscriptionSet,
} from '../../../../nodes/WorkspaceData/model/subscription/state';
import {
	NO_SUBSCRIPTIONS,
	type RetiredSubscription,
	type StoredSubscriptions,
	type Subscription,
} from '../../../../nodes/WorkspaceData/model/subscription/stored';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const NOW = Date.UTC(2026, 0, 1);
export const HERE = 'https://n8n.example.com/webhook/1';
export const ELSEWHERE = 'https://copy.example.com/webhook/1';
export const OVERLAP = HOUR;

export const one = (id: string, more: Partial<Subscription> = {}): Subscription => ({
	id,
	secret: `secret of ${id}`,
	targetUrl: HERE,
	workspaceId: 'w',
	cardId: 'c',
	since: NOW,
	clockAheadMs: 0,
	generation: 1,
	...more,
});

export const old = (id: string, more: Partial<RetiredSubscription> = {}): RetiredSubscription => ({
	...one(id),
	deleteAt: null,
	giveUpAt: null,
	wasSaved: true,
	...more,
});

export const set = (more: Partial<SubscriptionSet> = {}): SubscriptionSet => ({
	...EMPTY_SET,
	address: HERE,
	current: one('new', { generation: 9 }),
	trust: 'here',
	createdAt: NOW,
	aliveAt: NOW,
	...more,
});

export const saved = (more: Partial<StoredSubscriptions> = {}): StoredSubscriptions => ({
	...NO_SUBSCRIPTIONS,
	...more,
});

export const passed = (before: SubscriptionSet, now = NOW, silenceMs = DAY): Outcome =>
	reduce(before, { type: 'passed', silenceMs, overlapMs: OVERLAP, now });

export const created = (
	before: SubscriptionSet,
	more: Partial<Extract<SubscriptionEvent, { type: 'created' }>> = {},
): Outcome =>
	reduce(before, {
		type: 'created',
		subscription: one('next'),
		savedByHook: false,
		overlapMs: OVERLAP,
		now: NOW,
		...more,
	});

export const wasSaved = (
	before: SubscriptionSet,
	more: Partial<Extract<SubscriptionEvent, { type: 'saved' }>> = {},
): SubscriptionSet =>
	reduce(before, {
		type: 'saved',
		generation: 9,
		here: false,
		deleted: [],
		overlapMs: OVERLAP,
		jitter: 1,
		now: NOW,
		...more,
	}).set;

export const delivered = (before: SubscriptionSet, id = 'new', now = NOW): SubscriptionSet =>
	reduce(before, { type: 'delivered', id, overlapMs: OVERLAP, now }).set;

// `toEqual([])` takes a list of undefined for an empty one.
export const typesOf = ({ effects }: Outcome) => effects.map(({ type }) => String(type));

export const idsOf = (list: readonly Subscription[]) => list.map(({ id }) => id);
