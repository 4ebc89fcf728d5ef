/** Adds the missing fields and choices of a card, once for all items and before the first write. */
import { isChoice } from '../../values/choices';
import { addingChoices } from '../../values/newChoices';
import { readField } from '../../model/response/field';
import { plainOption } from '../../model/response/choiceList';
import type { FieldIndex } from '../../records/fieldIndex';
import { foldCase } from '../../values/nameSpelling';
import { sendChange } from '../../transport/writeRequests';
import { fieldPath, fieldsOf } from '../field/fieldLocator';
import {
	bodyOf,
	createFields,
	describePlan,
	newFieldsNote,
	planFields,
	type PlannedField,
	useNames,
} from './createFields';
import { requireColumns, requireOwnTypes } from './fieldTypes';
import { settled } from '../writing/difference';
import type { ItemWrite } from '../writing/itemValues';
import { inputErrorOf, refusalOf, type RefusedItem } from '../writing/refusals';
import { toRecordData } from '../writing/valueConversion';
import {
	valuesByColumn,
	missingColumns,
	missingChoices,
	storedNames,
	type Addition,
} from './missingColumns';
import { listedInQuotes, quote } from '../../values/messageText';
import { unclearCreations } from '../run/acrossRuns';

/** What an item gives to a card that may get fields and choices, whether or not the card exists yet. */
export type Planned = Omit<ItemWrite, 'card' | 'writer'>;

/** A card, and how the first of its items is written. */
export type GrowingCard = Pick<ItemWrite, 'run' | 'card' | 'request' | 'adds' | 'types' | 'rules'>;

/** What a run adds to a card, and the resulting fields. */
interface Plan {
	planned: PlannedField[];
	additions: Addition[];
	index: FieldIndex;
}

/**
 * Plans the fields and choices that a run adds to a card. Sends no changes.
 *
 * @throws InputError for a field that could lose choices, and for values that don't have the type that is set for them
 */
export async function planChanges(
	growing: GrowingCard,
	listed: FieldIndex,
	writes: readonly Planned[],
): Promise<Plan> {
	const { run, card, adds, types } = growing;
	const columns = await valuesByColumn(run, writes);
	requireColumns(types, columns.keys());
	const missing = adds.fields ? missingColumns(listed, columns) : [];
	const names = storedNames(listed, missing);
	const known = useNames(run, card, listed, names);
	requireOwnTypes(types, known);
	const lacking = missing.filter(({ name }) => !names.has(name));
	const planned = await planFields(run, lacking, known.fields, growing);
	const additions = adds.choices ? missingChoices(known, columns) : [];
	for (const { field, labels } of additions) addingChoices(field, labels);
	const newLabels = new Map(additions.map(({ field, labels }) => [field, labels]));
	const index = known.with([
		...known.fields.map((field) => ({
			...field,
			options: [...field.options, ...(newLabels.get(field) ?? []).map(plainOption)],
		})),
		...planned.flatMap((field) => readField({ id: field.name, ...bodyOf(field) }) ?? []),
	]);
	const typed = new Set(
		planned.map(({ name }) => foldCase(name)).filter((name) => types.has(name)),
	);
	if (typed.size > 0) await requireFit(writes, index, typed);
	return { planned, additions, index };
}

/**
 * Requires that the fields of a card take the values of all items, before anything is sent.
 *
 * @param only the columns to check, without case; all if missing
 * @throws InputError with a line for each field and cause
 */
export async function requireFit(
	writes: readonly Planned[],
	index: FieldIndex,
	only?: ReadonlySet<string>,
): Promise<void> {
	const refused: RefusedItem[] = [];
	for (const write of writes) {
		const { run, itemIndex, columns } = write;
		await run.yieldToLoop();
		const entries = columns.entries.filter(([name]) => only?.has(foldCase(name)) ?? true);
		const checked = { ...write, columns: { ...columns, entries }, options: {} };
		try {
			settled(toRecordData(checked, index), undefined, index, run.zone);
		} catch (error) {
			refused.push({ which: `Item ${itemIndex}`, error: inputErrorOf(error) });
		}
	}
	if (refused.length > 0) throw refusalOf(refused, 'Nothing was sent.');
}

/** Adds a dry run's hints about additions. */
export function hintAtAdditions(
	{ run, card }: Pick<GrowingCard, 'run' | 'card'>,
	{ planned, additions }: Omit<Plan, 'index'>,
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

/** Adds choices with one request for each field. */
async function addChoices(
	{ run, card, request }: GrowingCard,
	additions: readonly Addition[],
): Promise<void> {
	let index = await run.fields.of(card, request);
	for (const { field, labels } of additions) {
		const current = index.byId(field.id);
		const missing = labels.filter((label) => current && !isChoice(current.options, label));
		if (!current || missing.length === 0) continue;
		const path = fieldPath(card.id, current.id);
		const body = addingChoices(current, missing);
		// Sends the whole list: an earlier unclear change could arrive later and remove these choices.
		const adding = unclearCreations.creating(
			run.turns.address(`choices of ${card.id} ${current.id}`),
			`One of the choices ${allQuoted(missing)} of field ${quote(field.name)}`,
			async () => {
				await sendChange(run.session, 'field', { ...request, path, body });
				return true;
			},
		);
		await adding.catch((error: unknown) => {
			const wanted = `${quote(field.name)} (${listedInQuotes(missing, MAX_NAMED)})`;
			run.messages.note(error, `Choices were to be added to ${wanted}.`);
			throw error;
		});
		const added = `Choices were added to field '${field.name}' of card '${card.name}': ${allQuoted(missing)}`;
		run.messages.hint(added);
		run.messages.additions.push(added);
		// Read right before the next change, because it replaces the list and another user may have added a choice.
		index = await run.fields.changed(card, request);
	}
}

/**
 * Adds the missing fields and choices of a card for some writes. Executions of this process take turns.
 *
 * @throws the error that stopped it; its message says which fields exist now
 */
export async function changeCard(growing: GrowingCard, writes: readonly Planned[]): Promise<void> {
	const { run, card, request } = growing;
	await run.turns.exclusively(fieldsOf(card), async () => {
		// Read again, because another run may have added them since.
		const listed = await run.fields.changed(card, request);
		const { planned, additions } = await planChanges(growing, listed, writes);
		const created = await createFields(run, card, planned, request);
		if (created.length > 0) {
			run.messages.hint(`Fields were added to card '${card.name}': ${describePlan(created)}`);
			run.messages.additions.push(newFieldsNote(card, created));
		}
		await addChoices(growing, additions);
	});
}

/**
 * Adds the missing fields and choices of a card for the values of all items, if the options allow it. Items
 * wait for each other here, because the types of new fields depend on all values. The first item says how they are read.
 *
 * @returns the fields of the card; in a dry run the predicted ones
 */
export async function ensureFields(write: ItemWrite): Promise<FieldIndex> {
	const { run, itemIndex, card, request, adds, writer } = write;
	const { isDry } = writer;
	const add = async (writes: readonly ItemWrite[]): Promise<FieldIndex | undefined> => {
		const first = writes[0] ?? write;
		const plan = await planChanges(first, await run.fields.of(card, request), writes);
		if (isDry) hintAtAdditions(first, plan);
		else if (plan.planned.length + plan.additions.length > 0) await changeCard(first, writes);
		return isDry ? plan.index : undefined;
	};
	const key = JSON.stringify(['new fields', card.id, adds, isDry]);
	const predicted =
		(adds.fields || adds.choices) && (await run.items.gather(key, itemIndex, write, add));
	return predicted || (await run.fields.of(card, request));
}
