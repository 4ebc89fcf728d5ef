/** Reads what fields are made of, before anything is sent: names, types and choices. */
import {
	cardFieldsProperty,
	choicesProperty,
	fieldOptionsProperty,
} from '../../properties/fieldDefinition';
import { locatorValue } from '../../records/locator';
import type { Run } from '../../records/run';
import { InputError } from '../../values/inputError';
import { isObject } from '../../values/jsonObject';
import { kindOfType } from '../../values/kinds/allKinds';
import { quote, showValue } from '../../values/messageText';
import { cleanName, foldCase } from '../../values/nameSpelling';
import { plainText } from '../../values/parameterValue';
import { readJson } from '../readParameters';

/** A field of a new card. */
export interface DefinedField {
	name: string;
	type: string;
	/** Empty if there are none. */
	choices: string[];
}

/** Reads the fields of a new card. @throws InputError for an empty name or type, and for a repeated name */
export function readFieldList(value: unknown): DefinedField[] {
	const entries = [(isObject(value) && value.values) || []].flat();
	const label = cardFieldsProperty.displayName;
	const names = new Set<string>();
	return entries.map((entry: unknown, place) => {
		const given = isObject(entry) ? entry : {};
		const read = (what: string, entered: unknown): string => {
			const text = cleanName(plainText(entered ?? ''));
			if (text !== '' && typeof entered !== 'object') return text;
			throw new InputError(`Enter a ${what} for field ${place + 1} in '${label}'`);
		};
		const name = read('name', given.name);
		const type = read('type', locatorValue(given.type));
		if (names.has(foldCase(name))) {
			throw new InputError(
				`'${label}' has two entries for ${quote(name)}`,
				'Nothing was sent. Remove one of them, or change its name.',
			);
		}
		names.add(foldCase(name));
		return { name, type, choices: readChoices(given.choices) };
	});
}

/**
 * Reads the parameter 'Choices': a list, or text with commas, semicolons or line breaks; each choice once.
 *
 * @param label the name in the message
 * @throws InputError for an object, because its ID and its color would be lost
 */
export function readChoices(
	entered: unknown,
	label: string = choicesProperty.displayName,
): string[] {
	const isList = Array.isArray(entered);
	const parts = [entered ?? ''].flat(Infinity).flatMap((choice: unknown) => {
		if (typeof choice === 'string' || Number.isFinite(choice)) {
			const text = String(choice);
			return text.split(isList || /[\r\n]/.test(text) ? /[\r\n]+/ : /[,;]/);
		}
		throw new InputError(
			`'${label}' can't be ${showValue(choice)}`,
			`Enter text values. For choices with an ID or a color, use '${fieldOptionsProperty.displayName}'.`,
		);
	});
	return [...new Set(parts.map((text) => text.trim()))].filter((text) => text !== '');
}

/**
 * Reads the parameter 'Options (JSON)'.
 *
 * @returns undefined if nothing was entered
 * @throws InputError for invalid JSON, and for what holds no options: an empty list would remove all choices
 */
export function readFieldOptions(entered: unknown): object | undefined {
	const label = fieldOptionsProperty.displayName;
	const options = readJson(entered, label);
	if (options === undefined) return undefined;
	if (typeof options === 'object' && options !== null && Object.keys(options).length > 0)
		return options;
	throw new InputError(
		`'${label}' can't be ${showValue(options)}`,
		'Enter a list with at least one choice, or an object with the options of the field.',
	);
}

/** @throws InputError if choices are entered in two ways */
export function requireOneWay(choices: readonly string[], options: unknown, label: string): void {
	if (choices.length === 0 || options === undefined) return;
	throw new InputError(
		`'${label}' and '${fieldOptionsProperty.displayName}' are both filled in`,
		`Remove one of them: '${label}' is enough for a list of text values.`,
	);
}

/** A select field without choices takes no value. */
export function hintAtNoChoices({ hints }: Run, { name, type, choices }: DefinedField): void {
	if (choices.length > 0 || !kindOfType(type).choicesIn) return;
	hints.add(
		`Field ${quote(name)} has no choices yet, so it takes no values. Add some with Field > Update`,
	);
}
