/** Reads what fields are made of, before anything is sent: names, types and choices. */
import { InputError } from '../../values/inputError';
import { locatorValue } from '../../records/locator';
import { quote, showValue } from '../../values/messageText';
import type { FieldOption } from '../../model/response/choiceList';
import { isObject, type JsonObject } from '../../model/response/jsonObject';
import { plainText } from '../../values/parameterValue';
import { listedChoices } from '../../values/kinds/multiSelect';
import { choicesProperty, fieldOptionsProperty } from '../../properties/fieldDefinition';
import { readJson, requireText } from '../readParameters';

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
 * @param label the label of the list in the editor
 * @param words an entry and its name in messages, and the key of the name
 * @param keyOf returns the same text for names of one field
 * @throws InputError for an empty name or type, and for a repeated name
 */
export function readFieldList(
	value: unknown,
	label: string,
	words: { entry: string; key: string; name: string },
	keyOf: (name: string) => string,
): DefinedField[] {
	const entries = [(isObject(value) && value.values) || []].flat();
	const names = new Set<string>();
	return entries.map((entry: unknown, place) => {
		const given = isObject(entry) ? entry : {};
		const part = (what: string) => `${what} of ${words.entry} ${place + 1} in ${label}`;
		const name = requireText(given[words.key], part(words.name));
		const type = requireText(locatorValue(given.type), part('Type')).trim();
		if (names.has(keyOf(name))) {
			throw new InputError(
				`'${label}' has two entries for ${quote(name)}`,
				'Nothing was sent. Remove one of them, or change its name.',
			);
		}
		names.add(keyOf(name));
		return { name, type, choices: readChoices(given.choices, []) };
	});
}

/**
 * Reads the parameter 'Choices': each value once, without empty ones.
 *
 * @throws InputError for an object, because its ID and its color would be lost
 */
function readChoices(entered: unknown, options: readonly FieldOption[]): string[] {
	const list = listedChoices({ options }, entered) ?? [entered];
	const labels = list.flat().map((choice) => {
		if (typeof choice !== 'object' || choice === null) return spellingOf(choice ?? '', options);
		throw new InputError(
			`'${choicesProperty.displayName}' can't be ${showValue(choice)}`,
			`Enter text values. For choices with an ID or a color, use '${fieldOptionsProperty.displayName}'.`,
		);
	});
	return [...new Set(labels)].filter((text) => text.trim() !== '');
}

/** The text of a choice without outer spaces, unless the field has the choice with them. */
function spellingOf(choice: unknown, options: readonly FieldOption[]): string {
	const text = plainText(choice);
	const known = options.map(({ label }) => label).filter((label) => label.trim() === text.trim());
	return known.find((label) => label === text) ?? known[0] ?? text.trim();
}

/**
 * Reads the options of a field, which the user can enter in two ways.
 *
 * @param shape converts the choices to the shape that the field uses
 * @param known the existing choices of the field, which may contain commas
 * @throws InputError for invalid JSON, or if both ways are used
 */
export function readFieldOptions(
	{ options, choices }: { options?: unknown; choices?: unknown },
	shape: (choices: string[]) => JsonObject = (texts) => ({ options: texts }),
	known: readonly FieldOption[] = [],
): JsonObject {
	const json = readJson(options, fieldOptionsProperty.displayName);
	const texts = readChoices(choices, known);
	if (texts.length === 0) return json === undefined ? {} : { options: json };
	// An unchanged JSON input holds an empty list.
	if (json === undefined || (Array.isArray(json) && json.length === 0)) return shape(texts);
	throw new InputError(
		`'${choicesProperty.displayName}' and '${fieldOptionsProperty.displayName}' are both filled in`,
		`Remove one of them: '${choicesProperty.displayName}' is enough for a list of text values.`,
	);
}
