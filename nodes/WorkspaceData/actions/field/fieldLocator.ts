/** Finds the field that the parameters 'Card' and 'Field' mean. */
import type { Field } from '../../model/response/field';
import type { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import { type Locator, readLocator } from '../../model/locator';
import { cardPath } from '../../transport/cardAndFieldListings';
import type { PathPart } from '../../transport/request';
import type { CardReference, Run } from '../run/run';
import { listedInQuotes, quote } from '../../model/names';

/**
 * Finds the field that a locator means in the current listing of its card. A field that was selected from the list is
 * found by its name if its ID has changed since.
 *
 * @throws InputError if a locator is empty, before anything is sent, or if the card has no such field
 * @see service interface, part 2: field identifiers can change
 */
export async function locateField(
	run: Run,
	cardLocator: Locator,
	fieldLocator: Locator,
): Promise<{ card: CardReference; field: Field }> {
	const { mode, text, shown } = readLocator(fieldLocator, 'Field');
	const card = await run.cards.find(cardLocator);
	const fields = await run.fields.of(card);
	if (mode === 'name') return { card, field: fields.resolve(text) };
	const field = fields.byId(text) ?? (shown === text ? undefined : fields.find(shown));
	if (field) return { card, field };
	throw missing(card, fields, text);
}

/** The maximum number of fields in a message. */
const MAX_NAMED = 20;

function missing(card: CardReference, { fields }: FieldIndex, id: string): InputError {
	const names = listedInQuotes(
		fields.map(({ name }) => name),
		MAX_NAMED,
	);
	return new InputError(
		`Card '${card.name}' has no field with the ID '${id}'`,
		`Field IDs can change. Select the field again, or use 'By Name': ${names}.`,
	);
}

/**
 * Finds the field that a locator means, for changes that can't be undone. It must be exactly the selected field. A
 * name must match exactly. An ID from the list isn't accepted if another field has the selected name now.
 *
 * @throws InputError if a locator is empty, before anything is sent, or if it is uncertain which field is meant
 */
export async function locateExactField(
	run: Run,
	cardLocator: Locator,
	fieldLocator: Locator,
): Promise<{ card: CardReference; field: Field }> {
	const { mode, text, entered, shown } = readLocator(fieldLocator, 'Field');
	const card = await run.cards.findExact(cardLocator);
	const fields = await run.fields.of(card);
	if (mode === 'name') return { card, field: fields.exact(entered) };
	const field = fields.byId(text);
	if (!field) throw missing(card, fields, text);
	const namesake = fields.fields.find(({ id, name }) => name === shown && id !== text);
	if (shown === text || field.name === shown || !namesake) return { card, field };
	throw new InputError(
		`The selected field ${quote(shown)} is now called ${quote(field.name)}, and another field has the old name`,
		`Nothing was deleted. Select the field again: ${field.id} is ${quote(field.name)}, ${namesake.id} is ${quote(namesake.name)}.`,
	);
}

export const fieldPath = (cardId: string, fieldId: string): PathPart[] => [
	...cardPath(cardId),
	'fields',
	{ value: fieldId, parameter: 'Field' },
];

/** The key by which executions that change the fields of a card take turns. */
export const fieldsOf = (card: CardReference): string => `fields of ${card.id}`;
