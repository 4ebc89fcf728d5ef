/** The subscriptions of a trigger node in the form that n8n saves. Times are ms since the epoch. */
import { z } from 'zod/v3';

/** One of our subscriptions at the service. @see service interface, part 2 */
export interface Subscription {
	id: string;
	/** Signs the deliveries. The service shows it once, on creation. Empty if its seal couldn't be opened. */
	secret: string;
	/** The secret as it was saved. It stays if it can't be opened, for when the credential is readable again. */
	sealed?: string | undefined;
	/** The address that it delivers to. */
	targetUrl: string;
	/** The API root of the service that holds it; undefined if 0.1.0 saved it. */
	baseUrl?: string | undefined;
	workspaceId: string;
	/** The ID of its card; null for all cards of the workspace. */
	cardId: string | null;
	/** When it was created, by the service's clock. */
	since: number;
	/** How far the service's clock was ahead of ours on creation, in ms. */
	clockAheadMs: number;
}

/** A subscription that was replaced by another one, or that ended with the workflow. */
export interface Previous extends Subscription {
	/** When it is to be deleted and its deliveries stop counting, by the local clock. */
	deleteAt: number;
	/**
	 * `ended`: the workflow was unpublished, and it still exists; `deleted`: it is deleted, but late
	 * deliveries count.
	 */
	fate?: 'ended' | 'deleted' | undefined;
}

/** The time in which records may have been missed, by the service's clock. */
export interface MissedTime {
	/** The ID of the watched card; null for all cards. */
	cardId: string | null;
	/** All records up to this time were searched. */
	from: number;
	/** Ends of later searches that may not be completed, oldest first. */
	upTo: number[];
}

/** The subscriptions of a trigger node as n8n saves them. */
export interface Saved {
	current: Subscription | undefined;
	/** Oldest first. */
	previous: readonly Previous[];
	missed: MissedTime | undefined;
	/** Grows with each change. Of two copies, the one with the higher number counts. */
	version: number;
	/** Random text of the last start or creation. No older copy of the database has it. */
	mark: string;
}

export const NOTHING_SAVED: Saved = {
	current: undefined,
	previous: [],
	missed: undefined,
	version: 0,
	mark: '',
};

/** Max previous subscriptions whose deliveries count: each secret is tried, even for a forged delivery. */
export const MAX_PREVIOUS = 5;

/**
 * Returns the copy that counts, with the secrets and seals of both: only one of them may have been read with
 * a readable credential.
 *
 * @param ours wins if both have the same version
 */
export function newer(ours: Saved, other: Saved): Saved {
	const [counts, rest] = other.version > ours.version ? [other, ours] : [ours, other];
	const twins = new Map(subscriptionsIn(rest).map((one) => [one.id, one]));
	const completed = <One extends Subscription>(one: One): One => {
		const twin = twins.get(one.id);
		if (!twin || (twin.secret !== one.secret && twin.sealed !== one.sealed)) return one;
		return { ...one, secret: one.secret || twin.secret, sealed: one.sealed ?? twin.sealed };
	};
	const { current, previous } = counts;
	return { ...counts, current: current && completed(current), previous: previous.map(completed) };
}

/** The current subscription, and the previous ones. */
export const subscriptionsIn = ({ current, previous }: Saved): Subscription[] => [
	...(current ? [current] : []),
	...previous,
];

/**
 * The subscriptions whose deliveries count, newest first. One that still exists counts after its overlap as
 * well: until it is deleted, it may be the only one that delivers.
 */
export function accepted({ current, previous }: Saved, now: number): Subscription[] {
	const valid = previous.filter(
		({ deleteAt, fate, targetUrl }) =>
			deleteAt > now || (fate === undefined && targetUrl === current?.targetUrl),
	);
	return [...(current ? [current] : []), ...valid.slice(-MAX_PREVIOUS).reverse()];
}

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
	/** As 0.2.0 wrote it. */
	generation: z.number().optional(),
});

const savedSchema = z
	.object({
		current: subscriptionSchema.optional(),
		/** 0.2.0 wrote null if the successor wasn't known to work. */
		retired: z.array(
			subscriptionSchema.extend({
				deleteAt: z.number().nullable(),
				fate: z.enum(['ended', 'deleted']).optional().catch(undefined),
			}),
		),
		missed: z
			.object({ cardId: z.string().nullable(), from: z.number(), upTo: z.array(z.number()) })
			.optional(),
		version: z.number().optional(),
		mark: z.string().default(''),
		/** As 0.2.0 wrote it. */
		endedUpTo: z.number().default(0),
		/** As 0.1.0 wrote it. */
		catchUpFrom: z.number().optional(),
	})
	.transform(({ current, retired, missed, catchUpFrom, version, endedUpTo, mark }) => ({
		current,
		previous: retired.map((one) => ({ ...one, deleteAt: one.deleteAt ?? Infinity })),
		missed:
			missed ??
			(current && { cardId: current.cardId, from: catchUpFrom ?? current.since, upTo: [] }),
		// More than nothing has.
		version: version ?? Math.max(endedUpTo, current?.generation ?? 1),
		mark,
	}));

/** Returns one text with readable secrets, for text that is sealed as a whole. */
export const writeSaved = (saved: Saved): string => textOf(saved, (one) => one);

/**
 * Returns one text without readable secrets, because everybody who may read a workflow may read what n8n
 * saved for it.
 *
 * @param seal returns the seal of its secret
 */
export const sealSaved = (saved: Saved, seal: (one: Subscription) => string | undefined): string =>
	textOf(saved, ({ secret, ...one }) => ({ ...one, sealed: seal({ ...one, secret }) }));

const textOf = (
	{ current, previous, ...rest }: Saved,
	written: (one: Subscription) => object,
): string =>
	JSON.stringify({
		current: current && written(current),
		retired: previous.map(written),
		...rest,
	});

function parse(text: unknown): z.infer<typeof savedSchema> | undefined {
	try {
		return savedSchema.parse(JSON.parse(String(text)));
	} catch {
		return undefined;
	}
}

/**
 * Reads saved text, also of earlier versions. Returns no subscriptions if it can't be read.
 *
 * @param open opens the seals of secrets
 */
export function readSaved(
	text: unknown,
	open: (sealed: string) => string | undefined = () => undefined,
): Saved {
	const saved = parse(text);
	if (!saved) return NOTHING_SAVED;
	const opened = <One extends z.infer<typeof subscriptionSchema>>(one: One) => ({
		...one,
		secret: one.secret || (one.sealed && open(one.sealed)) || '',
	});
	return {
		...saved,
		current: saved.current && opened(saved.current),
		previous: saved.previous.map(opened),
	};
}
