/** Reads the node's parameters. Expressions and saved workflows may hold any value. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { InputError } from '../values/inputError';
import { plainText, plainNumber, readSwitch } from '../values/parameterValue';
import { tryParse, isExactJson } from '../model/response/parseJson';
import { isObject, type JsonObject } from '../model/response/jsonObject';
import { hasExpression, refuseEmptyExpressions } from '../model/emptyExpressions';
import { returnAllProperty } from '../properties/readOptions';
import type { Operation } from './operation';

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

/** Returns the entry with this value. @throws InputError if there is none, because saved workflows may hold any value */
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

/**
 * Requires text that isn't empty.
 *
 * @param parameter the name in the message to the user
 * @throws InputError if it is empty
 */
export function requireText(value: unknown, parameter: string): string {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
	if (text.trim() !== '') return text;
	throw new InputError(`'${parameter}' is empty`, `Enter a value for '${parameter}'.`);
}

/**
 * Requires entries in a collection.
 *
 * @param parameter the name in the message to the user
 * @throws InputError if there are none, because an update would change nothing
 */
export function requireEntries<T extends object>(entries: T, parameter: string): T {
	if (Object.keys(entries).length > 0) return entries;
	throw new InputError(`'${parameter}' is empty`, `Add at least one entry to '${parameter}'.`);
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
	const advice = "Enter 1 or more, or turn on 'Return All'.";
	return wholeNumber(limit, 'Limit', 1, returnAll === undefined ? 'Enter 1 or more.' : advice);
}

/**
 * Reads a whole number.
 *
 * @param label the name in the message to the user
 * @throws InputError for any other value, and for a number below `least`
 */
export function wholeNumber(value: unknown, label: string, least: number, advice: string): number {
	const number = plainNumber(value);
	const isGiven = plainText(value).trim() !== '';
	if (isGiven && Number.isInteger(number) && number >= least) return number;
	throw new InputError(
		`'${label}' must be a whole number of at least ${least}, not '${plainText(value)}'`,
		advice,
	);
}

/**
 * Reads the maximum number of records that may be changed.
 *
 * @param least the smallest number; -1 means no limit
 * @returns undefined for no limit
 * @throws InputError for any other value
 */
export function readMost(value: unknown, label: string, least: number): number | undefined {
	if (plainNumber(value) === -1) return undefined;
	const advice = 'Enter the maximum number of records, or -1 for no limit.';
	return wholeNumber(value, label, least, advice);
}

/**
 * Reads a parameter that holds JSON: text, or the value of an expression.
 *
 * @param parameter the name in the message to the user
 * @returns undefined if nothing was entered
 * @throws InputError for invalid JSON, or for a number that JSON can't represent exactly
 */
export function readJson(value: unknown, parameter: string): unknown {
	if (typeof value !== 'string') return value ?? undefined;
	if (value.trim() === '') return undefined;
	const parsed = tryParse(value);
	if (parsed && !isExactJson(value)) {
		throw new InputError(
			`'${parameter}' has a number with more digits than JSON numbers keep`,
			'Put quotes around the number.',
		);
	}
	if (parsed) return parsed.value;
	throw new InputError(
		`'${parameter}' isn't valid JSON`,
		'Check quotes and commas: names and text must be in double quotes.',
	);
}

/** As `readJson`, for a parameter that must hold an object. */
export function readJsonObject(value: unknown, parameter: string): JsonObject {
	const json = readJson(value, parameter) ?? {};
	if (isObject(json)) return json;
	throw new InputError(
		`'${parameter}' isn't a JSON object`,
		'Enter an object in braces, for example { "color": "green" }.',
	);
}

/** Reads each object only once. A parameter without expressions has the same object for all items. */
export function readOnce<Read>(read: (value: unknown) => Read): (value: unknown) => Read {
	const known = new WeakMap<object, { read: Read }>();
	return (value) => {
		if (!isObject(value)) return read(value);
		const once = known.get(value) ?? { read: read(value) };
		known.set(value, once);
		return once.read;
	};
}

/**
 * Opens the parameters of an operation. A parameter without expressions is read once for all items, because n8n
 * copies the whole value each time, and a field mapper lists all fields of a card.
 *
 * @returns a function that reads a parameter for an item
 */
export function openParameters(
	context: Pick<IExecuteFunctions, 'getNodeParameter'>,
	{ properties }: Pick<Operation, 'properties'>,
): (name: string, itemIndex: number) => unknown {
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

	return (name, itemIndex) => {
		const reader = readers.get(name) ?? readerOf(name);
		readers.set(name, reader);
		return reader(itemIndex);
	};
}
