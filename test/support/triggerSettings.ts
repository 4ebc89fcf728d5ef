import type { JsonObject } from '../../nodes/WorkspaceData/values/json';
import type { DeliveredEvent } from '../../nodes/WorkspaceData/trigger/event';
import { readSettings, type TriggerSettings } from '../../nodes/WorkspaceData/trigger/settings';

/** The settings of a trigger with these parameters. @param raw the parameters before expressions are computed */
export function settingsOf(
	parameters: Record<string, unknown> = {},
	raw = parameters,
): TriggerSettings {
	const getNodeParameter = (
		name: string,
		fallback: unknown,
		how?: { rawExpressions?: boolean },
	): unknown => {
		const given: Record<string, unknown> = how?.rawExpressions ? raw : parameters;
		return { [name]: fallback, events: ['record.created'], ...given }[name];
	};
	return readSettings({ getNodeParameter } as Parameters<typeof readSettings>[0]);
}

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
