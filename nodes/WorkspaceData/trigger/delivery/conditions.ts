/** The conditions in the trigger's options, compared with the values that an event carries. */
import type { DeliveredEvent } from '../../model/event';
import type { FieldIndex } from '../../model/fieldIndex';
import { OWN_VALUES, UNKNOWN_ID, type DataRecord } from '../../model/answer/record';
import { recordTest } from '../../model/value/recordFilter';
import type { Zone } from '../../model/time';
import { reasonOf } from '../log';
import type { TriggerSettings } from '../parameters';
import { unknownNames } from './watchedFields';

/** The surroundings in which conditions are evaluated, in addition to event and settings. */
interface ConditionPlace {
	/** The fields of the event's card; undefined where they cannot be had. */
	index: FieldIndex | undefined;
	zone: Zone;
	/** Tells the operator why a condition could not be compared. */
	tell(message: string): void;
}

/** Whether conditions decide about an event: they are about records. */
export const isFiltered = ({ event }: DeliveredEvent, { conditions }: TriggerSettings): boolean =>
	conditions.length > 0 && event.startsWith('record.');

/** The names or ids of fields in the conditions. */
export const comparedFields = ({ conditions }: TriggerSettings): string[] =>
	conditions.map(({ key }) => key).filter((key) => !OWN_VALUES.has(key));

/** The record of an event, as far as the event tells. */
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
 * Whether the values that an event carries meet the conditions; missing values count as empty. Where
 * they cannot be compared, the event starts the workflow and the log says why: better too often than
 * never. With all cards, a condition about a field that the card does not have is not met.
 */
export function meetsConditions(
	event: DeliveredEvent,
	settings: TriggerSettings,
	{ index, zone, tell }: ConditionPlace,
): boolean {
	if (!index) {
		tell(
			'The fields of the card could not be read: an event started the workflow without its filters',
		);
		return true;
	}
	const unknown = unknownNames(comparedFields(settings), index);
	if (unknown.length > 0 && settings.card !== undefined) {
		const names = unknown.map((name) => `'${name}'`).join(', ');
		tell(
			`Card ${event.cardId} has no field ${names} to filter by: every event of a record starts the workflow`,
		);
		return true;
	}
	const { conditions, anyCondition } = settings;
	const known = conditions.filter(({ key }) => !unknown.includes(key));
	if (known.length < conditions.length && !anyCondition) return false;
	try {
		const place = { zone, hint: () => {} };
		const passes = recordTest(known, anyCondition, index, place);
		return passes ? passes(recordOf(event)) : false;
	} catch (error) {
		tell(`'Filters' cannot be compared, so an event started the workflow: ${reasonOf(error)}`);
		return true;
	}
}
