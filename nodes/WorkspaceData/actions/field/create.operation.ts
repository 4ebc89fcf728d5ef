import {
	additionalProperties,
	choicesProperty,
	customPropertiesProperty,
	fieldNameProperty,
	fieldOptionsProperty,
	fieldTypeProperty,
} from '../../properties/fieldDefinition';
import { cardLocator } from '../../properties/locators';
import { whileHeld } from '../../records/heldCards';
import type { CardReference, Run } from '../../records/run';
import { fieldsOf, type Field } from '../../transport/api';
import { InputError } from '../../values/inputError';
import type { JsonObject } from '../../values/json';
import { quote } from '../../values/messageText';
import { cleanName, foldCase } from '../../values/nameSpelling';
import { defineOperation, eachChange } from '../operation/defineOperation';
import { hintAtNoChoices, readDefinition } from '../operation/readDefinition';
import { requireText } from '../operation/readParameters';
import { thingOutput, writtenOutput } from '../operation/thingOutput';

const ifFieldExistsProperty = {
	displayName: 'If Field Exists',
	name: 'ifExists',
	type: 'options',
	options: [
		{
			name: 'Create Another Field',
			value: 'create',
			description: 'Both fields appear under their IDs, because their names are the same',
		},
		{
			name: 'Reuse the Field',
			value: 'reuse',
			description: 'Return the existing field unchanged',
		},
		{ name: 'Throw an Error', value: 'error' },
	],
	default: 'error',
	description: 'How to continue if the card has a field with this name',
} as const;

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
		choicesProperty,
		additionalProperties([customPropertiesProperty, ifFieldExistsProperty, fieldOptionsProperty]),
	],
	execute: eachChange(async (run, get) => {
		const { ifExists = 'error', ...entered } = get('additionalFields');
		const name = cleanName(requireText(get('name'), fieldNameProperty.displayName));
		const type = get('type');
		const { body, choices } = readDefinition({ ...entered, name, type, choices: get('choices') });
		if (choices.length > 0) body.options = choices;
		const card = await run.findCard(get('cardId'));
		// One after the other: fields stand in the order of the items, and no two executions create the same.
		const addField = async (): Promise<JsonObject> => {
			const existing = ifExists !== 'create' && (await fieldCalled(run, card, name));
			if (existing && ifExists === 'error') throw exists(card, existing);
			if (existing) return thingOutput(existing);
			const field = await run.api.create(fieldsOf(card.id), body);
			if (!('options' in body)) hintAtNoChoices(run, { name, type, choices });
			return writtenOutput(run, 'created', field, body);
		};
		return async ({ json }) => json.push(await whileHeld(run.api, [card.id], addField));
	}),
});

async function fieldCalled(run: Run, card: CardReference, name: string) {
	const { fields } = await run.fieldsAgain(card);
	return fields.find((field) => foldCase(field.name) === foldCase(name));
}

const exists = (card: CardReference, { name }: Field): InputError =>
	new InputError(
		`Card '${card.name}' has a field called ${quote(name)} already`,
		`Nothing was changed. Enter another name, or select 'Reuse the Field' in '${ifFieldExistsProperty.displayName}'.`,
	);
