/** Finds the field that the parameters 'Card' and 'Field' mean. */
import { type Locator, readLocator } from '../../records/locator';
import type { CardReference, Run } from '../../records/run';
import type { Field } from '../../transport/api';
import { InputError } from '../../values/inputError';
import { listedInQuotes } from '../../values/messageText';

/**
 * Finds the field that a locator means in the current listing of its card. A field that was selected from the list is
 * found by its name if its ID has changed since.
 *
 * @param isExact true for changes that can't be undone: the ID, or the name, must be exactly the field's
 * @throws InputError if a locator is empty, before anything is sent, or if the card has no such field
 * @see service interface, part 2: field identifiers can change
 */
export async function locateField(
	run: Run,
	cardLocator: Locator,
	fieldLocator: Locator,
	isExact = false,
): Promise<{ card: CardReference; field: Field }> {
	const { mode, text, entered, shown } = readLocator(fieldLocator, 'Field');
	const card = await run.findCard(cardLocator, {}, isExact);
	const index = await run.fieldsOf(card);
	if (mode === 'name')
		return { card, field: isExact ? index.exact(entered, true) : index.resolve(text) };
	const field = index.byId(text) ?? (isExact || shown === text ? undefined : index.find(shown));
	if (field) return { card, field };
	const names = index.fields.map(({ name }) => name);
	throw new InputError(
		`Card '${card.name}' has no field with the ID '${text}'`,
		`Field IDs can change. Select the field again, or use 'By Name': ${listedInQuotes(names)}.`,
	);
}
