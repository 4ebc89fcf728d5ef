/** The subscriptions of a trigger node in the form that n8n saves. Times are ms since the epoch. */
import { z } from 'zod/v3';
import { tryParse } from '../response/parseJson';
import { seal, unseal } from './seal';

/** One of our subscriptions at the service. @see service interface, part 2 */
const subscriptionSchema = z.object({
	id: z.string(),
	/** Signs the deliveries. The service shows it once, on creation. Empty if its seal couldn't be opened. */
	secret: z.string().default(''),
	/** The secret as it was saved. It stays if it can't be opened, for when the credential is readable again. */
	sealed: z.string().optional(),
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

/** The time in which records may have been missed, by the service's clock. */
const missedSchema = z.object({
	/** The ID of the watched card; null for all cards. */
	cardId: z.string().nullable(),
	/** All records up to this time were searched. */
	from: z.number(),
	/** The end of the last planned search: completed if it isn't later. */
	upTo: z.number(),
	/** False if an earlier search of this time wasn't completed. */
	isWhole: z.boolean(),
});
type MissedTime = z.infer<typeof missedSchema>;

/** No search has been planned yet. */
export const unsearchedSince = ({ cardId, since }: Subscription): MissedTime => ({
	cardId,
	from: since,
	upTo: since,
	isWhole: true,
});

const savedSchema = z
	.object({
		current: subscriptionSchema.optional(),
		/** Oldest first. */
		previous: z.array(previousSchema),
		missed: missedSchema.optional(),
		/** Grows with each change. Of two copies, the one with the higher number counts. */
		version: z.number(),
		/** Random text of the last start or creation. No older copy of the database has it. */
		mark: z.string(),
	})
	.transform(({ current, missed, ...saved }) => ({ ...saved, current, missed }));
/** The subscriptions of a trigger node as n8n saves them. */
export type Saved = z.infer<typeof savedSchema>;

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

/**
 * Returns one text without readable secrets, because everybody who may read a workflow may read what n8n
 * saved for it. A secret keeps its seal if it isn't known, or the credential isn't readable.
 *
 * @param key the secret of the credential; undefined if it can't be read
 */
export function sealSaved({ current, previous, ...rest }: Saved, key: string | undefined): string {
	const written = ({ secret, sealed, ...one }: Subscription) => ({
		...one,
		sealed: key === undefined || secret === '' ? sealed : seal(secret, key),
	});
	return JSON.stringify({
		current: current && written(current),
		previous: previous.map(written),
		...rest,
	});
}

/**
 * Reads saved text. Returns no subscriptions if it can't be read.
 *
 * @param key the secret of the credential, which opens the seals of secrets
 */
export function readSaved(text: unknown, key?: string): Saved {
	const saved = savedSchema.safeParse(tryParse(String(text))?.value).data ?? NOTHING_SAVED;
	const opened = <One extends Subscription>(one: One): One => ({
		...one,
		secret: one.secret || (one.sealed && key && unseal(one.sealed, key)) || '',
	});
	const { current, previous } = saved;
	return { ...saved, current: current && opened(current), previous: previous.map(opened) };
}
