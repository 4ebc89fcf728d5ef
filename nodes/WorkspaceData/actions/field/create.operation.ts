import {
	choicesProperty,
	customPropertiesProperty,
	fieldNameProperty,
	fieldOptionsProperty,
	fieldTypeProperty,
	ifFieldExistsProperty,
} from '../../ui/fieldDefinition';
import { cardLocator } from '../../ui/locators';
import { noIdHint } from '../../transport/writeResponse';
import { readChoice, readJsonObject, requireText, readJson } from '../readParameters';
import { sendCreation } from '../changeRequests';
import { defineOperation } from '../operation';
import { readField, type Field } from '../../model/response/field';
import type { FieldOption } from '../../model/response/option';
import { InputError } from '../../model/inputError';
import type { JsonObject } from '../../model/response/jsonObject';
import { quote } from '../../model/messageText';
import { cleanName, foldCase, slugsOf } from '../../model/nameSpelling';
import { plainText } from '../../model/parameterValue';
import { showValue } from '../../model/value/serialization';
import { listedChoices } from '../../model/value/kinds/multiSelect';
import { cardPath, type ReadOptions } from '../../transport/cardAndFieldListings';
import type { CardReference, Run } from '../run/run';
import { fieldsOf } from './fieldLocator';

export const createField = defineOperation({
	value: 'create',
	name: 'Create',
	action: 'Create field',
	description: 'Add a field (column) to a card',
	writes: true,
	properties: [
		cardLocator,
		{ ...fieldNameProperty, required: true },
		{ ...fieldTypeProperty, required: true },
		{
			displayName: 'Additional Properties',
			name: 'additionalFields',
			type: 'collection',
			placeholder: 'Add Property',
			default: {},
			options: [
				choicesProperty,
				customPropertiesProperty,
				ifFieldExistsProperty,
				fieldOptionsProperty,
			],
		},
	],
	async execute({ run, get }) {
		const { customProperties, ifExists, ...entered } = get('additionalFields');
		const policy = readChoice(ifFieldExistsProperty, ifExists) ?? 'error';
		const name = cleanName(requireText(get('name'), 'Name'));
		const sent = {
			...readJsonObject(customProperties, 'Custom Properties'),
			name: requireText(name, 'Name'),
			type: requireText(get('type'), fieldTypeProperty.displayName),
			...readFieldOptions(entered),
		};
		const card = await run.cards.find(get('cardId'));
		// Executions take turns, so that two of them don't create it twice.
		return await run.turns.exclusively(fieldsOf(card), async () => {
			const known = policy === 'create' ? undefined : await run.fields.changed(card);
			const existing = known?.fields.find((field) => isCalled(field, name));
			if (existing && policy === 'error') throw exists(existing, card);
			const field = existing ?? (await addField(run, card.id, sent));
			if (!field) run.messages.hint(noIdHint('field'));
			return [field?.raw ?? sent];
		});
	},
});

/** Returns true if a field has a name, which the service may store in another spelling. */
const isCalled = (field: Field, name: string): boolean =>
	foldCase(field.name) === foldCase(name) || slugsOf(name).includes(field.name);

const exists = ({ name }: Field, card: CardReference): InputError =>
	new InputError(
		`Card '${card.name}' has a field called ${quote(name)} already`,
		`Nothing was changed. Enter another name, or select 'Reuse the Field' in '${ifFieldExistsProperty.displayName}'.`,
	);

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

/** Adds a field to a card. @returns undefined if the response has no ID */
export async function addField(
	{ session }: Run,
	cardId: string,
	body: JsonObject,
	request: ReadOptions = {},
): Promise<Field | undefined> {
	const path = [...cardPath(cardId), 'fields'];
	// One at a time, so that fields are in the order of the items.
	return await sendCreation(session, 'field', readField, {
		...request,
		path,
		body,
		maxParallel: 1,
	});
}
