import type { Field } from '../../model/field';
import { InputError } from '../../model/inputError';
import { type Locator, readLocator } from '../../model/locator';
import { cardPath } from '../../transport/listings';
import type { PathPart } from '../../transport/request';
import type { CardReference, Run } from '../run';

/**
 * Finds the field that a locator means in the live listing of its card. A field that was chosen from the
 * list is found by its name when its identifier has changed since.
 *
 * @throws InputError when a locator is empty, before anything is sent, or the card has no such field
 * @see service interface, part 2: field identifiers can change
 */
export async function locateField(
	run: Run,
	cardLocator: Locator,
	fieldLocator: Locator,
): Promise<{ card: CardReference; field: Field }> {
	const { mode, text, shown } = readLocator(fieldLocator, 'Field');
	const card = await run.card(cardLocator);
	const fields = await run.fields(card);
	if (mode === 'name') return { card, field: fields.resolve(text) };
	const field = fields.byId(text) ?? (shown === text ? undefined : fields.find(shown));
	if (field) return { card, field };
	throw new InputError(
		`Card '${card.name}' has no field with the ID '${text}'`,
		`Identifiers can change. Choose the field again, or use 'By Name': ${fields.fields.map(({ name }) => `'${name}'`).join(', ')}.`,
	);
}

export const fieldPath = (cardId: string, fieldId: string): PathPart[] => [
	...cardPath(cardId),
	'fields',
	{ value: fieldId, parameter: 'Field' },
];
