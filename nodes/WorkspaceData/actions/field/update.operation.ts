import { settingChoices } from '../../model/value/choiceChange';
import { readField } from '../../model/answer/field';
import {
	choicesProperty,
	customPropertiesProperty,
	fieldOptionsProperty,
	fieldTypeProperty,
} from '../../ui/fieldDefinition';
import { cardLocator, fieldLocator } from '../../ui/locators';
import { readJsonObject } from '../inputs/json';
import { assertDone } from '../../transport/failure/failures';
import { defineOperation } from '../operation';
import { requireEntries, requireText } from '../inputs/text';
import { readFieldOptions } from './definition';
import { fieldPath, locateField } from './fieldLocator';

export const updateField = defineOperation({
	value: 'update',
	name: 'Update',
	action: 'Update a field',
	description: 'Change the name, type or options of a field',
	writes: true,
	properties: [
		cardLocator,
		fieldLocator,
		{
			displayName: 'Update Fields',
			name: 'updateFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: [
				choicesProperty,
				customPropertiesProperty,
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. Status',
					description: 'The new name',
				},
				fieldOptionsProperty,
				fieldTypeProperty,
			],
		},
	],
	async execute({ run, get }) {
		const { name, type, customProperties, ...entered } = get('updateFields');
		const changes = {
			...readJsonObject(customProperties, 'Custom Properties'),
			...(name !== undefined && { name: requireText(name, 'Name') }),
			...(type !== undefined && { type: requireText(type, fieldTypeProperty.displayName) }),
		};
		requireEntries({ ...changes, ...readFieldOptions(entered) }, 'Update Fields');
		const { card, field } = await locateField(run, get('cardId'), get('fieldId'));
		const shape = (texts: string[]) => settingChoices(field, texts);
		const sent = { ...changes, ...readFieldOptions(entered, shape) };
		const { body } = await run.api.request({
			method: 'PATCH',
			path: fieldPath(card.id, field.id),
			body: sent,
		});
		const written = readField(body);
		if (!written) assertDone(body, 'field', 'changed');
		return [written?.raw ?? { id: field.id, ...sent }];
	},
});
