/** Reads what cards and fields are made of, before anything is sent: names, types and choices. */
import {
	cardDescriptionProperty,
	choicesProperty,
	customPropertiesProperty,
	fieldNameProperty,
	fieldOptionsProperty,
	fieldTypeProperty,
} from '../../properties/fieldDefinition';
import { locatorValue } from '../../records/locator';
import type { Run } from '../../records/run';
import { InputError } from '../../values/inputError';
import { isObject, type JsonObject } from '../../values/jsonObject';
import { kindOfType } from '../../values/kinds/allKinds';
import { quote, showValue } from '../../values/messageText';
import { cleanName, foldCase } from '../../values/nameSpelling';
import { plainText } from '../../values/parameterValue';
import { readJson, readJsonObject, readText, requireText } from '../readParameters';

/** A field in a list of fields. */
export interface DefinedField {
	name: string;
	type: string;
	/** Empty if there are none. */
	choices: string[];
}

/**
 * Reads a list of fields.
 *
 * @param label the label of the list
 * @param entry the word for an entry, and the key of its name
 * @throws InputError for an empty name or type, and for a repeated name
 */
export function readFieldList(
	value: unknown,
	label: string,
	entry: { word: string; key: string },
): DefinedField[] {
	const entries: unknown[] = [(isObject(value) && value.values) || []].flat();
	const names = new Set<string>();
	return entries.map((one, place) => {
		const given = isObject(one) ? one : {};
		const read = (key: string): string => {
			const text = cleanName(plainText(locatorValue(given[key]) ?? ''));
			if (text !== '') return text;
			throw new InputError(`Enter a ${key} for ${entry.word} ${place + 1} in '${label}'`);
		};
		const [name, type] = [read(entry.key), read('type')];
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
 * Reads the properties of a card or a field as entered. What is undefined is left out.
 *
 * @param choicesLabel the label of 'Choices'
 * @returns the choices apart, as they may be added to others
 * @throws InputError
 */
export function readDefinition(
	entered: Partial<
		Record<'name' | 'type' | 'description' | 'choices' | 'options' | 'customProperties', unknown>
	>,
	choicesLabel: string = choicesProperty.displayName,
): { body: JsonObject; choices: string[] } {
	const { name, type, description } = entered;
	const choices = readChoices(entered.choices, choicesLabel);
	const options = readFieldOptions(entered.options);
	if (choices.length > 0 && options) {
		throw new InputError(
			`'${choicesLabel}' and '${fieldOptionsProperty.displayName}' are both filled in`,
			`Remove one of them: '${choicesLabel}' is enough for a list of text values.`,
		);
	}
	const body = {
		...readJsonObject(entered.customProperties, customPropertiesProperty.displayName),
		...(name !== undefined && { name: requireText(name, fieldNameProperty.displayName) }),
		...(type !== undefined && { type: requireText(type, fieldTypeProperty.displayName) }),
		...(description !== undefined && {
			description: readText(description, cardDescriptionProperty.displayName),
		}),
		...(options && { options }),
	};
	return { body, choices };
}

/**
 * Reads choices: a list, or text with commas, semicolons or line breaks; each once.
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

/** @throws InputError for invalid JSON, and for what holds no options: an empty list would remove all choices */
function readFieldOptions(entered: unknown): object | undefined {
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

/** A select field without choices takes no value. */
export function hintAtNoChoices({ hints }: Run, { name, type, choices }: DefinedField): void {
	if (choices.length > 0 || !kindOfType(type).choicesIn) return;
	hints.add(
		`Field ${quote(name)} has no choices yet, so it takes no values. Add some with Field > Update`,
	);
}
