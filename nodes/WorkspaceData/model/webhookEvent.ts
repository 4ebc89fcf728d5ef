import { createHash } from 'node:crypto';
import { isTooDeep, tryParse } from './response/json';
import { identifierOf } from './response/idAndName';
import { isObject, isText, type JsonObject } from './response/shapes';
import { parseTime } from './time';

/**
 * A delivered event. The interface only shows the body of record events, so everything but the event's name
 * may be missing.
 *
 * @see service interface, part 6, "Delivery"
 */
export interface DeliveredEvent {
	event: string;
	/** When it happened, in ms since the epoch by the service's clock; undefined if unreadable. */
	happenedAt: number | undefined;
	workspaceId: string | undefined;
	cardId: string | undefined;
	recordId: string | undefined;
	/** Values by field ID. This is the service's own object. */
	data: JsonObject | undefined;
	/** The whole body, parsed. */
	body: JsonObject;
	/** Stays the same if the event is delivered again, by any subscription. */
	key: string;
}

/**
 * Reads the body of a delivery.
 *
 * @param bytes the body as received; a byte order mark at its beginning is skipped
 * @returns undefined if the body isn't an event, or is one that n8n couldn't store
 */
export function readEvent(bytes: Uint8Array): DeliveredEvent | undefined {
	const body = tryParse(new TextDecoder().decode(bytes))?.value;
	if (!isObject(body) || isTooDeep(body) || !isText(body.event)) return undefined;
	return {
		event: body.event,
		happenedAt: parseTime(body.timestamp),
		workspaceId: identifierOf(body.workspace_id),
		cardId: identifierOf(body.card_id),
		recordId: identifierOf(body.record_id),
		data: isObject(body.data) ? body.data : undefined,
		body,
		key: createHash('sha256').update(bytes).digest('hex'),
	};
}
