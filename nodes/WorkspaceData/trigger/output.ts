/** The items that a workflow gets: for an event that was delivered, and for a record that was missed. */
import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { DeliveredEvent } from '../model/webhookEvent';
import type { DataRecord } from '../model/answer/record';
import type { FieldIndex } from '../model/fieldIndex';
import { isObject, type JsonObject } from '../model/answer/shapes';
import { EVENT_KEYS, RESERVED_KEYS_2, topLevelKey } from '../model/itemKeys';
import { recordKey } from './catchUp/memory';
import type { TriggerSettings } from './parameters';

/** A top-level property of these names would steer n8n, or takes another place. */
const LEFT_OUT = new Set(['error', 'data', 'fields', 'delivery_key']);

/** Values under the names of their fields; under ids where no name is known, or another value has it. */
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

/** How an event is returned. */
type OutputSettings = Pick<TriggerSettings, 'simple' | 'fieldKeys' | 'isFlat' | 'card'>;

/**
 * The output for an event, as the node's settings say.
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

/**
 * The output for an event in its simplified form. Properties that the service sends beyond the interface are
 * passed on, for example who was added as a collaborator.
 *
 * @param index the fields of the card; undefined where ids are wanted, or no names can be had
 */
function simplified(event: DeliveredEvent, index: FieldIndex | undefined): IDataObject {
	const rest = Object.entries(event.body).filter(([name]) => !LEFT_OUT.has(name));
	return {
		...Object.fromEntries(rest),
		...(event.data && { fields: namedFields(event.data, index) }),
		delivery_key: event.key,
	} as IDataObject;
}

/** Version 2: the values that the event carries, then what it says about itself, then what else the service sends. */
function flat(event: DeliveredEvent, index: FieldIndex | undefined, card: unknown): IDataObject {
	const { body, data = {}, key } = event;
	const about: Record<string, unknown> = { ...body, card_name: nameOf(card), delivery_key: key };
	const others = Object.keys(body).filter((name) => !OWN_KEYS.has(name) && !LEFT_OUT.has(name));
	const keyOf = topLevelKey([...RESERVED_KEYS_2, ...EVENT_KEYS, ...others]);
	const values = Object.entries(namedFields(data, index)).map(([name, value]) => [
		keyOf(name),
		value,
	]);
	const own = [...EVENT_KEYS, ...others].map((name) => [name, about[name] ?? null]);
	return Object.fromEntries([...values, ...own]) as IDataObject;
}

const OWN_KEYS = new Set<string>(EVENT_KEYS);

/** The name of the watched card, where the parameter has it: it is never asked for. */
function nameOf(card: unknown): string | null {
	if (!isObject(card)) return null;
	const name = card.mode === 'name' ? card.value : card.cachedResultName;
	return typeof name === 'string' && name !== '' ? name : null;
}

/** The event of a record that was missed, as the service would have sent it; `caught_up` tells them apart. */
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
