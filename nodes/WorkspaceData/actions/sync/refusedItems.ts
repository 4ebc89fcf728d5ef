/** Combines all invalid items of a Sync into one message. */
import { InputError } from '../../model/inputError';
import { quote } from '../../model/messageText';
import { plainText } from '../../model/parameterValue';
import { isEmpty } from '../../model/value/emptyValue';
import { firstOf } from '../writing/combineErrors';
import type { ItemWrite } from '../writing/valueConversion';

/** An item whose values cannot be sent. */
export interface RefusedItem {
	write: ItemWrite;
	error: unknown;
}

/** @returns the error of the items; an error of another kind comes first, unchanged */
export function refusalOf(items: readonly RefusedItem[]): unknown {
	const failed = items.find(({ error }) => !(error instanceof InputError));
	if (failed) return failed.error;
	const [first, ...others] = items.map(({ write, error }) => {
		const { message, description } = error as InputError;
		const name = enteredName(write);
		const which = name === '' ? `Item ${write.itemIndex}` : `The item with ${name}`;
		return { message: `${which}: ${message}`, description };
	});
	const more = others.map(({ message, description }) => `${message}. ${description ?? ''}`.trim());
	const parts = [first?.description, firstOf(more), 'Nothing was sent for its card.'];
	return new InputError(first?.message ?? '', parts.filter(Boolean).join(' '));
}

/** Names an item for the user by its values for the fields to match on; empty if it has none. */
const enteredName = ({ columns: { entries, matchingKeys } }: ItemWrite): string =>
	matchingKeys
		.flatMap((key) => entries.filter(([name, value]) => name === key && !isEmpty(value)))
		.map(([key, value]) => `${key} ${quote(plainText(value))}`)
		.join(', ');
