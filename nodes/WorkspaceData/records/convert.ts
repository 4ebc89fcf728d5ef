/** Converts what an item wants written to values by field ID. */
import type { Field } from '../transport/api';
import { SeveralChoices } from '../values/choices';
import { enter } from '../values/entry';
import { InputError } from '../values/inputError';
import type { JsonObject } from '../values/json';
import { quote, sentences } from '../values/messageText';
import type { Zone } from '../values/time';
import { hasName, keyBeside, type Columns } from './columns';
import type { Entry, RefusedValue, Wish } from './entry';
import type { FieldIndex } from './fieldIndex';
import { readFilter } from './filter';
import type { MatchKey } from './matchKey';
import { computed, inputErrorOf, requireNone, type Refusal } from './refusals';

/** The fields of a card for which values are converted. */
export interface Target {
	index: FieldIndex;
	zone: Zone;
	key: MatchKey;
}

/**
 * Converts an item.
 *
 * @throws RefusedValues for fields that are unknown, ambiguous or named twice, for a blank value to match on, and for
 * fields to clear that can't be cleared
 */
export function convert(entry: Entry, target: Target): Wish {
	const { columns, find, settings } = entry;
	const { index, zone, key } = target;
	const test =
		find.by === 'filter'
			? readFilter(find.filters, find.matchType, index, { zone, isExact: true })
			: undefined;
	if (!columns) return { entry, values: {}, refused: [], test };
	const conversion = new Conversion(entry, target, columns(index));
	for (const name of settings.clearFields) conversion.clear(name);
	const values = conversion.result();
	return { entry, values, refused: conversion.refused, key: key.of(values), test };
}

/** The values of an item while they are converted. */
class Conversion {
	/** Values that their fields refuse. */
	readonly refused: RefusedValue[] = [];
	private readonly entry: Entry;
	private readonly target: Target;
	private readonly columns: Columns;
	/** By field ID. */
	private readonly values = new Map<string, unknown>();
	private readonly names = new Map<string, string>();
	private readonly unknown: string[] = [];
	/** What is wrong whatever a record has. */
	private readonly refusals: Refusal[] = [];

	constructor(entry: Entry, target: Target, columns: Columns) {
		this.entry = entry;
		this.target = target;
		this.columns = columns;
		for (const [name, value] of columns.entries) this.collect(() => this.take(name, value));
		if (this.unknown.length > 0)
			this.refusals.push({ error: unknownFields(this.unknown, target.index, columns, entry) });
	}

	/** Clears a field. */
	clear(name: string): void {
		this.collect(() => {
			const field = fieldToClear(this.target.index, name);
			const isRefused = this.refused.some(({ id }) => id === field.id);
			if ((this.values.get(field.id) ?? null) !== null || isRefused) throw alsoHasValue(field);
			this.values.set(field.id, null);
		});
	}

	/** @returns the values to send or to match on @throws RefusedValues */
	result(): JsonObject {
		const { entry, refusals, refused } = this;
		// Object.fromEntries, not assignment, because a field may be called `__proto__`.
		const values = Object.fromEntries(this.values);
		const blank = this.target.key.blankIn(values);
		if (blank && !refusals.some(({ field }) => field === blank.name))
			refusals.push({ error: withoutKey(blank) });
		requireNone(refusals.length > 0 ? [...refusals, ...refused] : []);
		const { by } = entry.find;
		const isNothing = (value: unknown): boolean => by === 'nothing' && value === null;
		if (by !== 'key' && refused.length === 0 && Object.values(values).every(isNothing))
			throw noValue(entry.settings.label);
		return values;
	}

	private take(name: string, value: unknown): void {
		const { entry, columns, target, names } = this;
		const { rules, ignoresUnknown } = entry.settings;
		const field = target.index.find(name, columns.fieldIds.get(name));
		if (!field) {
			if (!ignoresUnknown && hasName(name, value, entry.itemIndex)) this.unknown.push(name);
			return;
		}
		const isKey = target.key.has(field);
		if (field.isReadOnly && columns.isAutomatic && !isKey) return;
		requireOnce(field, name, names);
		try {
			if (field.isReadOnly && !isKey) throw computed(field.name);
			const taken = enter(field, value, isKey ? { ...rules, isExact: true } : rules);
			if (taken !== undefined) this.values.set(field.id, taken);
			// Digits that a number field can't take are matched, but never written.
			if (isKey && taken !== null) enter(field, value, rules);
		} catch (error) {
			const refusal = { field: field.name, value, error: inputErrorOf(error) };
			// What fits two choices is refused, also if the record holds one of them.
			const isDoubtful = refusal.error instanceof SeveralChoices;
			if (isDoubtful || (isKey && !this.values.has(field.id))) this.refusals.push(refusal);
			else this.refused.push({ ...refusal, id: field.id });
		}
	}

	private collect(work: () => void): void {
		try {
			work();
		} catch (error) {
			this.refusals.push({ error: inputErrorOf(error) });
		}
	}
}

/** What to do about values whose field the card lacks. */
const unknownFields = (
	names: readonly string[],
	index: FieldIndex,
	{ isAutomatic }: Columns,
	{ settings }: Entry,
): InputError =>
	index.missing(
		names,
		settings.rules.addsFields
			? 'Fields are added only for items that are valid otherwise.'
			: isAutomatic
				? "To leave unknown fields out, select 'Ignore' in 'If Field Is Unknown' (under 'Options'). Or select 'Map Each Column Manually', or 'Create the Field' there."
				: "Or select 'Create the Field' in 'If Field Is Unknown'.",
	);

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

/** The error for an item that maps nothing. @param label the mapper's */
export const noValue = (label: string): InputError =>
	new InputError(
		`No value in '${label}'`,
		sentences(
			'Map at least one field, or name the fields of the items like those of the card',
			"Empty values may be left out: see 'Empty Values' and 'If Field Is Unknown'.",
		),
	);
