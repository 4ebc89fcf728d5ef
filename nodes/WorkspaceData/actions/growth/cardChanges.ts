/** Adds the missing fields and choices of a card, once for all items and before the first write. */
import { enteredChoice } from '../../model/value/choices';
import { addingChoices } from '../../model/value/newChoices';
import { readField } from '../../model/response/field';
import { plainOption } from '../../model/response/option';
import type { FieldIndex } from '../../model/fieldIndex';
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
import type { CardReference, Run } from '../run/run';
import { readFormats, type Write } from '../writing/valueConversion';
import { missingChoicesOption, unknownFieldsOption } from '../../ui/writeOptions';
import {
	type PlannedWrites,
	columnsOf,
	keptNames,
	missingColumns,
	missingChoices,
	type Addition,
} from './missingColumns';
import { listed, listedInQuotes, quote } from '../../model/names';

/** The additions that the options allow. */
export interface Allowed {
	/** True if fields may be added for unknown columns. */
	fields: boolean;
	/** True if choices may be added for new values. */
	choices: boolean;
}

/** A card that may get fields and choices. */
export interface GrowingCard {
	run: Run;
	card: CardReference;
	allowed: Allowed;
	request: Write['request'];
}

/** Plans the fields that a card needs for some writes. */
async function planColumns(growing: GrowingCard, listed: FieldIndex, writes: PlannedWrites) {
	const { run, card, allowed, request } = growing;
	const columns = await columnsOf(run, writes);
	const missing = allowed.fields ? missingColumns(listed, columns) : [];
	const names = keptNames(listed, missing);
	const index = useNames(run, card, listed, names);
	const lacking = missing.filter(({ name }) => !names.has(name));
	// How the text values of a run are read. The first item decides.
	const formats = readFormats(writes[0]?.options ?? {});
	const planned = await planFields(run, lacking, index.fields, { ...request, formats });
	return { columns, index, planned };
}

/** What a run would add to a card, and the resulting fields. */
interface Preview {
	planned: PlannedField[];
	additions: Addition[];
	index: FieldIndex;
}

/**
 * Plans the fields and choices that a run would add to a card. Sends no changes.
 *
 * @throws InputError for a field that could lose choices
 */
export async function previewChanges(
	growing: GrowingCard,
	listed: FieldIndex,
	writes: PlannedWrites,
): Promise<Preview> {
	const { allowed } = growing;
	const { columns, index, planned } = await planColumns(growing, listed, writes);
	const additions = allowed.choices ? missingChoices(index, columns) : [];
	// Throws if the real run would.
	for (const { field, texts } of additions) addingChoices(field, texts);
	const added = planned.flatMap(({ name, type, choices }) => {
		const field = readField({ id: name, name, type, ...(choices && { options: choices }) });
		return field ? [field] : [];
	});
	const changed = new Map(additions.map(({ field, texts }) => [field, texts]));
	const known = index.fields.map((field) => ({
		...field,
		options: [...field.options, ...(changed.get(field) ?? []).map(plainOption)],
	}));
	return { planned, additions, index: index.with([...known, ...added]) };
}

/** Adds a dry run's hints about additions. */
export function hintAtAdditions(
	{ messages }: Pick<Run, 'messages'>,
	card: CardReference,
	{ planned, additions }: Preview,
): void {
	if (planned.length > 0) {
		messages.hint(
			`Dry run: fields would be added to card '${card.name}': ${describePlan(planned)}`,
		);
	}
	for (const { field, texts } of additions) {
		messages.hint(
			`Dry run: choices would be added to field '${field.name}' of card '${card.name}': ${allQuoted(texts)}`,
		);
	}
}

/** Quotes all choices for a hint. */
const allQuoted = (labels: readonly string[]): string => listedInQuotes(labels, Infinity);

/** The maximum number of choices of a field, and of fields, in the note on an error. */
const MAX_NAMED_CHOICES = 5;
const MAX_NAMED_FIELDS = 10;

/** Lists the choices that should have been added, for a refusal that names none. */
function wantedNote(additions: readonly Addition[]): string {
	const wanted = additions.map(({ field, texts }) => {
		return `${quote(field.name)} (${listedInQuotes(texts, MAX_NAMED_CHOICES)})`;
	});
	return `Choices were to be added to ${listed(wanted, MAX_NAMED_FIELDS)}.`;
}

/** Adds choices with one request for each field. */
async function addChoices(
	{ run, card, request }: GrowingCard,
	additions: readonly Addition[],
): Promise<void> {
	for (const [place, { field, texts }] of additions.entries()) {
		// Read right before the change, because it replaces the list and another user may have added a choice.
		const index = place === 0 ? undefined : await run.fields.changed(card, request);
		const current = index ? index.byId(field.id) : field;
		if (!current) continue;
		const missing = texts.filter((text) => !enteredChoice(current.options, text));
		if (missing.length === 0) continue;
		// Sends the whole list: an earlier unclear change could arrive later and remove these choices.
		await run.writes.creating(
			`choices of ${card.id} ${current.id}`,
			`One of the choices ${allQuoted(missing)} of field ${quote(field.name)}`,
			async () =>
				await run.session.request({
					...request,
					method: 'PATCH',
					path: fieldPath(card.id, current.id),
					body: addingChoices(current, missing),
				}),
		);
		run.messages.hint(
			`Choices were added to field '${field.name}' of card '${card.name}': ${allQuoted(missing)}`,
		);
	}
	await run.fields.changed(card, request);
}

/**
 * Adds the missing fields and choices of a card for some writes. Executions of this process take turns.
 *
 * @throws the error that stopped it; its message says which fields exist now
 */
export async function changeCard(growing: GrowingCard, writes: PlannedWrites): Promise<void> {
	const { run, card, allowed, request } = growing;
	await run.writes.exclusively(fieldsOf(card), async () => {
		// Read again, because another run may have added them since.
		const listed = await run.fields.changed(card, request);
		const { columns, index: known, planned } = await planColumns(growing, listed, writes);
		const { created, index } =
			planned.length > 0
				? await createFields(run, card, planned, request)
				: { created: planned, index: known };
		if (created.length > 0)
			run.messages.hint(`Fields were added to card '${card.name}': ${describePlan(created)}`);
		const additions = allowed.choices ? missingChoices(index, columns) : [];
		if (additions.length === 0) return;
		await addChoices(growing, additions).catch((error: unknown) => {
			if (created.length > 0) run.messages.note(error, newFieldsNote(card, created));
			run.messages.note(error, wantedNote(additions));
			throw error;
		});
	});
}

/** Returns the additions that the options of a write allow. @throws InputError for an unknown option value */
export const allowedChanges = ({
	unknownFields,
	missingChoices: choices,
}: Write['options']): Allowed => ({
	fields: readChoice(unknownFieldsOption, unknownFields) === 'create',
	choices: readChoice(missingChoicesOption, choices) === 'add',
});

/**
 * Adds the missing fields and choices of a card for the values of all items, if the options allow it. Items
 * wait for each other here, because the types of new fields depend on all values.
 *
 * @returns the write; in a dry run with the predicted fields
 */
export async function growCard(itemIndex: number, write: Write): Promise<Write> {
	const { run, card, options, request } = write;
	const { isDry } = write.writer;
	const allowed = allowedChanges(options);
	if (!allowed.fields && !allowed.choices) return write;
	const growing: GrowingCard = { run, card, allowed, request };
	const key = JSON.stringify(['grow', card.id, allowed, isDry]);
	const preview = await run.items.gather(key, itemIndex, write, async (writes: PlannedWrites) => {
		const index = await run.fields.of(card, request);
		if (isDry) {
			const preview = await previewChanges(growing, index, writes);
			hintAtAdditions(run, card, preview);
			return preview.index;
		}
		const columns = await columnsOf(run, writes);
		const lacks =
			(allowed.fields && missingColumns(index, columns).length > 0) ||
			(allowed.choices && missingChoices(index, columns).length > 0);
		if (lacks) await changeCard(growing, writes);
		return undefined;
	});
	return preview ? { ...write, preview } : write;
}
