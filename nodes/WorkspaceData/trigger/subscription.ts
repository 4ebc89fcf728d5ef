/** The subscriptions of a trigger node, and the rules about them: pure functions. Times are ms since the epoch. */
import { DAY_MS, MINUTE_MS } from '../values/time';

/** How long deliveries of a subscription may be under way after it was replaced or deleted. */
const LATE_MS = 15 * MINUTE_MS;
/** An older one isn't the original's of a copy of the database: the original has replaced it by then. */
const WEEK_MS = 7 * DAY_MS;
/** Starts that follow each other this quickly make one subscription. */
const CRASH_LOOP_MS = 2 * MINUTE_MS;
/** The service's clock is known by `Date`, which has whole seconds. */
const DATE_PRECISION_MS = 2_000;
const MAX_PREVIOUS = 10;

/** A subscription at the service. @see service interface, part 2 */
export interface Subscription {
	/** Missing once it is deleted. */
	id?: string;
	/** Signs its deliveries. The service shows it once. */
	secret: string;
	/** n8n's webhook address. */
	url: string;
	baseUrl: string;
	workspace: string;
	events: string[];
	/** The card as it was selected; empty for all cards. */
	card: string;
	/** Missing for all cards. */
	cardId?: string | undefined;
	/** When it was made, by the service's clock. */
	since: number;
	/** The same by n8n's clock. */
	madeAt: number;
	/** The process of n8n that made it. */
	madeBy: string;
}

/** Where a subscription is, and where it delivers. */
export type Place = Pick<Subscription, 'url' | 'baseUrl' | 'workspace'>;

/** What a node is to subscribe to. */
export type Target = Place & Pick<Subscription, 'events' | 'card'>;

/** A subscription that was replaced, or that ended when the workflow was unpublished. */
export interface Previous extends Subscription {
	replacedAt: number;
	ended?: boolean;
}

/** What n8n saves for a node. Of two copies, the one with the higher version counts. */
export interface Saved {
	version: number;
	current?: Subscription | undefined;
	/** Oldest first. */
	previous: Previous[];
}

/** @param ours counts if both have the same version */
export const newer = (ours: Saved, other: Saved): Saved =>
	other.version > ours.version ? other : ours;

/** Returns true if a start needs no new subscription: this process made the current one, or the last start was just now. */
export function isToKeep({ current }: Saved, target: Target, process: string, now: number) {
	const keyOf = ({ url, baseUrl, workspace, card, events }: Target) =>
		JSON.stringify([url, baseUrl, workspace, card, [...events].sort()]);
	if (!current || keyOf(current) !== keyOf(target)) return false;
	return current.madeBy === process || Math.abs(now - current.madeAt) < CRASH_LOOP_MS;
}

/** The previous subscriptions, and the current one as the newest of them. */
const all = ({ current, previous }: Saved, now: number): Previous[] =>
	current ? [...previous, { ...current, replacedAt: now }] : previous;

/** A new subscription takes the place of the current one. */
export function replace(saved: Saved, current: Subscription, now: number): Saved {
	return { ...saved, current, previous: all(saved, now) };
}

/** The workflow was unpublished: all subscriptions end. */
export function end(saved: Saved, now: number): Saved {
	const ended = (one: Previous) => (one.ended ? one : { ...one, replacedAt: now, ended: true });
	return { version: saved.version, previous: all(saved, now).map(ended) };
}

/** A subscription was deleted at the service. Its secret stays for what is under way. */
export function markDeleted(saved: Saved, deletedId: string): Saved {
	const marked = ({ id, ...one }: Previous) => (id && id !== deletedId ? { ...one, id } : one);
	return { ...saved, previous: saved.previous.map(marked) };
}

/** Returns true if this node, with this credential, may delete a subscription. */
export const isOwn = (one: Place, { url, baseUrl, workspace }: Place): boolean =>
	one.url === url && one.baseUrl === baseUrl && one.workspace === workspace;

/** Takes from the list what is over. @returns the rest, and what is left behind at the service */
export function prune(saved: Saved, place: Place, now: number) {
	const keptMs = (one: Previous) => (!one.id ? LATE_MS : isOwn(one, place) ? Infinity : WEEK_MS);
	const kept = saved.previous.filter((one) => now - one.replacedAt < keptMs(one));
	const previous = kept.slice(-MAX_PREVIOUS);
	const left = saved.previous.filter((one) => one.id && !previous.includes(one));
	return { saved: { ...saved, previous }, left };
}

/** Which previous subscriptions are to be deleted, each while or after something happens. */
export const due = {
	/** The workflow is published, or n8n starts. */
	atStart: (one: Previous, now: number) => one.ended || now - one.replacedAt >= WEEK_MS,
	/** The current one has delivered. */
	atDelivery: (one: Previous, now: number) => !one.ended && now - one.replacedAt >= LATE_MS,
	/** A process makes one after the other: nobody else uses its older ones. */
	atRenewal: (one: Previous, now: number, process: string) =>
		!one.ended && now - one.replacedAt >= LATE_MS && one.madeBy === process,
};

/** The subscriptions whose signature is valid, the current one first. */
export function signers({ current, previous }: Saved, now: number): Subscription[] {
	const valid = previous.filter((one) => !one.ended || now - one.replacedAt < LATE_MS);
	return [...(current ? [current] : []), ...valid.reverse()];
}

/**
 * Returns true if a delivery counts. What happened after the current subscription was made, that one brings as well.
 *
 * @param happenedAt when, by the service's clock; undefined if unknown
 */
export function counts({ current }: Saved, signer: Subscription, happenedAt = -Infinity): boolean {
	if (!current || signer.secret === current.secret) return true;
	return happenedAt < current.since + DATE_PRECISION_MS;
}
