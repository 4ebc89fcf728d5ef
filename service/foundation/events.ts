/** The events a subscription can ask for. @see service interface, part 6 */
export const eventNames = [
	'record.created',
	'record.updated',
	'record.deleted',
	'card.created',
	'card.updated',
	'collaborator.added',
] as const;

/** Name of an event. */
export type EventName = (typeof eventNames)[number];

/** The content of a delivery: the common properties, and the properties that the event adds. */
export interface DomainEvent {
	event: EventName;
	workspaceId: string;
	cardId: string;
	/** Properties after the common ones, in the order they are sent in. */
	details: Record<string, unknown>;
}

/**
 * The JSON text of a delivery. Written once and kept, so that every attempt sends the same bytes.
 * @param timestamp ISO 8601 UTC
 */
export function eventBody(event: DomainEvent, timestamp: string): string {
	return JSON.stringify({
		event: event.event,
		timestamp,
		workspace_id: event.workspaceId,
		card_id: event.cardId,
		...event.details,
	});
}
