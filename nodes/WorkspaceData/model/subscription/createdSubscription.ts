/** Reads the service's response to a new subscription. */
import { isObject, isText, type JsonObject, onlyObject, WRAPPERS } from '../response/jsonObject';
import { parseTime } from '../../values/time';

/** Names that always mean a subscription's identifier, wherever they are. */
const OWN_ID_NAMES = ['webhook_id', 'subscription_id', 'webhookId', 'subscriptionId'];
/** Names that an envelope may use as well. */
const ID_NAMES = ['id', 'uuid'];
const SECRET_NAMES = ['secret', 'webhook_secret', 'signing_secret'];
const HOLDERS = ['webhook', 'subscription', 'attributes', ...WRAPPERS];
const MAX_DEPTH = 2;

/**
 * The object and the objects in its wrappers, outer ones first. A list with one entry counts as that entry.
 */
function* wrappedObjects(body: unknown, depth = 0): Generator<JsonObject> {
	const value: unknown = Array.isArray(body) && body.length === 1 ? body[0] : body;
	if (!isObject(value) || depth > MAX_DEPTH) return;
	yield value;
	for (const name of HOLDERS) yield* wrappedObjects(value[name], depth + 1);
}

/** Returns true if text may be a secret. Stars or bullets aren't one. */
const isSecret = (text: string): boolean =>
	text.trim() !== '' && !/[*•●]{3}/.test(text) && !/^\W*(?:hidden|masked|redacted)\W*$/i.test(text);

/** Returns true if an identifier can be part of an address. */
const isUsable = (id: string): boolean => /^(?!\.{1,2}$)[^\s/]+$/.test(id);

/** The first value under the first of the names that has one. A number counts as text. */
function find(
	names: readonly string[],
	objects: readonly JsonObject[],
	accepts: (text: string) => boolean = isUsable,
): string | undefined {
	const given = names.flatMap((name) => objects.map((object) => object[name]));
	const values = given.map((value) => (isObject(value) ? value.value : value));
	const stated = values.map((value) => (typeof value === 'number' ? String(value) : value));
	return stated.filter(isText).find(accepts);
}

function readFrom(objects: readonly JsonObject[]) {
	const withSecret = objects.filter((object) => find(SECRET_NAMES, [object]) !== undefined);
	const nextToSecret = [...withSecret, ...objects];
	return {
		id: find(OWN_ID_NAMES, nextToSecret) ?? find(ID_NAMES, withSecret) ?? find(ID_NAMES, objects),
		secret: find(SECRET_NAMES, objects, isSecret),
		/** ms since the epoch; undefined if the response doesn't say. */
		createdAt: parseTime(find(['created_at'], nextToSecret)),
	};
}

/**
 * Reads the response to a new subscription. Identifier and secret may be at the top or in an object, and in
 * different ones. An `id` next to the secret takes precedence over the `id` of an envelope. If neither is
 * found, both are looked for in the only object that there is.
 *
 * @see service interface, part 2, "Webhook subscription": the object is not shown
 */
export function readCreatedSubscription(body: unknown) {
	const objects = [...wrappedObjects(body)];
	const found = readFrom(objects);
	if (found.id !== undefined || found.secret !== undefined) return found;
	const only = objects[0] && onlyObject(objects[0]);
	return only ? readFrom([...wrappedObjects(only)]) : found;
}
