/** What is wrong with the values of items, for one message: a line for each field and cause. */
import { InputError } from '../../values/inputError';
import { count, quote, sentences, showValue } from '../../values/messageText';

/** The maximum number of lines in a message. */
const MAX_LINES = 10;

/** One thing that is wrong with an item. */
export interface Refusal {
	error: InputError;
	/** The field that doesn't take a value. */
	field?: string;
	value?: unknown;
}

/** Values that can't be sent, of one item. */
export class RefusedValues extends InputError {
	readonly refusals: readonly Refusal[];

	constructor(refusals: readonly [Refusal, ...Refusal[]]) {
		const [{ error }, ...others] = refusals;
		super(
			others.length === 0 ? error.message : `${refusals.length} values of this item can't be sent`,
			others.length === 0 ? error.description : grouped([{ refusals }]),
		);
		this.refusals = refusals;
	}
}

/** The refusal of a value for a field that the service computes. */
export const computed = (name: string): InputError =>
	new InputError(
		`Field '${name}' can't be written`,
		'The service computes its value. Remove the field from the values, or give the value that the record has.',
	);

/** @returns an error of the user's input @throws any other */
export function inputErrorOf(error: unknown): InputError {
	if (error instanceof InputError) return error;
	throw error;
}

/** @throws RefusedValues if anything is wrong with the values of an item */
export function requireNone(refusals: readonly Refusal[]): void {
	const [first, ...others] = refusals;
	if (first) throw new RefusedValues([first, ...others]);
}

/** An item that can't be sent. */
export interface RefusedItem {
	/** Its name at the beginning of a sentence, for example `Item 3`. */
	which: string;
	error: InputError;
}

/** Combines the errors of items into one. @param after the last sentence of its description */
export function refusalOf(items: readonly RefusedItem[], after = ''): InputError {
	const [first] = items;
	if (first && items.length === 1) {
		const { message, description } = first.error;
		return new InputError(`${first.which}: ${message}`, sentences(description, after));
	}
	const parts = items.map(({ which, error }) => ({
		which,
		refusals: error instanceof RefusedValues ? error.refusals : [{ error }],
	}));
	return new InputError(
		`Values of ${items.length} items can't be sent`,
		[grouped(parts), after].filter(Boolean).join('\n'),
	);
}

/** Returns a line for each field and cause, with the number of items. */
function grouped(parts: ReadonlyArray<{ which?: string; refusals: readonly Refusal[] }>): string {
	const groups = new Map<string, { first: Refusal; which: string | undefined; number: number }>();
	for (const { which, refusals } of parts) {
		for (const first of refusals) {
			const key = causeOf(first);
			const known = groups.get(key) ?? { first, which, number: 0 };
			groups.set(key, { ...known, number: known.number + 1 });
		}
	}
	const lines = [...groups.values()].map(({ first, which, number }) => {
		const { error, field, value } = first;
		if (number === 1) return `${which === undefined ? '' : `${which}: `}${told(error)}`;
		return field === undefined
			? `${count(number, 'item')}: ${told(error)}`
			: told({
					message: `${quote(field)}: ${count(number, 'item')}, such as ${showValue(value)}`,
					description: error.description,
				});
	});
	const more = lines.length - MAX_LINES;
	return [...lines.slice(0, MAX_LINES), ...(more > 0 ? [`And ${more} more.`] : [])].join('\n');
}

/** The same text for all values that a field refuses for the same reason. */
const causeOf = ({ error: { message, description = '' }, field }: Refusal): string =>
	JSON.stringify(field === undefined ? [message, description] : [field, general(description)]);

/** An advice without what depends on the value: quoted text and numbers. */
const general = (advice: string): string => advice.replace(/'[^']*'|"[^"]*"|\d[\d.,]*/g, '');

/** An error as one line, which ends with a period. */
const told = ({ message, description }: Pick<InputError, 'message' | 'description'>): string =>
	sentences(message, description).replace(/[^.!?:…]$/, '$&.');
