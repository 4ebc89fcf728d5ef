import type { JsonObject } from '../../nodes/WorkspaceData/model/response/jsonObject';
import type { DeliveredEvent } from '../../nodes/WorkspaceData/trigger/webhookEvent';
import { readSettings, type TriggerSettings } from '../../nodes/WorkspaceData/trigger/parameters';

/** The settings of a trigger with these parameters. */
export const settingsOf = (parameters: Record<string, unknown> = {}): TriggerSettings => {
	const all: Record<string, unknown> = { events: ['record.created'], ...parameters };
	return readSettings({
		getNodeParameter: (name, fallback) => (all[name] ?? fallback) as never,
	});
};

/** An event of record r1 of card c1. */
export function eventOf(
	event: string,
	data: JsonObject | undefined,
	more: Partial<DeliveredEvent> = {},
): DeliveredEvent {
	return {
		event,
		happenedAt: undefined,
		workspaceId: 'w1',
		cardId: 'c1',
		recordId: 'r1',
		data,
		body: { event, ...(data && { data }) },
		key: 'k1',
		...more,
	};
}
