/** Builds the output of written records: what was done, or in a dry run what would be done. */
import type { FieldIndex } from '../../model/fieldIndex';
import { count } from '../../model/names';
import type { DataRecord } from '../../model/response/record';
import { type JsonObject, ownValue } from '../../model/response/shapes';
import type { Zone } from '../../model/time';
import { fieldKey, isVersion2, recordOutput, type OutputOptions } from '../outputItems';
import { readSwitch } from '../readParameters';
import type { Run } from '../run/run';
import { isSameValue } from '../run/matchIndex';
import type { WritePlace } from '../run/writes';
import { oldValuesOption } from '../../ui/writeOptions';
import { dryRunItem } from './dryRun';
import { idInDryRun } from './writer';

/** The options that say how written records are returned. */
export interface ResultOptions extends OutputOptions {
	oldValues?: unknown;
}

/** Returns the output for each outcome of a record. */
export interface Results {
	/** A record that needed no change. */
	kept(record: DataRecord): JsonObject;
	created(record: DataRecord): JsonObject;
	updated(before: DataRecord, after: DataRecord): JsonObject;
	unchanged(record: DataRecord): JsonObject;
	deleted(record: DataRecord): JsonObject;
}

/**
 * Returns true if the old values of changed fields should be returned.
 *
 * @param usual the default if the option isn't set
 * @throws InputError for any value except true and false
 */
export const readOldValues = (options: ResultOptions, usual = true): boolean =>
	readSwitch(oldValuesOption.displayName, options.oldValues, usual && isVersion2(options));

/** Prepares an item's results. @param index the current field listing @throws InputError for an unknown field */
export const resultsOf = (
	run: Run,
	place: WritePlace,
	index: FieldIndex,
	options: ResultOptions,
): Results =>
	place.isDry ? new DryResults(run, place, index, options) : new Done(run, index, options);

/** The result of a record to be updated. */
export const resultOf = (
	results: Results,
	action: 'created' | 'updated' | 'unchanged',
	before: DataRecord,
	after: DataRecord,
): JsonObject => (action === 'updated' ? results.updated(before, after) : results.unchanged(after));

/**
 * Prepares the output of deleted records. From version 2 on it has their values, so that they can be restored.
 *
 * @throws InputError for options that name an unknown field
 */
function deletedOutput(
	index: FieldIndex,
	options: OutputOptions,
): (record: DataRecord) => JsonObject {
	if (!isVersion2(options)) return ({ id }) => ({ deleted: true, id });
	const output = recordOutput(index, true, options);
	return (record) => {
		const item = output(record);
		delete item.created_at;
		return { ...item, deleted: true };
	};
}

/** A changed field, with its old and its new value. */
interface Difference {
	key: string;
	from: unknown;
	to: unknown;
}

/** Compares two states of a record, in the card's order. Computed fields are left out, as they depend on others. */
function comparison(
	index: FieldIndex,
	options: OutputOptions,
	zone: Zone,
): (before: JsonObject, after: JsonObject) => Difference[] {
	const keyOf = fieldKey(index, options);
	const fields = index.fields.filter(({ isReadOnly }) => !isReadOnly);
	return (before, after) =>
		fields.flatMap((field) => {
			const { id } = field;
			const [from, to] = [ownValue(before, id), ownValue(after, id)];
			if (isSameValue(index, id, from, to, zone)) return [];
			return { key: keyOf(field), from: from ?? null, to: to ?? null };
		});
}

class Done implements Results {
	private readonly output: (record: DataRecord) => JsonObject;
	readonly deleted: (record: DataRecord) => JsonObject;
	private readonly before: (before: DataRecord, after: DataRecord) => JsonObject;

	constructor({ zone }: Run, index: FieldIndex, options: ResultOptions) {
		this.output = recordOutput(index, true, options);
		this.deleted = deletedOutput(index, options);
		const differences = comparison(index, options, zone);
		const entries = (before: DataRecord, after: DataRecord) =>
			differences(before.data, after.data).map(({ key, from }) => [key, from] as const);
		this.before = readOldValues(options)
			? (before, after) => ({ before: Object.fromEntries(entries(before, after)) })
			: () => ({});
	}

	kept(record: DataRecord): JsonObject {
		return this.output(record);
	}

	created(record: DataRecord): JsonObject {
		return { ...this.output(record), action: 'created' };
	}

	updated(before: DataRecord, after: DataRecord): JsonObject {
		return { ...this.output(after), ...this.before(before, after), action: 'updated' };
	}

	unchanged(record: DataRecord): JsonObject {
		return { ...this.output(record), action: 'unchanged' };
	}
}

/** The number of records that a dry run would write. */
type Counts = Record<'created' | 'updated' | 'unchanged' | 'deleted', number>;

class DryResults implements Results {
	private readonly counts: Counts;
	private readonly output: (
		action: 'create' | 'update' | 'delete' | 'none',
		before: DataRecord | undefined,
		after: DataRecord | undefined,
	) => JsonObject;

	constructor(run: Run, { card }: WritePlace, index: FieldIndex, options: ResultOptions) {
		this.counts = run.once(`counts of ${card.id}`, () => countsOf(run, card.name));
		const nested = recordOutput(index, true, { ...options, outputFormat: 'nested' });
		const values = (record: DataRecord | undefined) => (record ? nested(record).fields : null);
		const differences = comparison(index, options, run.zone);
		const changes = (before: JsonObject = {}, after: JsonObject = {}) =>
			differences(before, after).map(({ key, from, to }) => [key, { from, to }] as const);
		const hasChanges = isVersion2(options);
		this.output = (action, before, after) =>
			dryRunItem(action, {
				id: idInDryRun((before ?? after)?.id),
				...(hasChanges && { changes: Object.fromEntries(changes(before?.data, after?.data)) }),
				before: values(before),
				after: values(after),
			});
	}

	kept(record: DataRecord): JsonObject {
		return this.unchanged(record);
	}

	created(record: DataRecord): JsonObject {
		this.counts.created += 1;
		return this.output('create', undefined, record);
	}

	updated(before: DataRecord, after: DataRecord): JsonObject {
		this.counts.updated += 1;
		return this.output('update', before, after);
	}

	unchanged(record: DataRecord): JsonObject {
		this.counts.unchanged += 1;
		return this.output('none', record, record);
	}

	deleted(record: DataRecord): JsonObject {
		this.counts.deleted += 1;
		return this.output('delete', record, undefined);
	}
}

/** Counts what a dry run would do to a card, and adds a hint at its end. */
function countsOf({ ending, messages }: Run, card: string): Counts {
	const counts: Counts = { created: 0, updated: 0, unchanged: 0, deleted: 0 };
	ending.whenDone(() => {
		messages.hint(`Dry run of card '${card}': ${inWords(counts)}`);
	});
	return counts;
}

/** For example `1 record would be created, 2 updated; 3 unchanged`. */
function inWords({ unchanged, ...changes }: Counts): string {
	const parts = Object.entries(changes).filter(([, number]) => number > 0);
	const told = parts.map(([what, number], place) =>
		place === 0 ? `${count(number, 'record')} would be ${what}` : `${number} ${what}`,
	);
	const changed = told.join(', ') || 'nothing would change';
	return unchanged > 0 ? `${changed}; ${unchanged} unchanged` : changed;
}
