/** Finds the item's values that a record lacks. Only these are sent, and a value it already has is never refused. */
import { type DataRecord } from '../../model/response/record';
import { type JsonObject, ownValue } from '../../model/response/jsonObject';
import type { FieldIndex } from '../../records/fieldIndex';
import type { InputError } from '../../values/inputError';
import type { Zone } from '../../values/time';
import type { EntryRules } from '../../values/kinds/kind';
import { textOf } from '../../values/serialization';
import { isSameValue } from '../reading/matchIndex';
import { computed, inputErrorOf, requireNone, type Refusal } from './refusals';

/** A value that its field doesn't accept. It isn't an error if the record already has it. */
export interface RefusedValue {
	entered: unknown;
	rules: EntryRules;
	refused: InputError;
}

/** What an item writes, by field ID. */
export interface ItemValues {
	/** The values to send. */
	data: JsonObject;
	/** The values that are errors, unless the record has them. */
	refused?: ReadonlyMap<string, RefusedValue> | undefined;
}

/**
 * Returns the values of an item to send, once its record is known.
 *
 * @param earlier the record, if it exists
 * @throws RefusedValues naming all fields that can't hold their value, unless the record already has it
 */
export function settled(
	{ data, refused }: ItemValues,
	earlier: DataRecord | undefined,
	index: FieldIndex,
	zone: Zone,
): JsonObject {
	const values: Array<[string, unknown]> = [];
	const refusals: Refusal[] = [];
	for (const id of [...Object.keys(data), ...(refused?.keys() ?? [])]) {
		const field = index.byId(id);
		const stored = earlier && ownValue(earlier.data, id);
		const refusal = refused?.get(id);
		const entered = refusal ? refusal.entered : data[id];
		const isDoubtful = refusal !== undefined || field?.isReadOnly === true;
		const isHeld = (): boolean =>
			isSameValue(index, id, stored, entered, zone) ||
			(stored !== undefined && textOf(stored) === textOf(entered).trim());
		if (isDoubtful && earlier && isHeld()) continue;
		try {
			if (field?.isReadOnly) throw computed(field.name);
			if (refusal) throw refusal.refused;
			values.push([id, entered]);
		} catch (error) {
			refusals.push({ error: inputErrorOf(error), field: field?.name ?? id, value: entered });
		}
	}
	requireNone(refusals);
	return Object.fromEntries(values);
}

/** Returns the values that a record doesn't have in any spelling. */
export const differing = (
	{ data }: DataRecord,
	values: JsonObject,
	index: FieldIndex,
	zone: Zone,
): JsonObject =>
	Object.fromEntries(
		Object.entries(values).filter(
			([id, value]) => !isSameValue(index, id, ownValue(data, id), value, zone),
		),
	);
