import { readField } from '../../model/field';
import {
	customPropertiesProperty,
	fieldOptionsProperty,
	fieldTypeProperty,
} from '../../ui/fieldDefinition';
import { cardLocator, fieldLocator } from '../../ui/locators';
import { readJson, readJsonObject } from '../json';
import { assertOwnAnswer } from '../../transport/failures';
import { defineOperation } from '../operation';
import { requireEntries, requireText } from '../text';
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
		const { name, type, options, customProperties } = get('updateFields');
		const fieldOptions = readJson(options, fieldOptionsProperty.displayName);
		const sent = requireEntries(
			{
				...readJsonObject(customProperties, 'Custom Properties'),
				...(name !== undefined && { name: requireText(name, 'Name') }),
				...(type !== undefined && { type: requireText(type, fieldTypeProperty.displayName) }),
				...(fieldOptions !== undefined && { options: fieldOptions }),
			},
			'Update Fields',
		);
		const { card, field } = await locateField(run, get('cardId'), get('fieldId'));
		const { body } = await run.api.request({
			method: 'PATCH',
			path: fieldPath(card.id, field.id),
			body: sent,
		});
		const written = readField(body);
		if (!written) assertOwnAnswer(body, 'field');
		return [written?.raw ?? { id: field.id, ...sent }];
	},
});
