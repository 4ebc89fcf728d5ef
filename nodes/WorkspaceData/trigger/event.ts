/** A delivered event, and what it is delivered to. */
import { createHash } from 'node:crypto';
import type { IWebhookFunctions } from 'n8n-workflow';
import { event, type ServiceEvent } from '../transport/schemas';
import { tryParse, type JsonObject } from '../values/json';
import { parseTime } from '../values/time';
import type { TriggerNode } from './node';
import type { TriggerSettings } from './settings';
import type { Subscription } from './subscription';

/** A verified delivery of a node. */
export interface Delivery {
	context: IWebhookFunctions;
	node: TriggerNode;
	settings: TriggerSettings;
	event: DeliveredEvent;
	/** The subscription that signed it. */
	signer: Subscription;
}

/** @see service interface, part 6, "Delivery" */
export interface DeliveredEvent extends ServiceEvent {
	/** When it happened, in ms since the epoch by the service's clock; undefined if unknown. */
	happenedAt: number | undefined;
	/** The whole body, parsed. */
	body: JsonObject;
	/** The same for each delivery of these bytes. */
	key: string;
}

/** Reads a body. @returns undefined if it isn't an event. A byte order mark at its beginning is skipped. */
export function readEvent(bytes: Uint8Array): DeliveredEvent | undefined {
	const body = tryParse(new TextDecoder().decode(bytes))?.value as JsonObject;
	const { data } = event.safeParse(body);
	const key = createHash('sha256').update(bytes).digest('hex');
	return data && { ...data, happenedAt: parseTime(data.timestamp), body, key };
}
