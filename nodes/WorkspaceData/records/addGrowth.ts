/** Adds to a card what a run needs: fields one after the other, and choices. */
import { fieldsOf, type RequestOptions } from '../transport/api';
import { Cancelled, mayHaveHappened } from '../transport/errors';
import { addingChoices, isChoice } from '../values/choices';
import { listedInQuotes, quote } from '../values/messageText';
import { foldCase } from '../values/nameSpelling';
import type { NewField } from './entry';
import type { FieldIndex } from './fieldIndex';
import type { Growth, PlannedField } from './growth';
import { addNote } from './hints';
import type { CardReference, Run } from './run';

/** Why fields or choices couldn't be added, by the folded name of a new field or the ID of an existing one. */
export type Failures = ReadonlyMap<string, unknown>;

/**
 * Adds fields and choices.
 *
 * @param goesOn true to add the others if one can't be added
 * @throws the error that stopped it, which says what exists
 */
export async function addGrowth(
	run: Run,
	card: CardReference,
	{ fields, choices }: Growth,
	request: RequestOptions,
	goesOn: boolean,
): Promise<Failures> {
	const failures = new Map<string, unknown>();
	const attempt = async (key: string, work: Promise<void>): Promise<void> =>
		await work.catch((error: unknown) => {
			if (!goesOn || error instanceof Cancelled) throw error;
			failures.set(key, error);
		});
	for (const some of goesOn ? fields.map((field) => [field]) : [fields])
		await attempt(foldCase(some[0]?.name ?? ''), addFields(run, card, some, request));
	const added = fields.filter(({ name }) => !failures.has(foldCase(name)));
	if (added.length > 0) run.done.additions.push(newFields(card, added));
	for (const one of choices) await attempt(one.field.id, addChoices(run, card, one, request));
	return failures;
}

/** Adds choices to a field. The list is replaced, and somebody else may have added to it meanwhile. */
async function addChoices(
	run: Run,
	card: CardReference,
	one: Growth['choices'][number],
	request: RequestOptions,
): Promise<void> {
	const field = (await run.fieldsAgain(card, request)).byId(one.field.id) ?? one.field;
	const missing = one.labels.filter((label) => !isChoice(field.options, label));
	if (missing.length === 0) return;
	const change = addingChoices(field, missing);
	await run.api.change(fieldsOf(card.id), field.id, change, request).catch((error: unknown) => {
		const labels = listedInQuotes(one.labels);
		addNote(error, `Choices were to be added to ${quote(field.name)} (${labels}).`);
		throw error;
	});
	run.done.additions.push(addedChoices(card, one, 'Choices were'));
}

/** Reads the fields of a card after some were added, and tells what was: also what had no clear response. */
export async function readGrown(
	run: Run,
	card: CardReference,
	{ fields, choices }: Growth,
	request: RequestOptions,
): Promise<FieldIndex> {
	const index = await run.fieldsAgain(card, request);
	const added = {
		fields: fields.filter(({ name }) => index.candidates(name).length > 0),
		choices: choices.filter(({ field: { id }, labels }) =>
			labels.every((label) => isChoice(index.byId(id)?.options ?? [], label)),
		),
	};
	hintAtGrowth(run, card, added, ['Fields were', 'Choices were']);
	const names = new Set(fields.map(({ name }) => name));
	const marked = index.fields.map((field) => ({ ...field, isNew: names.has(field.name) }));
	return index.with(marked);
}

/** Says what is added to a card. @param begins how the hints begin: of fields, and of choices */
export function hintAtGrowth(
	{ hints }: Run,
	card: CardReference,
	{ fields, choices }: Omit<Growth, 'index'>,
	begins = ['Dry run: fields would be', 'Dry run: choices would be'],
): void {
	const [ofFields, ofChoices = ''] = begins;
	if (fields.length > 0) hints.add(`${ofFields} added to card '${card.name}': ${describe(fields)}`);
	for (const one of choices) hints.add(addedChoices(card, one, ofChoices));
}

/** Creates fields one after the other, to keep their order. @throws what stopped it; its description says what exists */
export async function addFields(
	run: Run,
	card: CardReference,
	fields: readonly NewField[],
	request: RequestOptions,
): Promise<void> {
	for (const [place, { name, type, choices }] of fields.entries()) {
		const body = { name, type, ...(choices.length > 0 && { options: [...choices] }) };
		await run.api.create(fieldsOf(card.id), body, request).catch((error: unknown) => {
			const left = fields.slice(place);
			const unclear = mayHaveHappened(error) ? left.splice(0, 1) : [];
			if (place > 0) addNote(error, newFields(card, fields.slice(0, place)));
			if (unclear.length > 0) addNote(error, `Maybe created: ${namesOf(unclear)}.`);
			if (left.length > 0) addNote(error, `Not created: ${namesOf(left)}.`);
			throw error;
		});
	}
}

const newFields = ({ name }: CardReference, fields: readonly NewField[]): string =>
	`Card '${name}' has the new fields ${namesOf(fields)}.`;

const addedChoices = (
	{ name }: CardReference,
	{ field, labels }: Growth['choices'][number],
	begin: string,
): string =>
	`${begin} added to field '${field.name}' of card '${name}': ${labels.map(quote).join(', ')}`;

const namesOf = (fields: readonly NewField[]): string =>
	listedInQuotes(fields.map(({ name }) => name));

/** Lists fields with their types and reasons. Those that need a decision come first, a line each. */
function describe(planned: readonly PlannedField[]): string {
	const lines = planned.map(({ name, type, why }) => ({
		text: `${quote(name)} (${why === type ? type : `${type}: ${why}`})`,
		isOpen: /(?:select|enter|set) '/.test(why),
	}));
	const open = lines.filter(({ isOpen }) => isOpen).map(({ text }) => `${text}<br>`);
	const others = lines.filter(({ isOpen }) => !isOpen).map(({ text }) => text);
	return open.join('') + others.join(', ');
}
