/** Reads what cards and fields are made of, before anything is sent: names, types and choices. */
import {
	cardDescriptionProperty,
	choicesProperty,
	customPropertiesProperty,
	fieldNameProperty,
	fieldOptionsProperty,
	fieldTypeProperty,
} from '../../properties/fieldDefinition';
import type { NewField } from '../../records/entry';
import type { Run } from '../../records/run';
import { InputError } from '../../values/inputError';
import { isObject, type JsonObject } from '../../values/json';
import { kindOfType } from '../../values/kinds/allKinds';
import { quote, showValue, plainText } from '../../values/messageText';
import { cleanName, foldCase } from '../../values/nameSpelling';
import { readText, requireText } from './readParameters';

/**
 * Reads a list of fields.
 *
 * @param label the label of the list
 * @param key where an entry has the name
 * @throws InputError for an empty name or type, a repeated name, and choices of a type without them
 */
export function readFieldList(
	entries: readonly JsonObject[] = [],
	label: string,
	key: 'name' | 'column',
): NewField[] {
	const names = new Set<string>();
	return entries.map((given, place) => {
		const read = (part: 'name' | 'column' | 'type'): string => {
			const text = cleanName(plainText(given[part] ?? ''));
			if (text !== '') return text;
			const entry = key === 'name' ? 'field' : 'entry';
			throw new InputError(`Enter a ${part} for ${entry} ${place + 1} in '${label}'`);
		};
		const [name, type, choices] = [read(key), read('type'), readChoices(given.choices)];
		const refuse = (what: string): never => {
			throw new InputError(`'${label}' has ${what}`, 'Nothing was sent. Correct the entry.');
		};
		if (names.has(foldCase(name))) refuse(`two entries for ${quote(name)}`);
		if (choices.length > 0 && hasNoChoices(type))
			refuse(`choices for ${quote(name)}, but a field of type ${quote(type)} has none`);
		names.add(foldCase(name));
		return { name, type, choices };
	});
}

/** Returns true for a known type without choices. */
function hasNoChoices(type: string): boolean {
	const { types, choicesIn } = kindOfType(type);
	return types.length > 0 && !choicesIn;
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
	const options = fieldOptions(entered.options);
	const more = entered.customProperties ?? {};
	if (!isObject(more)) throw noObject();
	if (choices.length > 0 && options) {
		throw new InputError(
			`'${choicesLabel}' and '${fieldOptionsProperty.displayName}' are both filled in`,
			`Remove one of them: '${choicesLabel}' is enough for a list of text values.`,
		);
	}
	const body = {
		...more,
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

const noObject = (): InputError =>
	new InputError(
		`'${customPropertiesProperty.displayName}' isn't a JSON object`,
		'Enter an object in braces, for example { "color": "green" }.',
	);

/** @throws InputError for what holds no options: an empty list would remove all choices */
function fieldOptions(options: unknown): object | undefined {
	if (options === undefined) return undefined;
	if (typeof options === 'object' && options !== null && Object.keys(options).length > 0)
		return options;
	throw new InputError(
		`'${fieldOptionsProperty.displayName}' can't be ${showValue(options)}`,
		'Enter a list with at least one choice, or an object with the options of the field.',
	);
}

/** A select field without choices takes no value. */
export function hintAtNoChoices({ hints }: Run, { name, type, choices }: NewField): void {
	if (choices.length > 0 || !kindOfType(type).choicesIn) return;
	hints.add(
		`Field ${quote(name)} has no choices yet, so it takes no values. Add some with Field > Update`,
	);
}
