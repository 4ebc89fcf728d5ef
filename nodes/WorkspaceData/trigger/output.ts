/** The output item for an event. */
import type { IDataObject } from 'n8n-workflow';
import type { FieldIndex } from '../records/fieldIndex';
import {
	EVENT_KEYS,
	RESERVED_KEYS,
	topLevelKey,
	TRIGGER_KEYS,
	withoutErrorFlag,
} from '../records/recordOutput';
import { isObject, type JsonObject } from '../values/json';
import type { Delivery } from './event';

/** The key of a field in an item. */
const keyOfField = topLevelKey([...RESERVED_KEYS, ...TRIGGER_KEYS]);

/**
 * The values in the event, what it is about, and all other members of its body in `extra`; or the body as it was delivered.
 *
 * @param index the fields of the card; undefined if no names are available
 */
export function outputOf({ event, settings }: Delivery, index?: FieldIndex): IDataObject {
	const { simple, fieldKeys, card } = settings;
	const { body, data, key } = event;
	if (!simple) {
		const added = body.delivery_key === undefined && { delivery_key: key };
		return { ...withoutErrorFlag(body), ...added } as IDataObject;
	}
	const values = Object.entries(namedFields(data ?? {}, fieldKeys === 'name' ? index : undefined));
	const placed: string[] = EVENT_KEYS.filter((name) => name !== 'delivery_key');
	if (data !== undefined) placed.push('data');
	const extra = Object.entries(body).filter(([name]) => !placed.includes(name));
	return {
		...Object.fromEntries(values.map(([name, value]) => [keyOfField(name), value])),
		...Object.fromEntries(EVENT_KEYS.map((name) => [name, body[name] ?? null])),
		card_name: body.card_name ?? nameOf(card),
		delivery_key: key,
		...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
	} as IDataObject;
}

/** Values by field name; by field ID if the name is unknown or used by another value. */
function namedFields(data: JsonObject, index: FieldIndex | undefined): JsonObject {
	const named = new Map<string, unknown>();
	for (const [id, value] of Object.entries(data)) {
		const field = index?.byId(id);
		const name = field && index ? index.keyOf(field) : id;
		const isTaken = named.has(name) || (name !== id && Object.hasOwn(data, name));
		named.set(isTaken ? id : name, value);
	}
	return Object.fromEntries(named);
}

/** The name of the watched card, if the parameter contains it. It is never requested. */
function nameOf(card: unknown): string | null {
	if (!isObject(card)) return null;
	const name = card.mode === 'name' ? card.value : card.cachedResultName;
	return typeof name === 'string' && name !== '' ? name : null;
}
