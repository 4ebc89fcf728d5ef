/** Reads the body of a delivery. */
import { createHash } from 'node:crypto';
import { event, type ServiceEvent } from '../transport/schemas/event';
import type { JsonObject } from '../values/jsonObject';
import { tryParse } from '../values/parseJson';
import { parseTime } from '../values/time';

/** A delivered event. @see service interface, part 6, "Delivery" */
export interface DeliveredEvent extends ServiceEvent {
	/** When it happened, in ms since the epoch by the service's clock; undefined if unknown. */
	happenedAt: number | undefined;
	/** The whole body, parsed. */
	body: JsonObject;
	/** The same for each delivery of these bytes. */
	key: string;
}

/** @returns undefined if the body isn't an event. A byte order mark at its beginning is skipped. */
export function readEvent(bytes: Uint8Array): DeliveredEvent | undefined {
	const body = tryParse(new TextDecoder().decode(bytes))?.value;
	const read = event.safeParse(body);
	if (!read.success) return undefined;
	return {
		...read.data,
		happenedAt: parseTime(read.data.timestamp),
		body: body as JsonObject,
		key: createHash('sha256').update(bytes).digest('hex'),
	};
}
