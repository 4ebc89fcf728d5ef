import { z } from 'zod/v3';
import { isObject, type JsonObject, onlyObject, WRAPPERS } from '../answer/shapes';
import { parseTime } from '../time';

/** A subscription of ours at the service. @see service interface, part 2 */
export interface Subscription {
	id: string;
	/** Signs the deliveries; told once, when the subscription is created. */
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
	/** From when a deletion that fails is not tried again, by the same clock. */
	giveUpAt: number;
	/** Whether it was saved when it was replaced, so that every process of n8n knows it. */
	wasSaved: boolean;
}

/** The time in which records may have been missed: ms since the epoch by the service's clock. */
export interface MissedTime {
	/** The card that is watched; null for all cards. */
	cardId: string | null;
	/** Records up to here are none of the trigger's business. */
	from: number;
	/** Where earlier searches for missed records ended, whether or not they were completed; oldest first. */
	upTo: number[];
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
}

export const NO_SUBSCRIPTIONS: StoredSubscriptions = {
	current: undefined,
	retired: [],
	missed: undefined,
	endedUpTo: 0,
	gone: [],
};

/** The answer to a new subscription. */
export interface CreatedSubscription {
	id: string | undefined;
	secret: string | undefined;
	/** ms since the epoch; undefined where the answer does not tell. */
	createdAt: number | undefined;
}

const ID_NAMES = ['webhook_id', 'subscription_id', 'webhookId', 'subscriptionId', 'id', 'uuid'];
const SECRET_NAMES = ['secret', 'webhook_secret', 'signing_secret'];
const HOLDERS = ['webhook', 'subscription', ...WRAPPERS];
const MAX_DEPTH = 2;

/** The object and what wrappers in it hold, outer ones first; a list of one counts as its object. */
function* wrappedObjects(body: unknown, depth = 0): Generator<JsonObject> {
	const value: unknown = Array.isArray(body) && body.length === 1 ? body[0] : body;
	if (!isObject(value) || depth > MAX_DEPTH) return;
	yield value;
	for (const name of HOLDERS) yield* wrappedObjects(value[name], depth + 1);
}

function readFrom(objects: readonly JsonObject[]): CreatedSubscription {
	const find = (names: readonly string[]): string | undefined => {
		for (const name of names) {
			for (const object of objects) {
				const value = object[name];
				if (typeof value === 'string' && value !== '') return value;
				if (typeof value === 'number') return String(value);
			}
		}
		return undefined;
	};
	return {
		id: find(ID_NAMES),
		secret: find(SECRET_NAMES),
		createdAt: parseTime(find(['created_at'])),
	};
}

/**
 * Reads the answer to a new subscription: identifier and secret may be at the top or in an object, and
 * not in the same one. Where neither is anywhere else, they are looked for in the only object there is.
 *
 * @see service interface, part 2, "Webhook subscription": the object is not shown
 */
export function readCreatedSubscription(body: unknown): CreatedSubscription {
	const objects = [...wrappedObjects(body)];
	const found = readFrom(objects);
	if (found.id !== undefined || found.secret !== undefined) return found;
	const only = objects[0] && onlyObject(objects[0]);
	return only ? readFrom([...wrappedObjects(only)]) : found;
}

const subscriptionSchema = z.object({
	id: z.string(),
	secret: z.string(),
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
				giveUpAt: z.number().default(0),
				wasSaved: z.boolean().default(true),
			}),
		),
		missed: z
			.object({ cardId: z.string().nullable(), from: z.number(), upTo: z.array(z.number()) })
			.optional(),
		endedUpTo: z.number().default(0),
		gone: z.array(z.string()).default([]),
		// As 0.1.0 wrote it.
		catchUpFrom: z.number().optional(),
	})
	.transform(
		({ current, retired, missed, endedUpTo, gone, catchUpFrom }): StoredSubscriptions => ({
			current,
			retired,
			endedUpTo,
			gone,
			missed:
				missed ??
				(current && {
					cardId: current.cardId,
					from: catchUpFrom ?? current.since,
					upTo: [],
				}),
		}),
	);

/** As one text: n8n keeps flat values best. */
export const writeSubscriptions = (subscriptions: StoredSubscriptions): string =>
	JSON.stringify(subscriptions);

/** Reads what `writeSubscriptions` wrote; nothing where there is nothing, or something else. */
export function readSubscriptions(text: unknown): StoredSubscriptions {
	if (typeof text !== 'string') return NO_SUBSCRIPTIONS;
	try {
		return storedSchema.parse(JSON.parse(text));
	} catch {
		return NO_SUBSCRIPTIONS;
	}
}
