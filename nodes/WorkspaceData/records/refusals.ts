/** What is wrong with the values of items, for one message: a line for each field and cause. */
import { Cancelled } from '../transport/errors';
import { InputError } from '../values/inputError';
import { count, quote, sentences, showValue } from '../values/messageText';

/** One thing that is wrong with an item. */
export interface Refusal {
	error: InputError;
	/** The field that doesn't take a value. */
	field?: string;
	value?: unknown;
}

/** Combines the errors of refused items into one. @param after the last sentence of its description */
export function combineRefusals(
	items: ReadonlyArray<{ itemIndex: number; result: { error?: unknown } }>,
	after = '',
): InputError {
	const [only] = items.length === 1 ? items : [];
	if (only) {
		const { message, description } = inputErrorOf(only.result.error);
		return new InputError(`Item ${only.itemIndex}: ${message}`, sentences(description, after));
	}
	const parts = items.map(({ itemIndex, result: { error } }) => ({
		which: `Item ${itemIndex}`,
		refusals: error instanceof RefusedValues ? error.refusals : [{ error: inputErrorOf(error) }],
	}));
	return new InputError(
		`Values of ${items.length} items can't be sent`,
		[groupByCause(parts), after].filter(Boolean).join('\n'),
	);
}

/** Values of one item that can't be sent. */
export class RefusedValues extends InputError {
	readonly refusals: readonly Refusal[];

	constructor(refusals: readonly [Refusal, ...Refusal[]]) {
		const [{ error }, ...others] = refusals;
		super(
			others.length === 0 ? error.message : `${refusals.length} values of this item can't be sent`,
			others.length === 0 ? error.description : groupByCause([{ refusals }]),
		);
		this.refusals = refusals;
	}
}

/** @throws RefusedValues if anything is wrong with the values of an item */
export function requireNone(refusals: readonly Refusal[]): void {
	const [first, ...others] = refusals;
	if (first) throw new RefusedValues([first, ...others]);
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

/** @returns an error that one item or card can have @throws Cancelled, which ends the run */
export function failureOf(error: unknown): unknown {
	if (error instanceof Cancelled) throw error;
	return error;
}

/** The maximum number of lines in a message. */
const MAX_LINES = 10;

/** Returns a line for each field and cause, with the number of items. */
function groupByCause(
	parts: ReadonlyArray<{ which?: string; refusals: readonly Refusal[] }>,
): string {
	const groups = new Map<string, { first: Refusal; which: string | undefined; number: number }>();
	for (const { which, refusals } of parts) {
		for (const first of refusals) {
			const key = causeOf(first);
			const known = groups.get(key);
			if (known) known.number += 1;
			else groups.set(key, { first, which, number: 1 });
		}
	}
	const lines = [...groups.values()].slice(0, MAX_LINES).map(lineOf);
	const more = groups.size - lines.length;
	return [...lines, ...(more > 0 ? [`And ${more} more.`] : [])].join('\n');
}

function lineOf({
	first,
	which,
	number,
}: {
	first: Refusal;
	which?: string | undefined;
	number: number;
}): string {
	const { error, field, value } = first;
	if (number === 1) return `${which === undefined ? '' : `${which}: `}${inOneLine(error)}`;
	if (field === undefined) return `${count(number, 'item')}: ${inOneLine(error)}`;
	const message = `${quote(field)}: ${count(number, 'item')}, such as ${showValue(value)}`;
	return inOneLine({ message, description: error.description });
}

/** The same text for all values that a field refuses for the same reason. */
const causeOf = ({ error: { message, description = '' }, field }: Refusal): string =>
	JSON.stringify(field === undefined ? [message, description] : [field, general(description)]);

/** An advice without what depends on the value: quoted text and numbers. */
const general = (advice: string): string => advice.replace(/'[^']*'|"[^"]*"|\d[\d.,]*/g, '');

const inOneLine = ({ message, description }: Pick<InputError, 'message' | 'description'>): string =>
	sentences(message, description).replace(/[^.!?:…]$/, '$&.');
