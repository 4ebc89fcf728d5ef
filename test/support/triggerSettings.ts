import type { JsonObject } from '../../nodes/WorkspaceData/values/json';
import type { DeliveredEvent } from '../../nodes/WorkspaceData/trigger/event';
import { readSettings, type TriggerSettings } from '../../nodes/WorkspaceData/trigger/settings';

/** The settings of a trigger with these parameters. */
export const settingsOf = (parameters: Record<string, unknown> = {}): TriggerSettings => {
	const all: Record<string, unknown> = { events: ['record.created'], ...parameters };
	return readSettings({
		getNodeParameter: (name: string, fallback: unknown) => (all[name] ?? fallback) as never,
	} as Parameters<typeof readSettings>[0]);
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
		workspace_id: 'w1',
		card_id: 'c1',
		record_id: 'r1',
		data,
		body: { event, ...(data && { data }) },
		key: 'k1',
		...more,
	};
}
