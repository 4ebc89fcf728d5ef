/** Finds the item's values that a record lacks. Only these are sent, and a value it already has is never refused. */
import type { Field } from '../../model/response/field';
import { plainOption } from '../../model/response/option';
import { type DataRecord } from '../../model/response/record';
import { type JsonObject, ownValue } from '../../model/response/shapes';
import type { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import type { Zone } from '../../model/time';
import { storedChoice } from '../../model/value/choices';
import type { EntryRules } from '../../model/value/kinds/kind';
import { textOf } from '../../model/value/serialization';
import { enter } from '../../model/value/value';
import { isSameValue } from '../reading/matchIndex';
import { combineErrors } from './combineErrors';

/** A value that its field doesn't accept. It isn't an error if the record already has it. */
export class Refused {
	readonly entered: unknown;
	readonly rules: EntryRules;
	readonly error: unknown;

	constructor(entered: unknown, rules: EntryRules, error: unknown) {
		this.entered = entered;
		this.rules = rules;
		this.error = error;
	}
}

/** Returns true if a stored value is the same as an entered one, in any spelling. */
const isHeld = (index: FieldIndex, id: string, stored: unknown, entered: unknown, zone: Zone) =>
	isSameValue(index, id, stored, entered, zone) ||
	(stored !== undefined && textOf(stored) === textOf(entered).trim());

/** Adds the choices of a stored value that the field no longer offers. */
function withHeldChoices(field: Field, stored: unknown): Field {
	const members = field.kind.set?.of(stored, field) ?? [stored];
	const held = members.filter(
		(one): one is string | number =>
			(typeof one === 'string' || typeof one === 'number') &&
			storedChoice(field.options, one) === undefined,
	);
	return { ...field, options: [...field.options, ...held.map(plainOption)] };
}

/** Sends nothing for a refused value that the record already has. @throws InputError if it doesn't have it */
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
 * Returns the values of an item to send, once its record is known.
 *
 * @param data the values by field ID; refused values are `Refused`
 * @param earlier the record, if it exists
 * @throws InputError naming all fields that can't hold their value, unless the record already has it
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
