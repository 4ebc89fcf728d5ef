/** Reads parameters. Expressions and saved workflows may hold any value. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { checkedValue, hasExpression } from '../../values/checkedValue';
import type { Operation, ParametersOf, PropertyDefinition } from './defineOperation';
import type { RequestOptions } from '../../transport/api';
import { InputError } from '../../values/inputError';
import { showValue } from '../../values/messageText';

type Context = Pick<IExecuteFunctions, 'getNodeParameter'>;

/** Opens the parameters of an operation. */
export function openParameters(
	context: Context,
	{ properties }: Pick<Operation, 'properties'>,
): ParametersOf<never> {
	const readers = new Map(properties.map((one) => [one.name, readerOf(context, one)]));
	return (itemIndex) => (name: string) => readers.get(name)?.(itemIndex) as never;
}

/**
 * Reads a parameter. Without expressions it is read once for all items, because n8n copies the whole value each time,
 * and a field mapper lists all fields of a card.
 */
function readerOf(
	context: Context,
	definition: PropertyDefinition,
): (itemIndex: number) => unknown {
	const { name, default: fallback } = definition;
	const raw: unknown = context.getNodeParameter(name, 0, fallback, { rawExpressions: true });
	const read = (itemIndex: number): unknown => {
		// n8n's own conversion loses nulls and refuses new options. Values are checked against the current listing.
		const unchecked = { skipValidation: true };
		const value: unknown = context.getNodeParameter(name, itemIndex, fallback, unchecked);
		return checkedValue(definition, raw, value);
	};
	if (hasExpression(raw)) return read;
	let constant: { value: unknown } | undefined;
	return () => (constant ??= { value: read(0) }).value;
}

/** Requires text that isn't empty. @param label the name in the message @throws InputError if it is empty */
export function requireText(value: unknown, label: string): string {
	const text = readText(value ?? '', label);
	if (text.trim() !== '') return text;
	throw new InputError(`'${label}' is empty`, `Enter a value for '${label}'.`);
}

/** Reads text, which may be empty. @param label the name in the message @throws InputError for any other value */
export function readText(value: unknown, label: string): string {
	if (typeof value === 'string' || Number.isFinite(value)) return String(value);
	throw new InputError(`'${label}' can't be ${showValue(value)}`, 'Enter text.');
}

/**
 * Requires entries in a collection.
 *
 * @param label the name in the message
 * @throws InputError if there are none, because an update would change nothing
 */
export function requireEntries<T extends object>(entries: T, label: string): T {
	if (Object.keys(entries).length > 0) return entries;
	throw new InputError(`'${label}' is empty`, `Add at least one entry to '${label}'.`);
}

/** A maximum number of records, where -1 means that there is none. */
export const readMost = (most: number): number => (most === -1 ? Infinity : most);

/** The request settings in the options. */
export const requestOptions = ({
	maxParallel,
	timeout,
}: {
	maxParallel?: number;
	timeout?: number;
}): RequestOptions => ({
	// 0 is automatic.
	...(maxParallel && { maxParallel }),
	...(timeout !== undefined && { timeoutMs: timeout * 1_000 }),
});
