/** Reads the service's answer to a new subscription. */
import { isObject, type JsonObject, onlyObject, WRAPPERS } from '../answer/shapes';
import { parseTime } from '../time';

/** The answer to a new subscription. */
export interface CreatedSubscription {
	id: string | undefined;
	secret: string | undefined;
	/** ms since the epoch; undefined where the answer does not say. */
	createdAt: number | undefined;
}

/** Names that say whose identifier it is, wherever they are. */
const OWN_ID_NAMES = ['webhook_id', 'subscription_id', 'webhookId', 'subscriptionId'];
/** Names that an envelope may have, too. */
const ID_NAMES = ['id', 'uuid'];
const SECRET_NAMES = ['secret', 'webhook_secret', 'signing_secret'];
const HOLDERS = ['webhook', 'subscription', 'attributes', ...WRAPPERS];
const MAX_DEPTH = 2;

/** The object and the objects in its wrappers, outer ones first; a list of one counts as its object. */
function* wrappedObjects(body: unknown, depth = 0): Generator<JsonObject> {
	const value: unknown = Array.isArray(body) && body.length === 1 ? body[0] : body;
	if (!isObject(value) || depth > MAX_DEPTH) return;
	yield value;
	for (const name of HOLDERS) yield* wrappedObjects(value[name], depth + 1);
}

/** Whether a text may be a secret. One that is shown as stars or bullets is known to everybody. */
const isSecret = (text: string): boolean =>
	text.trim() !== '' && !/[*•●]{3}/.test(text) && !/^\W*(?:hidden|masked|redacted)\W*$/i.test(text);

/** Whether an identifier can stand in an address. */
const isUsable = (id: string): boolean => /^(?!\.{1,2}$)[^\s/]+$/.test(id);

/** The first value under one of the names. */
function find(
	names: readonly string[],
	objects: readonly JsonObject[],
	accepts: (text: string) => boolean = isUsable,
): string | undefined {
	for (const name of names) {
		for (const object of objects) {
			const given = object[name];
			const value = isObject(given) ? given.value : given;
			if (typeof value === 'string' && accepts(value)) return value;
			if (typeof value === 'number') return String(value);
		}
	}
	return undefined;
}

function readFrom(objects: readonly JsonObject[]): CreatedSubscription {
	const withSecret = objects.filter((object) => find(SECRET_NAMES, [object]) !== undefined);
	const nextToSecret = [...withSecret, ...objects];
	return {
		id: find(OWN_ID_NAMES, nextToSecret) ?? find(ID_NAMES, withSecret) ?? find(ID_NAMES, objects),
		secret: find(SECRET_NAMES, objects, isSecret),
		createdAt: parseTime(find(['created_at'], nextToSecret)),
	};
}

/**
 * Reads the answer to a new subscription: identifier and secret may be at the top or in an object, and
 * not in the same one. The `id` next to the secret counts rather than that of an envelope. Where neither is anywhere
 * else, they are looked for in the only object there is.
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
