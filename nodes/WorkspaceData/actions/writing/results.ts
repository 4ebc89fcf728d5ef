/** Builds the output of written records: what was done, or in a dry run what would be done. */
import type { FieldIndex } from '../../model/fieldIndex';
import { count, listed, quote } from '../../model/names';
import type { DataRecord } from '../../model/response/record';
import { type JsonObject, ownValue } from '../../model/response/shapes';
import type { Zone } from '../../model/time';
import { fieldKey, recordOutput, type OutputOptions } from '../outputItems';
import { readSwitch } from '../../model/decisions';
import type { CardReference, Run } from '../run/run';
import { isSameValue } from '../reading/matchIndex';
import { isEmpty } from '../../model/value/emptyValue';
import type { Change, WritePlace } from '../run/writes';
import { oldValuesOption } from '../../ui/writeOptions';
import { dryRunItem } from './dryRun';
import { idInDryRun } from './writer';

/** The maximum number of fields in a hint. */
const MAX_NAMED = 20;

/** The options that say how written records are returned. */
export interface ResultOptions extends OutputOptions {
	oldValues?: unknown;
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
	{ card, isDry }: WritePlace,
	index: FieldIndex,
	options: ResultOptions,
): Result =>
	isDry ? dryResults(run, card, index, options) : doneResults(run, card, index, options);

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
	card: CardReference,
	index: FieldIndex,
	options: ResultOptions,
): Result {
	const counts = countsOf(run, card, false).records;
	const output = recordOutput(index, true, options);
	const differences = comparison(index, options, run.zone);
	const returnsOld = readOldValues(options);
	return (outcome, record, before = record) => {
		const item = output(record);
		if (outcome === 'plain') return item;
		counts[outcome] += 1;
		if (outcome === 'deleted') return deletedItem(item);
		if (outcome !== 'updated' || !returnsOld) return { ...item, action: outcome };
		const changed = differences(before.data, record.data);
		const old = Object.fromEntries(changed.map(({ key, from }) => [key, from]));
		return { ...item, before: old, action: outcome };
	};
}

/** A deleted record has the values that bring it back. */
function deletedItem({ created_at: _, ...item }: JsonObject): JsonObject {
	return { ...item, deleted: true };
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
	card: CardReference,
	index: FieldIndex,
	options: ResultOptions,
): Result {
	const counts = countsOf(run, card, true).records;
	const output = recordOutput(index, true, options);
	const differences = comparison(index, options, run.zone);
	return (outcome, record, before = record) => {
		counts[outcome === 'plain' ? 'unchanged' : outcome] += 1;
		const item: JsonObject = { ...output(record), id: idInDryRun(record.id) };
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

/** What a run does to the records of a card, or a dry run would do. */
interface Counts {
	/** The number of records by what became of them. */
	records: Record<Exclude<Outcome, 'plain'>, number>;
	/** The number of records that lost a value, by the key of its field. */
	cleared: Map<string, number>;
}

/** Counts what a run does to a card, and adds a hint at its end. */
function countsOf(run: Run, card: CardReference, isDry: boolean): Counts {
	return run.once(`counts of ${card.id}`, () => {
		const records = { created: 0, updated: 0, unchanged: 0, deleted: 0 };
		const counts: Counts = { records, cleared: new Map() };
		run.lastSteps.push(() => {
			const where = `${isDry ? 'Dry run of card' : 'Card'} '${card.name}'`;
			const told = inWords(counts, isDry);
			if (told !== '') run.messages.hint(`${where}: ${told}`);
		});
		return counts;
	});
}

/**
 * Counts the values that a change has cleared.
 *
 * @param sent the values that were sent, keyed by field ID
 * @param earlier the record before the change, if it is known
 */
export function countCleared(
	run: Run,
	{ card, isDry }: WritePlace,
	{ index, sent, earlier }: Pick<Change, 'index' | 'sent' | 'earlier'>,
): void {
	const { cleared } = countsOf(run, card, isDry);
	for (const [id, value] of Object.entries(sent)) {
		const field = index.byId(id);
		if (!field || !isEmpty(value) || (earlier && isEmpty(ownValue(earlier.data, id)))) continue;
		const key = index.keyOf(field);
		cleared.set(key, (cleared.get(key) ?? 0) + 1);
	}
}

/** For example `1 record would be created, 2 updated; 3 unchanged; cleared: 'Note' in 1 record`. */
function inWords({ records, cleared }: Counts, isDry: boolean): string {
	const { unchanged, ...changes } = records;
	const isCounted = Object.values(records).some((number) => number > 0);
	const emptied = [...cleared].map(
		([key, number]) => `${quote(key)} in ${count(number, 'record')}`,
	);
	return [
		...(isCounted ? [changesInWords(changes, isDry)] : []),
		...(unchanged > 0 ? [`${unchanged} unchanged`] : []),
		...(emptied.length > 0 ? [`cleared: ${listed(emptied, MAX_NAMED)}`] : []),
	].join('; ');
}

function changesInWords(changes: Record<string, number>, isDry: boolean): string {
	const parts = Object.entries(changes).filter(([, number]) => number > 0);
	const told = parts.map(([what, number], place) =>
		place === 0
			? `${count(number, 'record')} ${isDry ? 'would be ' : ''}${what}`
			: `${number} ${what}`,
	);
	const nothing = isDry ? 'nothing would change' : 'nothing changed';
	return told.join(', ') || nothing;
}
