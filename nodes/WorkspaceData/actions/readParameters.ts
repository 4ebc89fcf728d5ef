/** Reads the node's parameters. Expressions and saved workflows may hold any value. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { returnAllProperty } from '../properties/readOptions';
import { fieldKeysOption } from '../properties/recordOptions';
import { simplifyProperty } from '../properties/simplify';
import type { OutputOptions } from '../records/recordOutput';
import type { RequestOptions } from '../transport/api';
import { hasExpression, refuseEmptyExpressions } from '../values/emptyExpressions';
import { InputError } from '../values/inputError';
import { isObject, type JsonObject } from '../values/jsonObject';
import { showValue } from '../values/messageText';
import { plainNumber, plainText, readSwitch } from '../values/parameterValue';
import { tryParse } from '../values/parseJson';
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
		if (!hasExpression(raw)) {
			const constant = read(0);
			return () => constant;
		}
		return (itemIndex) => {
			const value = read(itemIndex);
			if (definition) refuseEmptyExpressions(definition, raw, value);
			return value;
		};
	}

	return {
		get(name: string, itemIndex: number): never {
			const reader = readers.get(name) ?? readerOf(name);
			readers.set(name, reader);
			return reader(itemIndex) as never;
		},
	};
}

/** The definition of a parameter with a fixed list of values. */
interface ChoiceDefinition<Value extends string> {
	displayName: string;
	options: ReadonlyArray<{ name: string; value: Value }>;
}

/**
 * Checks a value against the list of its parameter, because expressions and saved workflows may hold any value.
 *
 * @param value undefined if the option was not added
 * @returns the value; undefined if there is none
 * @throws InputError for a value that is not in the list
 */
export function readChoice<Value extends string>(
	{ displayName, options }: ChoiceDefinition<Value>,
	value: unknown,
): Value | undefined {
	if (value === undefined || value === null) return undefined;
	return oneOf(displayName, options, value).value;
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
 * Returns the number of results that the user wants.
 *
 * @param returnAll undefined if the operation has no such parameter
 * @returns Infinity for all
 * @throws InputError if the limit is below 1 or isn't a whole number, or if `returnAll` is neither true nor false
 */
export function readLimit(returnAll: unknown, limit: unknown): number {
	if (readSwitch(returnAllProperty.displayName, returnAll, false)) return Infinity;
	const more = returnAll === undefined ? '' : ", or turn on 'Return All'";
	return wholeNumber(limit, 'Limit', [1, Infinity], `Enter 1 or more${more}.`);
}

/**
 * Reads the maximum number of records that may be changed.
 *
 * @param least the smallest number; -1 means no limit
 * @returns Infinity for no limit
 * @throws InputError for any other value
 */
export function readMost(value: unknown, label: string, least: number): number {
	if (plainNumber(value) === -1) return Infinity;
	const advice = 'Enter the maximum number of records, or -1 for no limit.';
	return wholeNumber(value, label, [least, Infinity], advice);
}

/** Reads a whole number in a range. @param label the name in the message @throws InputError */
function wholeNumber(
	value: unknown,
	label: string,
	[least, most]: readonly [number, number],
	advice: string,
): number {
	const number = plainNumber(value);
	const isGiven = plainText(value).trim() !== '';
	if (isGiven && Number.isInteger(number) && number >= least && number <= most) return number;
	const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
	throw new InputError(
		`'${label}' must be a whole number ${range}, not '${plainText(value)}'`,
		advice,
	);
}

/** Reads how records are returned. @param simple the parameter 'simple' @throws InputError */
export const outputOptions = (
	options: { fieldKeys?: unknown; outputFields?: unknown },
	simple: unknown,
): OutputOptions => ({
	simple: readSwitch(simplifyProperty.displayName, simple, true),
	byId: readChoice(fieldKeysOption, options.fieldKeys) === 'id',
	outputFields: options.outputFields,
});

/** One day: no response takes longer, and JavaScript's timers end at once above 2^31 ms. */
const MAX_TIMEOUT_S = 86_400;

/** Reads the request settings in the options. @throws InputError */
export function requestOptions(options: {
	maxParallel?: unknown;
	timeout?: unknown;
}): RequestOptions {
	const read = (value: unknown, label: string, range: readonly [number, number]) =>
		value === undefined || value === null || value === ''
			? undefined
			: wholeNumber(value, label, range, `Enter a number, or remove '${label}'.`);
	const seconds = read(options.timeout, 'Timeout (Seconds)', [1, MAX_TIMEOUT_S]);
	// 0 is automatic.
	const maxParallel = read(options.maxParallel, 'Max Parallel Requests', [0, 64]) || undefined;
	return {
		...(maxParallel !== undefined && { maxParallel }),
		...(seconds !== undefined && { timeoutMs: seconds * 1_000 }),
	};
}

/**
 * Reads a parameter that holds JSON: text, or the value of an expression.
 *
 * @param label the name in the message
 * @returns undefined if nothing was entered
 * @throws InputError for invalid JSON
 */
export function readJson(value: unknown, label: string): unknown {
	if (typeof value !== 'string') return value ?? undefined;
	if (value.trim() === '') return undefined;
	const parsed = tryParse(value);
	if (parsed) return parsed.value;
	throw new InputError(
		`'${label}' isn't valid JSON`,
		'Check quotes and commas: names and text must be in double quotes.',
	);
}

/** As `readJson`, for a parameter that must hold an object. */
export function readJsonObject(value: unknown, label: string): JsonObject {
	const json = readJson(value, label) ?? {};
	if (isObject(json)) return json;
	throw new InputError(
		`'${label}' isn't a JSON object`,
		'Enter an object in braces, for example { "color": "green" }.',
	);
}
