/** Fields and choices that a card lacks for the values of a run: planned once for all items, then added. */
import type { Field } from '../transport/api';
import { plainOption } from '../values/choiceList';
import { enter } from '../values/entry';
import { inferType, offeredName, offeredType, USUAL_TYPES } from '../values/kinds/inferType';
import { InputError } from '../values/inputError';
import { kindOfType } from '../values/kinds/allKinds';
import { listedInQuotes, quote } from '../values/messageText';
import { cleanName, foldCase } from '../values/nameSpelling';
import { newChoices } from '../values/choices';
import { hasName } from './columns';
import type { Entry, FieldTypes, NewField } from './entry';
import type { FieldIndex } from './fieldIndex';
import { inputErrorOf } from './refusals';
import type { Run } from './run';

/** What is added to a card. */
export interface Growth {
	fields: readonly PlannedField[];
	choices: ReadonlyArray<{ field: Field; labels: readonly string[] }>;
	/** The fields of the card after that; new ones have no real ID. */
	index: FieldIndex;
}

export interface PlannedField extends NewField {
	/** The reason for the type. */
	why: string;
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
	const [{ settings }] = entries as [Entry];
	const { addsFields, addsChoices } = settings.rules;
	const columns = await readColumns(run, entries, index);
	requireUse(settings.types, columns, index);
	const missing = columns.filter(({ field, values }) => field.isNew && values.length > 0);
	const fields = addsFields ? await planFields(run, missing, index, settings) : [];
	const choices = columns
		.filter(({ field }) => addsChoices && !field.isNew)
		.map(({ field, values }) => ({ field, labels: newChoices(field, values) }))
		.filter(({ labels }) => labels.length > 0);
	if (fields.length + choices.length === 0) return undefined;
	const labelsOf = new Map(choices.map(({ field, labels }) => [field, labels.map(plainOption)]));
	const grown = index.fields.map((field) => {
		const added = labelsOf.get(field);
		return added ? { ...field, options: [...field.options, ...added] } : field;
	});
	return { fields, choices, index: index.with([...grown, ...fields.map(newField)]) };
}

/** The values for a field with choices, or for one that is missing. */
interface Column {
	field: Field;
	values: unknown[];
}

/** Reads the values that decide what is added. Items that will be refused don't count if the others go on. */
async function readColumns(
	run: Run,
	entries: readonly Entry[],
	index: FieldIndex,
): Promise<Column[]> {
	const columns = new Map<string, Column>();
	for (const entry of entries) {
		await run.breathe();
		const { values, isRefused } = readValues(entry, index);
		for (const [field, value] of values) {
			const column = columns.get(field.id) ?? { field, values: [] };
			columns.set(field.id, column);
			if (!isRefused || !run.continues) column.values.push(value);
		}
	}
	return [...columns.values()];
}

function readValues({ itemIndex, columns, settings }: Entry, index: FieldIndex) {
	const values: Array<[Field, unknown]> = [];
	let isRefused = false;
	const attempt = (work: () => void): void => {
		try {
			work();
		} catch (error) {
			inputErrorOf(error);
			isRefused = true;
		}
	};
	const read = (name: string, value: unknown, known: Field | undefined): void => {
		if (!known && !(settings.rules.addsFields && hasName(name, value, itemIndex))) return;
		const field = known ?? newField({ name: cleanName(name), type: 'text', choices: [] });
		if (field.isNew || field.kind.choicesIn) values.push([field, value]);
		if (!settings.rules.addsChoices || !field.kind.choicesIn) enter(field, value, settings.rules);
	};
	attempt(() => {
		const { entries, fieldIds } = columns?.(index) ?? { entries: [] };
		for (const [name, value] of entries)
			attempt(() => read(name, value, index.find(name, fieldIds?.get(name))));
	});
	return { values, isRefused };
}

const idOfNew = (name: string): string => `new ${foldCase(name)}`;

/** A field as it will be. */
const newField = ({ name, type, choices }: NewField): Field => ({
	...{ id: idOfNew(name), name, type, kind: kindOfType(type), isNew: true, isReadOnly: false },
	...{ options: choices.map(plainOption), raw: {} },
});

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
	for (const { field, values } of columns) {
		await run.breathe();
		const { name } = field;
		const chosen = types.get(foldCase(name));
		if (chosen) {
			planned.push(plannedAs({ ...chosen, name }, values, offered));
			continue;
		}
		const { type, why } = inferType(values, rules.formats, run.zone);
		planned.push({ name, type: offeredType(type, offered), choices: [], why });
	}
	return planned;
}

/** Plans a field with the type that somebody has set. @throws InputError if the service doesn't offer it */
function plannedAs(
	{ name, type, choices }: NewField,
	values: readonly unknown[],
	offered: readonly string[],
): PlannedField {
	const own = offeredName(type, offered);
	if (own === undefined) {
		throw new InputError(
			`'Field Types' has type ${quote(type)} for column ${quote(name)}, which the service doesn't offer`,
			`Nothing was sent. The types are ${listedInQuotes(offered)}.`,
		);
	}
	const planned = { name, type: own, choices, why: "set in 'Field Types'" };
	return choices.length > 0
		? planned
		: { ...planned, choices: newChoices(newField(planned), values) };
}

/** @throws InputError for an entry whose column no item has, or has a field of another type */
function requireUse(types: FieldTypes, columns: readonly Column[], index: FieldIndex): void {
	const missing = new Set(columns.map(({ field }) => field.id));
	for (const { name, type } of types.values()) {
		const field = index.find(name);
		if (field ? offeredName(type, [field.type]) : missing.has(idOfNew(name))) continue;
		throw field
			? new InputError(
					`'Field Types': field ${quote(field.name)} exists already, with type ${field.type}`,
					"Nothing was sent. Remove the column from 'Field Types', or change the field with Field > Update.",
				)
			: new InputError(
					`'Field Types' names column ${quote(name)}, which no item has`,
					'Nothing was sent. Correct the name, or remove the column.',
				);
	}
}
