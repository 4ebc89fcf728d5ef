/** The subscriptions of a trigger node in the form that n8n saves. Times are ms since the epoch. */
import { z } from 'zod/v3';
import { tryParse } from '../response/parseJson';

/** One of our subscriptions at the service. @see service interface, part 2 */
const subscriptionSchema = z.object({
	id: z.string(),
	/**
	 * The secret that signs its deliveries, sealed with the secret of the credential, because everybody who may read a
	 * workflow may read what n8n saves for it. The service shows it once, on creation.
	 */
	sealed: z.string(),
	/** The address that it delivers to. */
	targetUrl: z.string(),
	/** The API root of the service that holds it. */
	baseUrl: z.string(),
	workspaceId: z.string(),
	/** The ID of its card; null for all cards of the workspace. */
	cardId: z.string().nullable(),
	/** When it was created, by the service's clock. */
	since: z.number(),
});
export type Subscription = z.infer<typeof subscriptionSchema>;

/** A subscription that was replaced by another one, or that ended with the workflow. */
const previousSchema = subscriptionSchema.extend({
	/** When it is to be deleted and its deliveries stop counting, by the local clock. */
	deleteAt: z.number(),
	/**
	 * `ended`: the workflow was unpublished, and it still exists; `deleted`: it is deleted, but late
	 * deliveries count.
	 */
	fate: z.enum(['ended', 'deleted']).optional().catch(undefined),
});
export type Previous = z.infer<typeof previousSchema>;

const savedSchema = z.object({
	current: subscriptionSchema.optional(),
	/** Oldest first. */
	previous: z.array(previousSchema),
	/** The time in which records may have been missed, by the service's clock. */
	missed: z
		.object({
			/** The ID of the watched card; null for all cards. */
			cardId: z.string().nullable(),
			/** All records up to this time were searched. */
			from: z.number(),
			/** The end of the last planned search: completed if it isn't later. */
			upTo: z.number(),
		})
		.optional(),
	/** Grows with each change. Of two copies, the one with the higher number counts. */
	version: z.number(),
	/** Random text of the last start or creation. No older copy of the database has it. */
	mark: z.string(),
});
/** The subscriptions of a trigger node as n8n saves them. */
export type Saved = z.infer<typeof savedSchema>;

export const NOTHING_SAVED: Saved = { previous: [], version: 0, mark: '' };

/** Max previous subscriptions whose deliveries count: each secret is tried, even for a forged delivery. */
export const MAX_PREVIOUS = 5;

/** Returns the copy that counts. @param ours wins if both have the same version */
export const newer = (ours: Saved, other: Saved): Saved =>
	other.version > ours.version ? other : ours;

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

/** Returns the same with the seals that a function gives. @param sealedAgain gets a seal and returns the new one */
export const withSeals = (
	{ current, previous, ...rest }: Saved,
	sealedAgain: (sealed: string) => string,
): Saved => {
	const renewed = <One extends Subscription>(one: One): One => ({
		...one,
		sealed: sealedAgain(one.sealed),
	});
	return { ...rest, current: current && renewed(current), previous: previous.map(renewed) };
};

/** Reads saved text. Returns no subscriptions if it can't be read. */
export const readSaved = (text: unknown): Saved =>
	savedSchema.safeParse(tryParse(String(text))?.value).data ?? NOTHING_SAVED;
