import type { Field } from '../../model/field';
import type { FieldIndex } from '../../model/fieldResolution';
import { isEmpty } from '../../model/filter';
import { InputError } from '../../model/inputError';
import { UNKNOWN_ID, type DataRecord } from '../../model/record';
import type { JsonObject } from '../../model/shapes';
import { openRecordListing, type ReadOptions, type RecordListing } from '../../transport/listings';
import type { CardReference, Run } from '../run';
import type { Columns } from './columns';

/** The records of a card by the values of their matching fields. */
export interface MatchIndex {
	/** The records that hold these values, oldest first. */
	find(data: JsonObject): Promise<readonly DataRecord[]>;
	/** Takes in a record that was written; replaces its earlier state. */
	put(record: DataRecord): void;
}

/** One value under every spelling that means it: what is sent and what is stored may differ in it. */
function comparable(field: Field | undefined, value: unknown): unknown {
	if (typeof value === 'number') return String(value);
	if (typeof value !== 'string' || !field) return value;
	if (field.type === 'datetime') {
		const time = Date.parse(value);
		return Number.isNaN(time) ? value : time;
	}
	return field.options.find(({ values }) => values.includes(value))?.label ?? value;
}

/** Values as one comparable text. A number and the same number as text are one key. */
const matchKey = (fieldIds: readonly string[], data: JsonObject, index: FieldIndex): string =>
	JSON.stringify(fieldIds.map((id) => comparable(index.byId(id), data[id])));

/**
 * The ids of the matching fields of an item.
 *
 * @throws InputError when none is chosen, or one is unknown
 */
export function matchingFieldIds(columns: Columns, index: FieldIndex): string[] {
	if (columns.matchingKeys.length === 0) {
		throw new InputError(
			"'Columns' has no matching field",
			"Choose at least one field in 'Column to Match On'.",
		);
	}
	return columns.matchingKeys.map((key) => index.resolve(key, columns.hints.get(key)).id);
}

/** The key by which an item finds its record. @throws InputError when a matching value is empty */
export function itemKey(fieldIds: readonly string[], data: JsonObject, index: FieldIndex): string {
	const empty = fieldIds.find((id) => isEmpty(data[id]));
	if (empty === undefined) return matchKey(fieldIds, data, index);
	throw new InputError(
		`Matching field '${index.byId(empty)?.name ?? empty}' has no value`,
		'Each matching field needs a value: an empty one would match records by chance.',
	);
}

/** @param open gives a listing of the card's records that has not been read yet */
async function buildIndex(
	open: () => RecordListing,
	index: FieldIndex,
	fieldIds: readonly string[],
): Promise<MatchIndex> {
	const byKey = new Map<string, Map<string, DataRecord>>();
	const keys = new Map<string, string>();
	const put = (record: DataRecord): void => {
		const key = matchKey(fieldIds, record.data, index);
		if (record.id !== UNKNOWN_ID) {
			const earlier = keys.get(record.id);
			if (earlier !== undefined && earlier !== key) byKey.get(earlier)?.delete(record.id);
			keys.set(record.id, key);
		}
		const group = byKey.get(key) ?? new Map<string, DataRecord>();
		byKey.set(key, group.set(record.id, record));
	};
	const read = async (): Promise<void> => {
		for await (const record of open()) put(record);
	};
	await read();
	return {
		put,
		async find(data) {
			const group = () => byKey.get(matchKey(fieldIds, data, index));
			// A record whose creation was answered without its id: the listing tells it now.
			if (group()?.delete(UNKNOWN_ID)) await read();
			return [...(group()?.values() ?? [])];
		},
	};
}

/** The match index of a card: built once per execution, from one reading of the records. */
export async function matchIndex(
	run: Run,
	card: CardReference,
	index: FieldIndex,
	fieldIds: readonly string[],
	request: ReadOptions,
): Promise<MatchIndex> {
	return await run.shared(
		`matches ${card.id} ${fieldIds.join()}`,
		async () =>
			await buildIndex(
				() => openRecordListing(run.api, card.id, Infinity, request),
				index,
				fieldIds,
			),
	);
}
