/** Adds the missing fields and choices of a card, once for all items and before the first write. */
import { isChoice } from '../../model/value/choices';
import { addingChoices } from '../../model/value/newChoices';
import { readField } from '../../model/response/field';
import { plainOption } from '../../model/response/option';
import type { FieldIndex } from '../../model/fieldIndex';
import { sendChange } from '../changeRequests';
import { readChoice } from '../readParameters';
import { fieldPath, fieldsOf } from '../field/fieldLocator';
import {
	createFields,
	describePlan,
	newFieldsNote,
	planFields,
	type PlannedField,
	useNames,
} from './newFields';
import { readFieldTypes, requireColumns } from '../writing/fieldTypes';
import { readFormats, type ItemWrite } from '../writing/valueConversion';
import { missingChoicesOption, unknownFieldsOption } from '../../ui/writeOptions';
import {
	type PlannedWrites,
	valuesByColumn,
	missingColumns,
	missingChoices,
	storedNames,
	type Addition,
} from './missingColumns';
import { listedInQuotes, quote } from '../../model/messageText';

/** The additions that the options allow. */
export interface Allowed {
	/** True if fields may be added for unknown columns. */
	fields: boolean;
	/** True if choices may be added for new values. */
	choices: boolean;
}

/** A card that may get fields and choices, and the options that allow it. */
export type GrowingCard = Pick<ItemWrite, 'run' | 'card' | 'options' | 'request'>;

/** What a run adds to a card, and the resulting fields. */
interface Plan {
	planned: PlannedField[];
	additions: Addition[];
	index: FieldIndex;
}

/**
 * Plans the fields and choices that a run adds to a card. Sends no changes.
 *
 * @throws InputError for a field that could lose choices
 */
export async function planChanges(
	{ run, card, options, request }: GrowingCard,
	listed: FieldIndex,
	writes: PlannedWrites,
): Promise<Plan> {
	const allowed = allowedChanges(options);
	const columns = await valuesByColumn(run, writes);
	const missing = allowed.fields ? missingColumns(listed, columns) : [];
	const names = storedNames(listed, missing);
	const index = useNames(run, card, listed, names);
	const lacking = missing.filter(({ name }) => !names.has(name));
	// How the values of a run are read. The first item decides.
	const first = writes[0]?.options ?? {};
	const types = readFieldTypes(allowed.fields ? first.fieldTypes : undefined);
	requireColumns(types, columns.keys());
	const how = { ...request, formats: readFormats(first), types };
	const planned = await planFields(run, lacking, index.fields, how);
	const additions = allowed.choices ? missingChoices(index, columns) : [];
	for (const { field, labels } of additions) addingChoices(field, labels);
	const added = planned.flatMap(({ name, type, choices }) => {
		const field = readField({ id: name, name, type, ...(choices && { options: choices }) });
		return field ? [field] : [];
	});
	const newLabels = new Map(additions.map(({ field, labels }) => [field, labels]));
	const known = index.fields.map((field) => ({
		...field,
		options: [...field.options, ...(newLabels.get(field) ?? []).map(plainOption)],
	}));
	return { planned, additions, index: index.with([...known, ...added]) };
}

/** Adds a dry run's hints about additions. */
export function hintAtAdditions(
	{ run, card }: Pick<GrowingCard, 'run' | 'card'>,
	{ planned, additions }: Plan,
): void {
	if (planned.length > 0) {
		run.messages.hint(
			`Dry run: fields would be added to card '${card.name}': ${describePlan(planned)}`,
		);
	}
	for (const { field, labels } of additions) {
		run.messages.hint(
			`Dry run: choices would be added to field '${field.name}' of card '${card.name}': ${allQuoted(labels)}`,
		);
	}
}

/** Quotes all choices for a hint. */
const allQuoted = (labels: readonly string[]): string => listedInQuotes(labels, Infinity);

/** The maximum number of choices in the note on an error. */
const MAX_NAMED = 5;

/** Adds choices with one request for each field. @param created the fields that exist now if this fails */
async function addChoices(
	{ run, card, request }: GrowingCard,
	additions: readonly Addition[],
	created: readonly PlannedField[],
): Promise<void> {
	let index = await run.fields.of(card, request);
	for (const { field, labels } of additions) {
		const current = index.byId(field.id);
		const missing = labels.filter((label) => current && !isChoice(current.options, label));
		if (!current || missing.length === 0) continue;
		const path = fieldPath(card.id, current.id);
		const body = addingChoices(current, missing);
		// Sends the whole list: an earlier unclear change could arrive later and remove these choices.
		const adding = run.turns.creating(
			`choices of ${card.id} ${current.id}`,
			`One of the choices ${allQuoted(missing)} of field ${quote(field.name)}`,
			async () => await sendChange(run.session, 'field', { ...request, path, body }),
		);
		await adding.catch((error: unknown) => {
			const wanted = `${quote(field.name)} (${listedInQuotes(missing, MAX_NAMED)})`;
			run.messages.note(error, `Choices were to be added to ${wanted}.`);
			if (created.length > 0) run.messages.note(error, newFieldsNote(card, created));
			throw error;
		});
		run.messages.hint(
			`Choices were added to field '${field.name}' of card '${card.name}': ${allQuoted(missing)}`,
		);
		// Read right before the next change, because it replaces the list and another user may have added a choice.
		index = await run.fields.changed(card, request);
	}
}

/**
 * Adds the missing fields and choices of a card for some writes. Executions of this process take turns.
 *
 * @throws the error that stopped it; its message says which fields exist now
 */
export async function changeCard(growing: GrowingCard, writes: PlannedWrites): Promise<void> {
	const { run, card, request } = growing;
	await run.turns.exclusively(fieldsOf(card), async () => {
		// Read again, because another run may have added them since.
		const listed = await run.fields.changed(card, request);
		const { planned, additions } = await planChanges(growing, listed, writes);
		const created = await createFields(run, card, planned, request);
		if (created.length > 0)
			run.messages.hint(`Fields were added to card '${card.name}': ${describePlan(created)}`);
		await addChoices(growing, additions, created);
	});
}

/** Returns the additions that the options of a write allow. @throws InputError for an unknown option value */
export const allowedChanges = (options: ItemWrite['options']): Allowed => ({
	fields: readChoice(unknownFieldsOption, options.unknownFields) === 'create',
	choices: readChoice(missingChoicesOption, options.missingChoices) === 'add',
});

/**
 * Adds the missing fields and choices of a card for the values of all items, if the options allow it. Items
 * wait for each other here, because the types of new fields depend on all values.
 *
 * @returns the fields of the card; in a dry run the predicted ones
 */
export async function ensureFields(write: ItemWrite): Promise<FieldIndex> {
	const { run, itemIndex, card, request, writer } = write;
	const { isDry } = writer;
	const grow = async (writes: PlannedWrites): Promise<FieldIndex | undefined> => {
		const plan = await planChanges(write, await run.fields.of(card, request), writes);
		if (isDry) hintAtAdditions(write, plan);
		else if (plan.planned.length + plan.additions.length > 0) await changeCard(write, writes);
		return isDry ? plan.index : undefined;
	};
	const allowed = allowedChanges(write.options);
	const key = JSON.stringify(['grow', card.id, allowed, isDry]);
	const grows = allowed.fields || allowed.choices;
	const predicted = grows && (await run.items.gather(key, itemIndex, write, grow));
	return predicted || (await run.fields.of(card, request));
}
