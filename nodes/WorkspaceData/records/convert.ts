/** Converts what an item wants written to values by field ID. */
import type { Field } from '../transport/api';
import { enter } from '../values/entry';
import { InputError } from '../values/inputError';
import type { JsonObject } from '../values/jsonObject';
import { quote } from '../values/messageText';
import type { Zone } from '../values/time';
import { hasName, keyBeside, type Columns } from './columns';
import type { Entry } from './entry';
import type { FieldIndex } from './fieldIndex';
import { readFilter } from './filter';
import type { MatchKey } from './matchKey';
import type { Find, RefusedEntry, Wish } from './planned';
import { computed, inputErrorOf, requireNone, type Refusal } from './refusals';

/** The fields of a card for which values are converted. */
export interface Target {
	index: FieldIndex;
	zone: Zone;
	/** The fields to match on, if items are matched. */
	key?: MatchKey | undefined;
}

/**
 * Converts an item.
 *
 * @throws RefusedValues for fields that are unknown, ambiguous or named twice, for a blank value to match on, and for
 * fields to clear that can't be cleared
 */
export function convert(entry: Entry, target: Target): Wish {
	const { itemIndex, columns, ifNotFound = 'error' } = entry;
	if (!columns) {
		const find = findOf(entry, target, {});
		return { itemIndex, find, values: {}, deletes: true, ifNotFound };
	}
	const read = columns(target.index);
	const { values, keyValues, refused, refusals, computedKey } = convertColumns(read, entry, target);
	requireNone(refusals.length > 0 ? [...refusals, ...refused] : []);
	requireValues(entry, values, refused.length);
	const find = findOf(entry, target, keyValues);
	return {
		...{ itemIndex, find, values, ifNotFound },
		...(refused.length > 0 && { refused }),
		...(computedKey !== undefined && { computedKey }),
	};
}

interface Converted {
	/** By field ID. */
	values: JsonObject;
	/** The values to match on, and those that are sent. */
	keyValues: JsonObject;
	/** Values that their fields refuse. */
	refused: RefusedEntry[];
	/** What is wrong whatever a record has. */
	refusals: Refusal[];
	computedKey: string | undefined;
}

function convertColumns(columns: Columns, entry: Entry, { index, key }: Target): Converted {
	const { rules, clearFields, ignoresUnknown } = entry.settings;
	const values = new Map<string, unknown>();
	const names = new Map<string, string>();
	const refused: RefusedEntry[] = [];
	const refusals: Refusal[] = [];
	const unknown: string[] = [];
	let computedKey: string | undefined;
	const take = (name: string, value: unknown): void => {
		const field = index.find(name, columns.hints.get(name));
		if (!field) {
			if (!ignoresUnknown && hasName(name, value, entry.itemIndex)) unknown.push(name);
			return;
		}
		const isKey = key?.has(field) ?? false;
		if (field.isReadOnly && columns.isAutomatic && !isKey) return;
		requireOnce(field, name, names);
		try {
			if (field.isReadOnly && !isKey) throw computed(field.name);
			if (field.isReadOnly) computedKey = field.name;
			const taken = enter(field, value, isKey ? { ...rules, isExact: true } : rules);
			if (taken !== undefined) values.set(field.id, taken);
			// Digits that a number field can't take are matched, but never written.
			if (isKey && taken !== null) enter(field, value, rules);
		} catch (error) {
			const refusal = { field: field.name, value, error: inputErrorOf(error) };
			if (isKey && !values.has(field.id)) refusals.push(refusal);
			else refused.push({ ...refusal, id: field.id });
		}
	};
	const collect = (work: () => void): void => {
		try {
			work();
		} catch (error) {
			refusals.push({ error: inputErrorOf(error) });
		}
	};
	for (const [name, value] of columns.entries) collect(() => take(name, value));
	if (unknown.length > 0) refusals.push({ error: unknownFields(unknown, index, columns) });
	for (const name of clearFields) {
		collect(() => {
			const field = fieldToClear(index, name);
			const isRefused = refused.some(({ id }) => id === field.id);
			if ((values.get(field.id) ?? null) !== null || isRefused) throw alsoHasValue(field);
			values.set(field.id, null);
		});
	}
	// Object.fromEntries, not assignment, because a field may be called `__proto__`.
	const keyValues = Object.fromEntries(values);
	const blank = key?.blankIn(keyValues);
	const isKeyRefused = refusals.some(({ field }) => key?.fields.some(({ name }) => name === field));
	if (blank && !isKeyRefused) refusals.push({ error: withoutKey(blank) });
	const isNew = entry.find.by === 'nothing';
	const sent = [...values].filter(
		([id, value]) => !index.byId(id)?.isReadOnly && !(isNew && value === null),
	);
	return { values: Object.fromEntries(sent), keyValues, refused, refusals, computedKey };
}

function findOf({ find }: Entry, { index, zone, key }: Target, values: JsonObject): Find {
	if (find.by === 'key') {
		const { multipleMatches, mode } = find;
		return { by: 'key', key: key?.of(values) ?? '', multipleMatches, mode };
	}
	if (find.by !== 'filter') return find;
	const { filters, matchType, most, label } = find;
	const test = readFilter(filters, matchType, index, { zone, isExact: true });
	return { by: 'test', test: test ?? (() => true), most, label };
}

/** What to do about values whose field the card lacks. */
function unknownFields(
	names: readonly string[],
	index: FieldIndex,
	{ isAutomatic }: Columns,
): InputError {
	return index.missing(
		names,
		isAutomatic
			? "To leave them out, select 'Ignore' in 'If Field Is Unknown'. Or select 'Map Each Column Manually', or 'Create the Field' in 'If Field Is Unknown'."
			: "Or select 'Create the Field' in 'If Field Is Unknown'.",
	);
}

const withoutKey = ({ name }: Field): InputError =>
	new InputError(
		`Matching field '${name}' has no value`,
		'Give every field to match on a value: an empty value could match unrelated records.',
	);

/** @param names the names of the fields so far @throws InputError if an earlier value has the same field */
function requireOnce({ id, name }: Field, key: string, names: Map<string, string>): void {
	const other = names.get(id);
	if (other !== undefined) {
		throw new InputError(
			`'${other}' and '${keyBeside(other, key)}' both refer to field '${name}'`,
			'Map each field only once.',
		);
	}
	names.set(id, key);
}

/** Requires the exact name or the ID, because values are lost. @throws InputError naming the option */
function fieldToClear(index: FieldIndex, wanted: string): Field {
	const [field, ...others] = index.fields.filter(({ id, name }) => [id, name].includes(wanted));
	if (!field || others.length > 0) {
		throw new InputError(
			`'Fields to Clear': the card has ${field ? `${others.length + 1} fields` : 'no field'} ${quote(wanted)}`,
			'Select the field again.',
		);
	}
	if (!field.isReadOnly) return field;
	throw new InputError(
		`'Fields to Clear': field '${field.name}' can't be written`,
		'The service computes its value. Remove the field from the option.',
	);
}

const alsoHasValue = ({ name }: Field): InputError =>
	new InputError(
		`Field '${name}' is in 'Fields to Clear' and also has a value`,
		'Remove the field from the option, or its value from the item.',
	);

/** @throws InputError if there is nothing to send */
function requireValues({ find, settings }: Entry, values: JsonObject, refused: number): void {
	if (find.by === 'key' || Object.keys(values).length + refused > 0) return;
	throw new InputError(
		`No value in '${settings.label}'`,
		"Map at least one field, or name the fields of the items like those of the card. Empty values may be left out: see 'Empty Values' and 'If Field Is Unknown'.",
	);
}
