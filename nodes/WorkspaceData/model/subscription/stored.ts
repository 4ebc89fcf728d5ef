/** The subscriptions of a trigger node as n8n saves them. */
import { z } from 'zod/v3';

/** A subscription of ours at the service. @see service interface, part 2 */
export interface Subscription {
	id: string;
	/** Signs the deliveries; shown once, when the subscription is created. Empty: its seal could not be opened. */
	secret: string;
	/** Where it delivers to. */
	targetUrl: string;
	/** The API root of the service that holds it; undefined where 0.1.0 did not keep it yet. */
	baseUrl?: string | undefined;
	workspaceId: string;
	/** The card it covers; null for all cards of the workspace. */
	cardId: string | null;
	/** Since when it exists: ms since the epoch by the service's clock. */
	since: number;
	/** How far the service's clock was ahead of ours when it was made, in ms. */
	clockAheadMs: number;
	/** Counts the subscriptions of a node: the one with the highest number is the current one. */
	generation: number;
}

/** A subscription that another one has replaced. */
export interface RetiredSubscription extends Subscription {
	/**
	 * Until when its deliveries count, and from when it is to be deleted: ms since the epoch by the local
	 * clock. null until its successor is known to work.
	 */
	deleteAt: number | null;
	/**
	 * From when a deletion that fails is not tried again before the next start, by the same clock. null until
	 * the first deletion failed, or, at another address than this n8n's, until n8n started.
	 */
	giveUpAt: number | null;
	/** Whether it was saved when it was replaced, so that every process of n8n knows it. */
	wasSaved: boolean;
}

/** The time in which records may have been missed: ms since the epoch by the service's clock. */
export interface MissedTime {
	/** The card that is watched; null for all cards. */
	cardId: string | null;
	/** Records created before this are ignored. */
	from: number;
	/** Where earlier searches for missed records ended, whether or not they were completed; oldest first. */
	upTo: number[];
}

/** Requests for a subscription whose answer was lost: each may have left one at the service. */
export interface LostAnswers {
	/** How many since the last subscription was created. */
	count: number;
	/** When the last one was sent, in ms since the epoch by the local clock. */
	at: number;
}

/** The subscriptions of a trigger node as n8n saves them. */
export interface StoredSubscriptions {
	current: Subscription | undefined;
	/** Still delivering, or not yet deleted; oldest first. */
	retired: RetiredSubscription[];
	missed: MissedTime | undefined;
	/** Subscriptions up to this generation ended when the workflow was unpublished. */
	endedUpTo: number;
	/** Ids of the subscriptions that were deleted or given up last: an older copy may still name them. */
	gone: readonly string[];
	lostAnswers: LostAnswers;
}

export const NONE_LOST: LostAnswers = { count: 0, at: 0 };

export const NO_SUBSCRIPTIONS: StoredSubscriptions = {
	current: undefined,
	retired: [],
	missed: undefined,
	endedUpTo: 0,
	gone: [],
	lostAnswers: NONE_LOST,
};

const subscriptionSchema = z.object({
	id: z.string(),
	/** As 0.1.0 wrote it. */
	secret: z.string().default(''),
	sealed: z.string().optional(),
	targetUrl: z.string(),
	baseUrl: z.string().optional(),
	workspaceId: z.string(),
	cardId: z.string().nullable(),
	since: z.number(),
	clockAheadMs: z.number().default(0),
	generation: z.number().default(0),
});

const storedSchema = z
	.object({
		current: subscriptionSchema.optional(),
		retired: z.array(
			subscriptionSchema.extend({
				deleteAt: z.number().nullable(),
				giveUpAt: z.number().nullable().default(null),
				wasSaved: z.boolean().default(true),
			}),
		),
		missed: z
			.object({ cardId: z.string().nullable(), from: z.number(), upTo: z.array(z.number()) })
			.optional(),
		endedUpTo: z.number().default(0),
		gone: z.array(z.string()).default([]),
		lostAnswers: z.object({ count: z.number(), at: z.number() }).default(NONE_LOST),
		// As 0.1.0 wrote it.
		catchUpFrom: z.number().optional(),
	})
	.transform(({ catchUpFrom, missed, ...rest }) => ({
		...rest,
		missed:
			missed ??
			(rest.current && {
				cardId: rest.current.cardId,
				from: catchUpFrom ?? rest.current.since,
				upTo: [],
			}),
	}));

/** Seals the secret of a subscription, or opens its seal; undefined where it cannot be opened. */
export type Sealing = (text: string) => string | undefined;

/** As one text, with secrets readable: for a text that is sealed as a whole. */
export const writeSubscriptions = (subscriptions: StoredSubscriptions): string =>
	JSON.stringify(subscriptions);

/**
 * As one text without readable secrets: whoever may read a workflow may read what n8n saved for it. The same subscriptions
 * with the same seals are the same text.
 */
export function sealSubscriptions(
	{ current, retired, lostAnswers, missed, endedUpTo, gone }: StoredSubscriptions,
	seal: Sealing,
): string {
	const hidden = <One extends Subscription>({ secret, ...one }: One) => ({
		...one,
		sealed: secret === '' ? undefined : seal(secret),
	});
	return JSON.stringify({
		current: current && hidden(current),
		retired: retired.map(hidden),
		...(lostAnswers.count > 0 && { lostAnswers }),
		missed,
		endedUpTo,
		gone,
	});
}

type SavedSubscription = z.infer<typeof subscriptionSchema>;

/** The seals in a saved text. */
export function sealsIn(text: unknown): string[] {
	const saved = parseStored(text);
	const all = saved ? [...saved.retired, ...(saved.current ? [saved.current] : [])] : [];
	return all.flatMap(({ sealed }) => (sealed === undefined ? [] : [sealed]));
}

/**
 * Reads a saved text; nothing where there is nothing, or something else.
 *
 * @param open opens the seals of secrets
 */
export function readSubscriptions(
	text: unknown,
	open: Sealing = () => undefined,
): StoredSubscriptions {
	const saved = parseStored(text);
	if (!saved) return NO_SUBSCRIPTIONS;
	const opened = <One extends SavedSubscription>({ sealed, ...one }: One) => ({
		...one,
		secret: sealed === undefined || one.secret !== '' ? one.secret : (open(sealed) ?? ''),
	});
	return {
		...saved,
		current: saved.current && opened(saved.current),
		retired: saved.retired.map(opened),
	};
}

function parseStored(text: unknown): z.infer<typeof storedSchema> | undefined {
	try {
		return storedSchema.parse(JSON.parse(String(text)));
	} catch {
		return undefined;
	}
}
