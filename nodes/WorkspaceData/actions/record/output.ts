import type { Field } from '../../model/field';
import type { FieldIndex } from '../../model/fieldResolution';
import { UNKNOWN_ID, type DataRecord } from '../../model/record';
import type { JsonObject } from '../../model/shapes';
import { plainNames } from '../../model/text';
import { fieldKeysOption } from '../../ui/recordOptions';
import { readChoice } from '../choice';

/** How a record is put out. */
export interface OutputOptions {
	fieldKeys?: string;
	/** Names or ids of the fields to put out; all when missing or empty. */
	outputFields?: unknown;
}

/** The fields that are wanted, in the wanted order. @throws InputError for one that is unknown */
function wantedFields(index: FieldIndex, wanted: unknown): Field[] | undefined {
	const names = plainNames(wanted);
	return names.length > 0 ? names.map((name) => index.resolve(name)) : undefined;
}

/**
 * Prepares the output of records of one card.
 *
 * @param simple whether to give `{ id, created_at, fields }`; else the service's own object
 * @throws InputError for options that name an unknown field
 */
export function recordOutput(
	index: FieldIndex,
	simple: boolean,
	{ fieldKeys, outputFields }: OutputOptions,
): (record: DataRecord) => JsonObject {
	const byName = readChoice(fieldKeysOption, fieldKeys) !== 'id';
	const wanted = wantedFields(index, outputFields);
	const wantedIds = wanted && new Set(wanted.map(({ id }) => id));
	const keyOf = (id: string): string => {
		const field = byName ? index.byId(id) : undefined;
		return field ? index.keyOf(field) : id;
	};
	const entries = ({ data }: DataRecord) =>
		Object.entries(data).filter(([id]) => !wantedIds || wantedIds.has(id));

	if (!simple) {
		return (record) =>
			wantedIds ? { ...record.raw, data: Object.fromEntries(entries(record)) } : record.raw;
	}
	return (record) => ({
		id: record.id === UNKNOWN_ID ? null : record.id,
		created_at: record.createdAt,
		// Never at the top level: a field called `error` would steer n8n.
		fields: Object.fromEntries(entries(record).map(([id, value]) => [keyOf(id), value])),
	});
}
