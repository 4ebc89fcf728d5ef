/** Checks if the node reacts to an event: its kind, its card, its fields and its values. */
import type { DeliveredEvent } from '../webhookEvent';
import type { FieldIndex } from '../../records/fieldIndex';
import { listedInQuotes } from '../../values/messageText';
import { OWN_VALUES, UNKNOWN_ID, type DataRecord } from '../../model/response/record';
import type { JsonObject } from '../../model/response/jsonObject';
import type { Subscription } from '../../model/subscription/saved';
import type { Zone } from '../../values/time';
import { recordTest } from '../../records/filter';
import { reasonOf } from '../log';
import type { TriggerSettings } from '../parameters';

/** Max names in a line of the log. */
const MAX_NAMED = 10;

/** Explains for the log why a signed event isn't for this node; undefined if it is. */
export function misdirection(
	event: DeliveredEvent,
	{ workspaceId, cardId }: Pick<Subscription, 'workspaceId' | 'cardId'>,
	events: readonly string[],
): string | undefined {
	if (!events.includes(event.event)) {
		return `'Trigger On' doesn't include the event '${event.event}'`;
	}
	if (event.workspaceId !== undefined && event.workspaceId !== workspaceId) {
		return 'it is from another workspace';
	}
	if (event.cardId !== undefined && cardId !== null && event.cardId !== cardId) {
		return 'it is from another card';
	}
	return undefined;
}

/** What is needed to compare an event, in addition to the settings. */
interface ConditionPlace {
	/** The fields of the event's card; undefined if they aren't available. */
	index: FieldIndex | undefined;
	zone: Zone;
	/** Logs why an event starts the workflow although it couldn't be compared. */
	warn(kind: string, message: string): void;
}

/** Returns true if an event affects the watched fields and meets the conditions. */
export const isRelevant = (
	event: DeliveredEvent,
	settings: TriggerSettings,
	place: ConditionPlace,
): boolean =>
	(!isWatched(event, settings) || concerns(event, settings, place)) &&
	(!isFiltered(event, settings) || meetsConditions(event, settings, place));

/** Returns true if the card has a field of this name or ID. */
const isField = (name: string, index: FieldIndex): boolean => index.candidates(name).length > 0;

/** Returns true if one of the watched fields has changed. */
const touches = (data: JsonObject, watchFields: readonly string[], index: FieldIndex): boolean =>
	watchFields.some(
		(name) =>
			Object.hasOwn(data, name) || index.candidates(name).some(({ id }) => Object.hasOwn(data, id)),
	);

/** Returns true if only some changes of a record start the workflow. */
export const isWatched = (
	{ event }: Pick<DeliveredEvent, 'event'>,
	{ watchFields }: TriggerSettings,
): boolean => event === 'record.updated' && watchFields.length > 0;

/**
 * Returns true if an update may have changed a watched field. If one card is watched, an unknown name is a
 * renamed field. If all cards are watched, it is a field of other cards.
 */
function concerns(
	{ data = {}, cardId }: DeliveredEvent,
	{ watchFields, card }: TriggerSettings,
	{ index, warn }: ConditionPlace,
): boolean {
	if (!index || touches(data, watchFields, index)) return true;
	const unknown = watchFields.filter((name) => card !== undefined && !isField(name, index));
	if (unknown.length === 0) return false;
	warn(
		'watchFields',
		`Card ${cardId} has no field ${listedInQuotes(unknown, MAX_NAMED)} to watch: every update of a record starts the workflow`,
	);
	return true;
}

/** Returns true if conditions apply to an event: they are about records. */
export const isFiltered = (
	{ event }: Pick<DeliveredEvent, 'event'>,
	{ conditions }: TriggerSettings,
): boolean => conditions.length > 0 && event.startsWith('record.');

/** The record of an event, with the values that the event contains. */
function recordOf({ event, recordId, data, body }: DeliveredEvent): DataRecord {
	const createdAt = body.created_at ?? (event === 'record.created' ? body.timestamp : null);
	return {
		id: recordId ?? UNKNOWN_ID,
		data: data ?? {},
		createdAt: typeof createdAt === 'string' ? createdAt : null,
		raw: body,
	};
}

/**
 * Returns true if the values in an event meet the conditions. Missing values count as empty. If they can't
 * be compared, the event starts the workflow and the log says why, so that no event is lost. If all cards
 * are watched, a condition on a field that the card doesn't have isn't met.
 */
function meetsConditions(
	event: DeliveredEvent,
	settings: TriggerSettings,
	{ index, zone, warn }: ConditionPlace,
): boolean {
	const { card, conditions, anyCondition } = settings;
	try {
		if (!index) throw new Error("the fields of the card couldn't be read");
		const known = conditions.filter(
			({ key }) => card !== undefined || OWN_VALUES.has(key) || isField(key, index),
		);
		if (known.length < conditions.length && !anyCondition) return false;
		return recordTest(known, anyCondition, index, { zone })?.(recordOf(event)) ?? false;
	} catch (error) {
		const reason = reasonOf(error);
		warn('filters', `'Filters' can't be compared, so an event started the workflow: ${reason}`);
		return true;
	}
}
