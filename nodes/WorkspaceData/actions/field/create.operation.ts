import {
	choicesProperty,
	customPropertiesProperty,
	fieldOptionsProperty,
	fieldTypeProperty,
} from '../../ui/fieldDefinition';
import { cardLocator } from '../../ui/locators';
import { hintNoId } from '../output/created';
import { readJsonObject } from '../inputs/json';
import { defineOperation } from '../operation';
import { requireText } from '../inputs/text';
import { addField, readFieldOptions } from './definition';

export const createField = defineOperation({
	value: 'create',
	name: 'Create',
	action: 'Create a field',
	description: 'Add a field to a card',
	writes: true,
	properties: [
		cardLocator,
		{
			displayName: 'Name',
			name: 'name',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. Status',
			description: 'The name of the field',
		},
		{ ...fieldTypeProperty, required: true },
		{
			displayName: 'Additional Fields',
			name: 'additionalFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: [choicesProperty, customPropertiesProperty, fieldOptionsProperty],
		},
	],
	async execute({ run, get }) {
		const { customProperties, ...entered } = get('additionalFields');
		const sent = {
			...readJsonObject(customProperties, 'Custom Properties'),
			name: requireText(get('name'), 'Name'),
			type: requireText(get('type'), fieldTypeProperty.displayName),
			...readFieldOptions(entered),
		};
		const card = await run.cards.find(get('cardId'));
		const created = await addField(run, card.id, sent);
		if (!created) hintNoId(run, 'field');
		return [created?.raw ?? sent];
	},
});
