/** Adds to a card what a run needs: fields one after the other, and choices. */
import { fieldsOf, type RequestOptions } from '../transport/api';
import { mayHaveHappened, RequestError } from '../transport/errors';
import { listed, listedInQuotes, quote } from '../values/messageText';
import { addingChoices, newChoices } from '../values/newChoices';
import type { FieldIndex } from './fieldIndex';
import type { Growth, PlannedField } from './growth';
import { addNote } from './hints';
import type { CardReference, Run } from './run';

/** Adds fields and choices. @returns the fields of the card @throws the error that stopped it, which says what exists */
export async function addGrowth(
	run: Run,
	card: CardReference,
	{ fields, choices }: Growth,
	request: RequestOptions,
): Promise<{ index: FieldIndex; additions: string[] }> {
	const created = await addFields(run, card, fields, request);
	const additions = created.length > 0 ? [newFieldsNote(card, created)] : [];
	if (created.length > 0)
		run.hints.add(`Fields were added to card '${card.name}': ${describe(created)}`);
	for (const { field, labels } of choices) {
		const what = fieldsOf(card.id);
		// The list is replaced, and somebody else may have added to it meanwhile.
		const current = (await run.fieldsAgain(card, request)).byId(field.id) ?? field;
		await run.api
			.change(what, field.id, addingChoices(current, newChoices(current, labels)), request)
			.catch((error: unknown) => {
				addNote(
					error,
					`Choices were to be added to ${quote(field.name)} (${listedInQuotes(labels, MAX_CHOICES)}).`,
				);
				for (const addition of additions) addNote(error, addition);
				throw error;
			});
		const added = `Choices were added to field '${field.name}' of card '${card.name}': ${listedInQuotes(labels, Infinity)}`;
		run.hints.add(added);
		additions.push(added);
	}
	return { index: await run.fieldsAgain(card, request), additions };
}

/** Adds a dry run's hints. */
export function hintAtGrowth(
	{ hints }: Run,
	card: CardReference,
	{ fields, choices }: Growth,
): void {
	if (fields.length > 0)
		hints.add(`Dry run: fields would be added to card '${card.name}': ${describe(fields)}`);
	for (const { field, labels } of choices) {
		hints.add(
			`Dry run: choices would be added to field '${field.name}' of card '${card.name}': ${listedInQuotes(labels, Infinity)}`,
		);
	}
}

/** The maximum number of fields, and of choices, in a message. */
const MAX_FIELDS = 50;
const MAX_CHOICES = 5;

/** Creates fields one after the other, to keep their order. @throws what stopped it; its description says what exists */
export async function addFields(
	run: Run,
	card: CardReference,
	planned: readonly PlannedField[],
	request: RequestOptions,
): Promise<PlannedField[]> {
	const created: PlannedField[] = [];
	const noteWhatExists = (error: unknown): never => {
		const left = planned.slice(created.length);
		const unclear = mayHaveHappened(error) ? left.splice(0, 1) : [];
		if (created.length > 0) addNote(error, newFieldsNote(card, created));
		if (unclear.length > 0) addNote(error, `Maybe created: ${namesOf(unclear)}.`);
		if (left.length > 0) addNote(error, `Not created: ${namesOf(left)}.`);
		throw error;
	};
	for (const field of planned)
		created.push(await createField(run, card, field, request).catch(noteWhatExists));
	return created;
}

const newFieldsNote = ({ name }: CardReference, created: readonly PlannedField[]): string =>
	`Card '${name}' has the new fields ${namesOf(created)}.`;

/** Creates a field. A type that the service refuses becomes text, which holds any value. */
async function createField(
	run: Run,
	card: CardReference,
	field: PlannedField,
	request: RequestOptions,
): Promise<PlannedField> {
	const { name, type, choices, textType: plain } = field;
	const body = { name, type, ...(choices.length > 0 && { options: [...choices] }) };
	const asText = async (error: unknown): Promise<PlannedField> => {
		const isRefused = error instanceof RequestError && [400, 422].includes(error.status ?? 0);
		if (!isRefused || plain === undefined || type === plain) throw error;
		const why = `the service refused ${type}: ${error.message}`;
		return await createField(run, card, { name, type: plain, why, choices: [] }, request);
	};
	return await run.api.create(fieldsOf(card.id), body, request).then(() => field, asText);
}

const namesOf = (fields: ReadonlyArray<{ name: string }>): string =>
	listedInQuotes(
		fields.map(({ name }) => name),
		MAX_FIELDS,
	);

/** Lists fields with their types and reasons. Those that need a decision come first, a line each. */
export function describe(planned: readonly PlannedField[]): string {
	const lines = planned.map(({ name, type, why }) => ({
		text: `${quote(name)} (${why === type ? type : `${type}: ${why}`})`,
		isOpen: /(?:select|enter|set) '/.test(why),
	}));
	const open = lines.filter(({ isOpen }) => isOpen).map(({ text }) => `${text}<br>`);
	const others = lines.filter(({ isOpen }) => !isOpen).map(({ text }) => text);
	return open.join('') + listed(others, MAX_FIELDS);
}
