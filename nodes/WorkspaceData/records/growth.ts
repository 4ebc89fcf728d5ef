/** Fields and choices that a card lacks for the values of a run: planned once for all items, then added. */
import type { Field } from '../transport/api';
import { plainOption } from '../values/choiceList';
import { enter } from '../values/entry';
import {
	inferType,
	offeredName,
	offeredType,
	textType,
	USUAL_TYPES,
} from '../values/kinds/inferType';
import { InputError } from '../values/inputError';
import { kindOfType } from '../values/kinds/allKinds';
import { listedInQuotes, quote } from '../values/messageText';
import { cleanName, foldCase } from '../values/nameSpelling';
import { addingChoices, newChoices } from '../values/newChoices';
import { isNameless, type Columns } from './columns';
import type { Entry, FieldTypes } from './entry';
import type { FieldIndex, FieldHint } from './fieldIndex';
import { inputErrorOf } from './refusals';
import type { Run } from './run';

/** What is added to a card. */
export interface Growth {
	fields: readonly PlannedField[];
	choices: ReadonlyArray<{ field: Field; labels: readonly string[] }>;
	/** The fields of the card after that; new ones have no real ID. */
	index: FieldIndex;
}

export interface PlannedField {
	name: string;
	/** The service's name for the type. */
	type: string;
	/** Empty if the field has none. */
	choices: readonly string[];
	/** The reason for the type. */
	why: string;
	/** The type for text, if the service refuses the other one; undefined for a type that somebody has set. */
	textType?: string | undefined;
}

/**
 * Plans what the items of a card need. Nothing is sent but a request for the service's description.
 *
 * @throws InputError for types that nothing uses, or that the service or an existing field doesn't have
 */
export async function planGrowth(
	run: Run,
	entries: readonly Entry[],
	index: FieldIndex,
): Promise<Growth | undefined> {
	const settings = entries[0]?.settings;
	if (!settings || (!settings.addsFields && !settings.addsChoices)) return undefined;
	const { missing, chosen, names } = await collectValues(run, entries, index);
	requireColumns(settings.types, names);
	requireOwnTypes(settings.types, index);
	const fields = settings.addsFields
		? await planFields(run, [...missing.values()], index, settings)
		: [];
	const choices = [...(settings.addsChoices ? chosen : [])]
		.map(([field, values]) => ({ field, labels: newChoices(field, values) }))
		.filter(({ labels }) => labels.length > 0);
	for (const { field, labels } of choices) addingChoices(field, labels);
	if (fields.length + choices.length === 0) return undefined;
	const labelsOf = new Map(choices.map(({ field, labels }) => [field, labels]));
	const grown = index.fields.map((field) => withChoices(field, labelsOf.get(field) ?? []));
	return { fields, choices, index: index.with([...grown, ...fields.map(fieldOf)]) };
}

/** The maximum number of columns or types in a message. */
const MAX_NAMED = 50;

interface Column {
	name: string;
	values: unknown[];
}

interface Collected {
	/** The columns without a field, by their names in any case. */
	missing: Map<string, Column>;
	/** The values of select fields. */
	chosen: Map<Field, unknown[]>;
	names: Set<string>;
}

/** Collects the values that decide what is added. Items that will be refused don't count if the others go on. */
async function collectValues(
	run: Run,
	entries: readonly Entry[],
	index: FieldIndex,
): Promise<Collected> {
	const collected: Collected = { missing: new Map(), chosen: new Map(), names: new Set() };
	for (const entry of entries) {
		await run.breathe();
		const columns = readable(entry, index);
		if (!columns) continue;
		for (const [name] of columns.entries) collected.names.add(name);
		if (run.continues && isRefused(entry, columns, index)) continue;
		for (const [name, value] of columns.entries) {
			const field = fieldOfKey(index, name, columns.hints.get(name));
			if (field?.kind.choicesIn) push(collected.chosen, field, value);
			// An item reports its ambiguous keys and its values without a name.
			if (field !== undefined || isNameless(name)) continue;
			const known = collected.missing.get(foldCase(name));
			if (known) known.values.push(value);
			else collected.missing.set(foldCase(name), { name: cleanName(name), values: [value] });
		}
	}
	return collected;
}

function push(values: Map<Field, unknown[]>, field: Field, value: unknown): void {
	const known = values.get(field);
	if (known) known.push(value);
	else values.set(field, [value]);
}

/** The columns of an item; undefined if it will be refused for them. */
function readable({ columns }: Entry, index: FieldIndex): Columns | undefined {
	try {
		return columns?.(index);
	} catch (error) {
		return void inputErrorOf(error);
	}
}

/** Returns true if a field of the card, or any field, refuses a value. */
function isRefused({ settings }: Entry, { entries, hints }: Columns, index: FieldIndex): boolean {
	return entries.some(([name, value]) => {
		const field = fieldOfKey(index, name, hints.get(name));
		if (field === null || (field?.kind.choicesIn && settings.addsChoices)) return field === null;
		try {
			enter(field ?? textField(name), value, settings.rules);
			return false;
		} catch (error) {
			return inputErrorOf(error) !== undefined;
		}
	});
}

const textField = (name: string) => ({ name, kind: kindOfType('text'), options: [] });

/** The field of a key; undefined if there is none, null if there are several. */
function fieldOfKey(index: FieldIndex, key: string, hint?: FieldHint): Field | undefined | null {
	try {
		return index.find(key, hint);
	} catch {
		return null;
	}
}

/** Selects the types of new fields. */
async function planFields(
	run: Run,
	columns: readonly Column[],
	{ fields }: FieldIndex,
	{ types, rules, request }: Entry['settings'],
): Promise<PlannedField[]> {
	if (columns.length === 0) return [];
	const described = await run.describedTypes(request);
	const usual = [...fields.map(({ type }) => type), ...USUAL_TYPES];
	const offered = described.length > 0 ? described : usual;
	const planned: PlannedField[] = [];
	for (const { name, values } of columns) {
		await run.breathe();
		const chosen = types.get(foldCase(name));
		if (chosen) {
			planned.push(plannedAs({ ...chosen, name }, values, offered));
			continue;
		}
		const { type, why } = inferType(values, rules.formats, run.zone);
		const own = offeredType(type, offered);
		const reason = own.type === type ? why : `${why}, and the service offers no ${type}`;
		const plain = offeredType(textType(values), offered).name;
		planned.push({ name, type: own.name, choices: [], why: reason, textType: plain });
	}
	return planned;
}

/** Plans a field with the type that somebody has set. @throws InputError if the service doesn't offer it */
function plannedAs(
	{ name, type, choices }: { name: string; type: string; choices: string[] },
	values: readonly unknown[],
	offered: readonly string[],
): PlannedField {
	const own = offeredName(type, offered);
	if (own === undefined) {
		throw new InputError(
			`'Field Types' has type ${quote(type)} for column ${quote(name)}, which the service doesn't offer`,
			`Nothing was sent. The types are ${listedInQuotes(offered, MAX_NAMED)}.`,
		);
	}
	const planned = { name, type: own, choices, why: "set in 'Field Types'" };
	return choices.length > 0
		? planned
		: { ...planned, choices: newChoices(fieldOf(planned), values) };
}

/** A field as it will be. */
const fieldOf = ({ name, type, choices }: Omit<PlannedField, 'why'>): Field => ({
	...{ id: `new ${name}`, name, type, kind: kindOfType(type), isReadOnly: false, raw: {} },
	options: choices.map(plainOption),
});

const withChoices = (field: Field, labels: readonly string[]): Field =>
	labels.length === 0
		? field
		: { ...field, options: [...field.options, ...labels.map(plainOption)] };

/** @throws InputError for an entry whose column has a field of another type */
function requireOwnTypes(types: FieldTypes, index: FieldIndex): void {
	for (const { name, type } of types.values()) {
		const field = fieldOfKey(index, name);
		if (!field || offeredName(type, [field.type]) !== undefined) continue;
		throw new InputError(
			`'Field Types': field ${quote(field.name)} exists already, with type ${field.type}`,
			"Nothing was sent. Remove the column from 'Field Types', or change the field with Field > Update.",
		);
	}
}

/** @throws InputError for an entry whose column no item has */
function requireColumns(types: FieldTypes, names: ReadonlySet<string>): void {
	const known = new Set([...names].map(foldCase));
	for (const [key, { name }] of types) {
		if (known.has(key)) continue;
		throw new InputError(
			`'Field Types' names column ${quote(name)}, which no item has`,
			`Nothing was sent. The columns are ${listedInQuotes([...names], MAX_NAMED)}.`,
		);
	}
}
