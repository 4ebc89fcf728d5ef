import { InputError } from '../../model/inputError';
import { isExactJson, tryParse } from '../../model/answer/json';
import { isObject, type JsonObject } from '../../model/answer/shapes';

/**
 * Reads a parameter that holds JSON: text, or what an expression made of it.
 *
 * @param parameter the name that the user sees in the message
 * @returns undefined when nothing was entered
 * @throws InputError when the text is not JSON, or has a number that JSON numbers cannot keep
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
		`'${parameter}' is not valid JSON`,
		'Check quotes and commas: names and text must be in double quotes.',
	);
}

/** As `readJson`, for a parameter that must hold an object. */
export function readJsonObject(value: unknown, parameter: string): JsonObject {
	const json = readJson(value, parameter) ?? {};
	if (isObject(json)) return json;
	throw new InputError(
		`'${parameter}' is not a JSON object`,
		'Enter an object in braces, for example { "color": "green" }.',
	);
}
