/** Which of an item's values a record lacks: only these are sent, and what a record holds already is never refused. */
import type { Field } from '../../model/answer/field';
import { plainOption } from '../../model/answer/option';
import { type DataRecord } from '../../model/answer/record';
import { type JsonObject, ownValue } from '../../model/answer/shapes';
import type { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import type { Zone } from '../../model/time';
import { storedChoice } from '../../model/value/choices';
import type { EntryRules } from '../../model/value/kinds/kind';
import { isEmpty } from '../../model/value/emptyValue';
import { textOf } from '../../model/value/serialization';
import { enter } from '../../model/value/value';
import { isSameValue } from '../run/matchIndex';
import { combineErrors } from './combineErrors';

/** A value that its field does not accept, in place of what would be sent. The record may hold it already. */
export class Refused {
	readonly entered: unknown;
	readonly rules: EntryRules;
	readonly error: unknown;

	constructor(entered: unknown, rules: EntryRules, error: unknown) {
		this.entered = entered;
		this.rules = rules;
		this.error = error;
	}

	/** Whether the field refused the value; else something failed. */
	get isForValue(): boolean {
		return this.error instanceof InputError;
	}
}

/** An empty field of an item that this node returned: it clears what a record holds, but only together with other changes. */
export const EMPTY_IN_OUTPUT = Symbol('empty in the output');

/** The empty fields that are cleared: none where the record has all values of the item, which then nobody has changed. */
function clearedOf(
	data: JsonObject,
	values: JsonObject,
	earlier: DataRecord | undefined,
	{ index, zone }: { index: FieldIndex; zone: Zone },
): Array<[string, null]> {
	if (!earlier || Object.keys(differing(earlier, values, index, zone)).length === 0) return [];
	return Object.entries(data)
		.filter(([id, value]) => value === EMPTY_IN_OUTPUT && !isEmpty(ownValue(earlier.data, id)))
		.map(([id]) => [id, null]);
}

/** Whether a stored value is the same as an entered one, in whatever spelling. */
const isHeld = (index: FieldIndex, id: string, stored: unknown, entered: unknown, zone: Zone) =>
	isSameValue(index, id, stored, entered, zone) ||
	(stored !== undefined && textOf(stored) === textOf(entered).trim());

/** A field with the choices that a stored value has, and the field no longer offers. */
function withHeldChoices(field: Field, stored: unknown): Field {
	const members = field.kind.set?.of(stored, field) ?? [stored];
	const held = members.filter(
		(one): one is string | number =>
			(typeof one === 'string' || typeof one === 'number') &&
			storedChoice(field.options, one) === undefined,
	);
	return { ...field, options: [...field.options, ...held.map(plainOption)] };
}

/** What is sent for a refused value: nothing for one that the record holds. @throws InputError where it does not */
function settleRefused(
	{ entered, rules, error }: Refused,
	field: Field | undefined,
	stored: unknown,
): unknown {
	if (stored === undefined || !field || field.options.length === 0) throw error;
	return enter(withHeldChoices(field, stored), entered, rules);
}

const computed = (name: string): InputError =>
	new InputError(
		`Field '${name}' can't be written`,
		'The service computes its value. Remove the field from the values, or give the value that the record has.',
	);

/**
 * The values of an item as they can be sent, once its record is known.
 *
 * @param data by field ID; values that were refused are `Refused`
 * @param earlier the record, if it exists
 * @throws InputError naming all fields that cannot hold their value, unless the record holds it already
 */
export function settled(
	data: JsonObject,
	earlier: DataRecord | undefined,
	index: FieldIndex,
	zone: Zone,
): JsonObject {
	const values: Array<[string, unknown]> = [];
	const errors: unknown[] = [];
	for (const [id, value] of Object.entries(data)) {
		if (value === EMPTY_IN_OUTPUT) continue;
		const field = index.byId(id);
		const stored = earlier && ownValue(earlier.data, id);
		const entered = value instanceof Refused ? value.entered : value;
		const isDoubtful = value instanceof Refused || field?.isReadOnly === true;
		if (isDoubtful && earlier && isHeld(index, id, stored, entered, zone)) continue;
		try {
			if (field?.isReadOnly) throw computed(field.name);
			values.push([id, value instanceof Refused ? settleRefused(value, field, stored) : value]);
		} catch (error) {
			errors.push(error);
		}
	}
	if (errors.length > 0) throw combineErrors(errors);
	const sent = Object.fromEntries(values);
	return { ...sent, ...Object.fromEntries(clearedOf(data, sent, earlier, { index, zone })) };
}

/** The values that a record does not have, in whatever spelling. */
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
