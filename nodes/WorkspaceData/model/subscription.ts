import { z } from 'zod';
import { isObject, type JsonObject } from './shapes';

/** A subscription of ours at the service. @see service interface, part 2 */
export interface Subscription {
	id: string;
	/** Signs the deliveries; told once, when the subscription is created. */
	secret: string;
	/** Where it delivers to. */
	targetUrl: string;
	workspaceId: string;
	/** The card it covers; null for all cards of the workspace. */
	cardId: string | null;
	/** Since when it exists: ms since the epoch by the service's clock. */
	since: number;
}

/** A subscription that another one has replaced. */
export interface RetiredSubscription extends Subscription {
	/** From when on it is to be deleted: ms since the epoch by the local clock. */
	deleteAt: number;
}

/** All subscriptions that a trigger node answers for. */
export interface KeptSubscriptions {
	current: Subscription | undefined;
	/** Still delivering, or not yet deleted; oldest first. */
	retired: RetiredSubscription[];
	/**
	 * From when on records may have been missed at the next start: ms since the epoch by the service's
	 * clock.
	 */
	catchUpFrom: number | undefined;
}

export const NO_SUBSCRIPTIONS: KeptSubscriptions = {
	current: undefined,
	retired: [],
	catchUpFrom: undefined,
};

/** What the answer to a new subscription says. */
export interface CreatedSubscription {
	id: string | undefined;
	secret: string | undefined;
	/** ms since the epoch; undefined where the answer does not tell. */
	createdAt: number | undefined;
}

const ID_NAMES = ['webhook_id', 'subscription_id', 'id'];
const SECRET_NAMES = ['secret', 'webhook_secret', 'signing_secret'];
const WRAPPERS = ['webhook', 'subscription', 'data', 'result', 'item'];
const MAX_DEPTH = 2;

/** The object and what wrappers in it hold, outer ones first. */
function* wrappedObjects(value: unknown, depth = 0): Generator<JsonObject> {
	if (!isObject(value) || depth > MAX_DEPTH) return;
	yield value;
	for (const name of WRAPPERS) yield* wrappedObjects(value[name], depth + 1);
}

/**
 * Reads the answer to a new subscription: identifier and secret may be at the top or in an object, and
 * not in the same one.
 *
 * @see service interface, part 2, "Webhook subscription": the object is not shown
 */
export function readCreatedSubscription(body: unknown): CreatedSubscription {
	const objects = [...wrappedObjects(body)];
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
	const createdAt = Date.parse(find(['created_at']) ?? '');
	return {
		id: find(ID_NAMES),
		secret: find(SECRET_NAMES),
		createdAt: Number.isNaN(createdAt) ? undefined : createdAt,
	};
}

const subscriptionSchema = z.object({
	id: z.string(),
	secret: z.string(),
	targetUrl: z.string(),
	workspaceId: z.string(),
	cardId: z.string().nullable(),
	since: z.number(),
});

const keptSchema = z.object({
	current: subscriptionSchema.optional(),
	retired: z.array(subscriptionSchema.extend({ deleteAt: z.number() })),
	catchUpFrom: z.number().optional(),
});

/** As one text: n8n keeps flat values best. */
export const writeSubscriptions = (kept: KeptSubscriptions): string => JSON.stringify(kept);

/** Reads what `writeSubscriptions` wrote; nothing where there is nothing, or something else. */
export function readSubscriptions(text: unknown): KeptSubscriptions {
	if (typeof text !== 'string') return NO_SUBSCRIPTIONS;
	try {
		const { current, retired, catchUpFrom } = keptSchema.parse(JSON.parse(text));
		return { current, retired, catchUpFrom };
	} catch {
		return NO_SUBSCRIPTIONS;
	}
}
