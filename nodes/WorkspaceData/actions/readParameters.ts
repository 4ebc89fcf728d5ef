/** Reads the node's parameters. Expressions and saved workflows may hold any value. */
import type { IExecuteFunctions } from 'n8n-workflow';
import type { OutputOptions } from '../records/recordOutput';
import type { RequestOptions } from '../transport/api';
import { checkedValue, wholeNumber } from '../values/checkedValue';
import { hasExpression } from '../values/emptyExpressions';
import { InputError } from '../values/inputError';
import { showValue } from '../values/messageText';
import { plainText } from '../values/parameterValue';
import type { Operation, Parameters } from './operation';

/**
 * Opens the parameters of an operation. A parameter without expressions is read once for all items, because n8n
 * copies the whole value each time, and a field mapper lists all fields of a card.
 */
export function openParameters(
	context: Pick<IExecuteFunctions, 'getNodeParameter'>,
	{ properties }: Pick<Operation, 'properties'>,
): Parameters<never> {
	const readers = new Map<string, (itemIndex: number) => unknown>();

	function readerOf(name: string): (itemIndex: number) => unknown {
		const definition = properties.find((property) => property.name === name);
		const fallback = definition?.default;
		const read = (itemIndex: number): unknown => {
			// n8n's own conversion loses nulls and refuses new options. Values are checked against the current listing.
			const unchecked = { skipValidation: true };
			return context.getNodeParameter(name, itemIndex, fallback, unchecked);
		};
		const raw: unknown = context.getNodeParameter(name, 0, fallback, { rawExpressions: true });
		const check = (value: unknown) => (definition ? checkedValue(definition, raw, value) : value);
		if (!hasExpression(raw)) {
			const constant = check(read(0));
			return () => constant;
		}
		return (itemIndex) => check(read(itemIndex));
	}

	return {
		get(name: string, itemIndex: number): never {
			const reader = readers.get(name) ?? readerOf(name);
			readers.set(name, reader);
			return reader(itemIndex) as never;
		},
	};
}

/** Returns the entry with this value. @throws InputError if there is none */
export function oneOf<Entry extends { name: string; value: string }>(
	label: string,
	entries: readonly Entry[],
	value: unknown,
): Entry {
	const known = entries.find((entry) => entry.value === value);
	if (known) return known;
	throw new InputError(
		`'${label}' can't be '${plainText(value)}'`,
		`Select one of: ${entries.map(({ name }) => name).join(', ')}.`,
	);
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

/**
 * Reads the maximum number of records that may be changed.
 *
 * @param least the smallest number; -1 means no limit
 * @returns Infinity for no limit
 * @throws InputError for any other value
 */
export function readMost(value: unknown, label: string, least: number): number {
	return value === -1 ? Infinity : wholeNumber(value, label, least);
}

/** How records are returned, as the parameters say. */
export const outputOptions = (
	{ fieldKeys, outputFields }: { fieldKeys?: string; outputFields?: unknown },
	simple: boolean,
): OutputOptions => ({ simple, byId: fieldKeys === 'id', outputFields });

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
