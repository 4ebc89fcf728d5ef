import { createHash } from 'node:crypto';
import { z } from 'zod/v3';
import { identifier } from '../model/response/idAndName';
import { isTooDeep, tryParse } from '../model/response/parseJson';
import { isObject, type JsonObject } from '../model/response/jsonObject';
import { parseTime } from '../values/time';

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

const optionalText = z.string().min(1).optional().catch(undefined);

const optionalId = identifier.optional().catch(undefined);

const eventSchema = z.object({
	event: z.string().min(1),
	timestamp: optionalText,
	workspace_id: optionalId,
	card_id: optionalId,
	record_id: optionalId,
	// The unchanged object: copying it key by key would lose keys such as `__proto__`.
	data: z.custom<JsonObject>(isObject).optional().catch(undefined),
});

/** Parses JSON from bytes of any content type; undefined if they aren't JSON. */
const parseJson = (bytes: Uint8Array): unknown => tryParse(new TextDecoder().decode(bytes))?.value;

/**
 * Reads the body of a delivery.
 *
 * @param bytes the body as received; a byte order mark at its beginning is skipped
 * @returns undefined if the body isn't an event, or is one that n8n couldn't store
 */
export function readEvent(bytes: Uint8Array): DeliveredEvent | undefined {
	const body = parseJson(bytes);
	if (!isObject(body) || isTooDeep(body)) return undefined;
	const event = eventSchema.safeParse(body);
	if (!event.success) return undefined;
	const { event: name, timestamp, workspace_id, card_id, record_id, data } = event.data;
	return {
		event: name,
		happenedAt: parseTime(timestamp),
		workspaceId: workspace_id,
		cardId: card_id,
		recordId: record_id,
		data,
		body,
		key: createHash('sha256').update(bytes).digest('hex'),
	};
}
