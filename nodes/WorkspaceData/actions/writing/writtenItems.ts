/** Builds the output of written records: what was done, or in a dry run what would be done. */
import type { FieldIndex } from '../../records/fieldIndex';
import type { DataRecord } from '../../model/response/record';
import { type JsonObject, ownValue } from '../../model/response/jsonObject';
import { fieldKey, recordOutput, type OutputOptions } from '../outputItems';
import { readSwitch } from '../../values/parameterValue';
import type { Run } from '../run/run';
import { isSameValue } from '../reading/matchIndex';
import type { CardRun } from '../run/cardRun';
import { oldValuesOption } from '../../properties/writeOptions';
import { dryRunItem } from './dryRun';
import { idInDryRun } from '../run/cardWriter';

/** The options that say how written records are returned. */
export interface ResultOptions extends OutputOptions {
	oldValues?: unknown;
}

/** What became of a record. */
type Outcome = 'created' | 'updated' | 'unchanged' | 'deleted';

/**
 * Returns the output of a record, and notes what was done.
 *
 * @param record the record now, or as it was deleted
 * @param before the record before an update
 * @param sent the values of the update: others may have changed the other fields meanwhile
 */
export type Result = (
	outcome: Outcome,
	record: DataRecord,
	before?: DataRecord,
	sent?: JsonObject,
) => JsonObject;

/**
 * Returns true if the old values of changed fields should be returned.
 *
 * @param usual the default if the option isn't set
 * @throws InputError for any value except true and false
 */
export const readOldValues = (options: ResultOptions, usual = true): boolean =>
	readSwitch(oldValuesOption.displayName, options.oldValues, usual);

/** The outcomes in a dry run's output. */
const DRY_ACTIONS = {
	created: 'create',
	updated: 'update',
	unchanged: 'none',
	deleted: 'delete',
} as const;

/**
 * Prepares an item's results.
 *
 * @param index the current field listing
 * @param marks `none` if a record is returned without what became of it; `all` if deleted ones have an `action`, too
 * @throws InputError for an unknown field
 */
export function resultsOf(
	run: Run,
	{ isDry, counts }: CardRun,
	index: FieldIndex,
	options: ResultOptions,
	marks: 'none' | 'usual' | 'all' = 'usual',
): Result {
	const output = recordOutput(index, true, options);
	// Without a value, a deleted record couldn't be brought back.
	const whole = recordOutput(index, true, { ...options, outputFields: undefined });
	const returnsOld = readOldValues(options);
	const keyOf = fieldKey(index, options);

	/** Returns the sent fields that differ, in the card's order, each with a form of its two values. */
	function differences(
		before: DataRecord,
		after: DataRecord,
		sent: JsonObject,
		form: (from: unknown, to: unknown) => unknown,
	): JsonObject {
		const changed = index.fields.flatMap((field) => {
			const { id } = field;
			if (!Object.hasOwn(sent, id)) return [];
			const [from, to] = [ownValue(before.data, id), ownValue(after.data, id)];
			if (isSameValue(index, id, from, to, run.zone)) return [];
			return [[keyOf(field), form(from ?? null, to ?? null)] as const];
		});
		return Object.fromEntries(changed);
	}

	const dryItem: Result = (outcome, record, before = record, sent = {}) => {
		const changes = () => differences(before, record, sent, (from, to) => ({ from, to }));
		return dryRunItem(DRY_ACTIONS[outcome], {
			...(outcome === 'updated' && { changes: changes() }),
			...shown(outcome, record),
			id: idInDryRun(record.id),
		});
	};

	const doneItem: Result = (outcome, record, before = record, sent = {}) => {
		const item = shown(outcome, record);
		if (outcome === 'deleted')
			return { ...item, deleted: true, ...(marks === 'all' && { action: outcome }) };
		if (marks === 'none') return item;
		const isOld = outcome === 'updated' && returnsOld;
		const old = isOld && { before: differences(before, record, sent, (from) => from) };
		return { ...item, ...old, action: outcome };
	};

	function shown(outcome: Outcome, record: DataRecord): JsonObject {
		const item = (outcome === 'deleted' ? whole : output)(record);
		if (outcome === 'deleted') delete item.created_at;
		return item;
	}

	return (outcome, record, before, sent) => {
		const item = (isDry ? dryItem : doneItem)(outcome, record, before, sent);
		if (marks !== 'none') counts[outcome] += 1;
		if (!isDry && outcome !== 'unchanged') run.done.add(outcome, record.id, item);
		return item;
	};
}
