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
	const refusals = items.map((item) => {
		const { message, description } = item.error as InputError;
		return { name: nameOf(item), message, description };
	});
	const [first] = refusals;
	if (!first) return undefined;
	if (refusals.length === 1) {
		return new ItemsRefused(
			items,
			`${capital(first.name)}: ${first.message}`,
			[first.description, NOTHING_SENT].filter(Boolean).join(' '),
		);
	}
	const parts = refusals.map(({ name, message, description }) =>
		[`${capital(name)}: ${message}.`, description].filter(Boolean).join(' '),
	);
	return new ItemsRefused(
		items,
		`${refusals.length} items can't be sent, the first is ${first.name}`,
		`${firstOf(parts)} ${NOTHING_SENT}`,
	);
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
