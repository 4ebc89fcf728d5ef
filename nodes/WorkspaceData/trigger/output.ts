/** The output items: for a delivered event, and for a missed record. */
import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { DeliveredEvent } from '../model/webhookEvent';
import type { DataRecord } from '../model/response/record';
import type { FieldIndex } from '../model/fieldIndex';
import { isObject, type JsonObject } from '../model/response/shapes';
import { EVENT_KEYS, RESERVED_KEYS_2, topLevelKey } from '../model/reservedNames';
import { recordKey } from './catchUp/memory';
import type { TriggerSettings } from './parameters';

/** Names that would control n8n at the top level, or that have another place. */
const LEFT_OUT = new Set(['error', 'data', 'fields', 'delivery_key']);

/**
 * The properties of an event, also those beyond the interface: for example the person who was added as a
 * collaborator.
 */
const propertiesOf = ({ body }: DeliveredEvent): JsonObject =>
	Object.fromEntries(Object.entries(body).filter(([name]) => !LEFT_OUT.has(name)));

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
type OutputSettings = Pick<TriggerSettings, 'simple' | 'fieldKeys' | 'isFlat' | 'card'>;

/**
 * The output for an event, according to the node's settings.
 *
 * @param index the fields of the card; undefined if no names are available
 */
export function outputOf(
	event: DeliveredEvent,
	{ simple, fieldKeys, isFlat, card }: OutputSettings,
	index: FieldIndex | undefined,
): IDataObject {
	if (!simple) return event.body as IDataObject;
	const names = fieldKeys === 'name' ? index : undefined;
	return isFlat ? flat(event, names, card) : simplified(event, names);
}

/** Version 1: the properties of the event, then its values under `fields`. */
const simplified = (event: DeliveredEvent, index: FieldIndex | undefined) =>
	({
		...propertiesOf(event),
		...(event.data && { fields: namedFields(event.data, index) }),
		delivery_key: event.key,
	}) as IDataObject;

/** Version 2: the values in the event, then the properties of the event, then any others from the service. */
function flat(event: DeliveredEvent, index: FieldIndex | undefined, card: unknown): IDataObject {
	const about: JsonObject = {
		...Object.fromEntries(EVENT_KEYS.map((name) => [name, null])),
		...propertiesOf(event),
		card_name: nameOf(card) ?? event.body.card_name ?? null,
		delivery_key: event.key,
	};
	const keyOf = topLevelKey([...RESERVED_KEYS_2, ...Object.keys(about)]);
	const values = Object.entries(namedFields(event.data ?? {}, index));
	const fields = Object.fromEntries(values.map(([name, value]) => [keyOf(name), value]));
	return { ...fields, ...about } as IDataObject;
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
