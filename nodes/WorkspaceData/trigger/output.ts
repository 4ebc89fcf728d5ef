/** The output items: for a delivered event, and for a missed record. */
import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { DeliveredEvent } from './webhookEvent';
import type { DataRecord } from '../model/response/record';
import type { FieldIndex } from '../records/fieldIndex';
import { isObject, type JsonObject } from '../model/response/jsonObject';
import { EVENT_KEYS, RESERVED_KEYS, topLevelKey, TRIGGER_KEYS } from '../records/reservedNames';
import { recordKey } from '../model/recordMemory';
import type { TriggerSettings } from './parameters';

/** Keys of an item that a field never has: what the node adds, whatever else the body has. */
const keyOfField = topLevelKey([...RESERVED_KEYS, ...TRIGGER_KEYS]);

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

/** The settings for the output of an event. */
type OutputSettings = Pick<TriggerSettings, 'simple' | 'fieldKeys' | 'card'>;

/**
 * The output for an event, according to the node's settings: the values in the event, what it is about, and all other
 * members of its body in `extra`; or the body as it was delivered.
 *
 * @param index the fields of the card; undefined if no names are available
 */
export function outputOf(
	event: DeliveredEvent,
	{ simple, fieldKeys, card }: OutputSettings,
	index: FieldIndex | undefined,
): IDataObject {
	const { body, key } = event;
	// n8n may take a member `error` for the failure of the item.
	const { error, ...rest } = body;
	if (!simple) {
		return {
			...rest,
			...(error !== undefined && { error_: error }),
			delivery_key: key,
		} as IDataObject;
	}
	const names = fieldKeys === 'name' ? index : undefined;
	const values = Object.entries(namedFields(event.data ?? {}, names));
	const about = EVENT_KEYS.map((name) => [name, body[name] ?? null]);
	const isPlaced = (name: string): boolean =>
		(name !== 'delivery_key' && (EVENT_KEYS as readonly string[]).includes(name)) ||
		(name === 'caught_up' && body.caught_up === true) ||
		(name === 'data' && event.data !== undefined);
	const extra = Object.entries(body).filter(([name]) => !isPlaced(name));
	return {
		...Object.fromEntries(values.map(([name, value]) => [keyOfField(name), value])),
		...Object.fromEntries(about),
		card_name: body.card_name ?? nameOf(card),
		delivery_key: key,
		...(body.caught_up === true && { caught_up: true }),
		...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
	} as IDataObject;
}

/** The name of the watched card, if the parameter contains it. It is never requested. */
function nameOf(card: unknown): string | null {
	if (!isObject(card)) return null;
	const name = card.mode === 'name' ? card.value : card.cachedResultName;
	return typeof name === 'string' && name !== '' ? name : null;
}

/** The event of a missed record, as the service would have sent it. `caught_up` marks it. */
export function missedEvent(
	{ cardId, record, createdAt }: { cardId: string; record: DataRecord; createdAt: number },
	workspaceId: string,
): DeliveredEvent {
	const { id, data } = record;
	const body = {
		event: 'record.created',
		timestamp: record.createdAt,
		workspace_id: workspaceId,
		card_id: cardId,
		record_id: id,
		data,
		caught_up: true,
	};
	return {
		event: body.event,
		happenedAt: createdAt,
		workspaceId,
		cardId,
		recordId: id,
		data,
		body,
		key: createHash('sha256').update(recordKey(cardId, id)).digest('hex'),
	};
}
