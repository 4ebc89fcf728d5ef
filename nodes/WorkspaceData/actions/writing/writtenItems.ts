/** Builds the output of written records: what was done, or in a dry run what would be done. */
import type { FieldIndex } from '../../model/fieldIndex';
import type { DataRecord } from '../../model/response/record';
import { type JsonObject, ownValue } from '../../model/response/jsonObject';
import type { Zone } from '../../model/time';
import { fieldKey, recordOutput, type OutputOptions } from '../outputItems';
import { readSwitch } from '../../model/parameterValue';
import type { Run } from '../run/run';
import { isSameValue } from '../reading/matchIndex';
import type { CardRun } from '../run/cardRun';
import { oldValuesOption } from '../../ui/writeOptions';
import { dryRunItem } from './dryRun';
import { idInDryRun } from '../run/cardWriter';

/** The options that say how written records are returned. */
export interface ResultOptions extends OutputOptions {
	oldValues?: unknown;
	/** True if deleted records have an `action`. */
	marksDeleted?: boolean;
}

/** What became of a record. `plain`: it is returned without a mark, for example as it was found. */
type Outcome = 'plain' | 'created' | 'updated' | 'unchanged' | 'deleted';

/**
 * Returns the output of a record.
 *
 * @param record the record now, or as it was deleted
 * @param before the record before an update
 */
export type Result = (outcome: Outcome, record: DataRecord, before?: DataRecord) => JsonObject;

/**
 * Returns true if the old values of changed fields should be returned.
 *
 * @param usual the default if the option isn't set
 * @throws InputError for any value except true and false
 */
export const readOldValues = (options: ResultOptions, usual = true): boolean =>
	readSwitch(oldValuesOption.displayName, options.oldValues, usual);

/** Prepares an item's results. @param index the current field listing @throws InputError for an unknown field */
export const resultsOf = (
	run: Run,
	cardRun: CardRun,
	index: FieldIndex,
	options: ResultOptions,
): Result => (cardRun.isDry ? dryResults : doneResults)(run, cardRun, index, options);

/** Compares two states of a record, in the card's order. Computed fields are left out, as they depend on others. */
function comparison(index: FieldIndex, options: OutputOptions, zone: Zone) {
	const keyOf = fieldKey(index, options);
	const fields = index.fields.filter(({ isReadOnly }) => !isReadOnly);
	return (before: JsonObject, after: JsonObject) =>
		fields.flatMap((field) => {
			const { id } = field;
			const [from, to] = [ownValue(before, id), ownValue(after, id)];
			if (isSameValue(index, id, from, to, zone)) return [];
			return { key: keyOf(field), from: from ?? null, to: to ?? null };
		});
}

/** The output of what was done. */
function doneResults(
	run: Run,
	{ counts: { records: counts } }: CardRun,
	index: FieldIndex,
	options: ResultOptions,
): Result {
	const output = recordOutput(index, true, options);
	// Without a value, the record couldn't be brought back.
	const whole = recordOutput(index, true, { ...options, outputFields: undefined });
	const differences = comparison(index, options, run.zone);
	const returnsOld = readOldValues(options);
	const mark = options.marksDeleted && { action: 'deleted' };
	const itemOf: Result = (outcome, record, before = record) => {
		if (outcome === 'deleted') return { ...deletedItem(whole(record)), ...mark };
		const item = output(record);
		if (outcome === 'plain') return item;
		if (outcome !== 'updated' || !returnsOld) return { ...item, action: outcome };
		const changed = differences(before.data, record.data);
		const old = Object.fromEntries(changed.map(({ key, from }) => [key, from]));
		return { ...item, before: old, action: outcome };
	};
	return (outcome, record, before) => {
		const item = itemOf(outcome, record, before);
		if (outcome === 'plain') return item;
		counts[outcome] += 1;
		if (outcome !== 'unchanged') run.done.add(outcome, record.id, item);
		return item;
	};
}

/** A deleted record has the values that bring it back. */
function deletedItem(item: JsonObject): JsonObject {
	const values: JsonObject = { ...item, deleted: true };
	delete values.created_at;
	return values;
}

/** The outcomes in a dry run's output. */
const DRY_ACTIONS = {
	plain: 'none',
	created: 'create',
	updated: 'update',
	unchanged: 'none',
	deleted: 'delete',
} as const;

/** The output of what would be done. */
function dryResults(
	run: Run,
	{ counts: { records: counts } }: CardRun,
	index: FieldIndex,
	options: ResultOptions,
): Result {
	const output = recordOutput(index, true, options);
	const whole = recordOutput(index, true, { ...options, outputFields: undefined });
	const differences = comparison(index, options, run.zone);
	return (outcome, record, before = record) => {
		counts[outcome === 'plain' ? 'unchanged' : outcome] += 1;
		const shown = (outcome === 'deleted' ? whole : output)(record);
		const item: JsonObject = { ...shown, id: idInDryRun(record.id) };
		if (outcome === 'deleted') delete item.created_at;
		const changes = differences(before.data, record.data).map(
			({ key, from, to }) => [key, { from, to }] as const,
		);
		return dryRunItem(DRY_ACTIONS[outcome], {
			...(outcome === 'updated' && { changes: Object.fromEntries(changes) }),
			...item,
		});
	};
}
