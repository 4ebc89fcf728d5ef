/** Combines all invalid items of a Sync into one message. */
import { InputError } from '../../model/inputError';
import { firstOf } from '../writing/combineErrors';

/** An item whose values cannot be sent. */
export interface RefusedItem {
	itemIndex: number;
	/** The item's matching values with their fields; empty if it has none. */
	name: string;
	error: unknown;
}

/** The error of a card with invalid items. n8n numbers an error by the first of them. */
export class ItemsRefused extends InputError {
	readonly itemIndexes: readonly number[];

	constructor(items: readonly RefusedItem[], message: string, description: string) {
		super(message, description);
		this.itemIndexes = items.map(({ itemIndex }) => itemIndex);
	}
}

const NOTHING_SENT = 'Nothing was sent for its card.';

const nameOf = ({ itemIndex, name }: RefusedItem): string =>
	name === '' ? `item ${itemIndex}` : `the item with ${name}`;

/** @returns the error of the items; an error of another kind comes first, unchanged */
export function refusalOf(items: readonly RefusedItem[]): unknown {
	const failed = items.find(({ error }) => !(error instanceof InputError));
	if (failed) return failed.error;
	const [first, ...others] = items.map((item) => {
		const { message, description } = item.error as InputError;
		return { message: capital(`${nameOf(item)}: ${message}`), description };
	});
	if (!first) return undefined;
	const more = others.map(({ message, description }) => `${message}. ${description ?? ''}`.trim());
	const description = [first.description, firstOf(more), NOTHING_SENT].filter(Boolean).join(' ');
	return new ItemsRefused(items, first.message, description);
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
