import { readField } from '../../model/field';
import { cardPath } from '../../transport/listings';
import {
	customPropertiesProperty,
	fieldOptionsProperty,
	fieldTypeProperty,
} from '../../ui/fieldDefinition';
import { cardLocator } from '../../ui/locators';
import { readJson, readJsonObject } from '../json';
import { assertOwnAnswer } from '../../transport/failures';
import { defineOperation } from '../operation';
import { requireText } from '../text';

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
			options: [customPropertiesProperty, fieldOptionsProperty],
		},
	],
	async execute({ run, get }) {
		const { options, customProperties } = get('additionalFields');
		const fieldOptions = readJson(options, fieldOptionsProperty.displayName);
		const sent = {
			...readJsonObject(customProperties, 'Custom Properties'),
			name: requireText(get('name'), 'Name'),
			type: requireText(get('type'), fieldTypeProperty.displayName),
			...(fieldOptions !== undefined && { options: fieldOptions }),
		};
		const card = await run.card(get('cardId'));
		const { body } = await run.api.request({
			method: 'POST',
			path: [...cardPath(card.id), 'fields'],
			body: sent,
			creates: 'field',
			// Fields keep the order of the items.
			maxParallel: 1,
		});
		const written = readField(body);
		if (!written) assertOwnAnswer(body, 'field');
		return [written?.raw ?? sent];
	},
});
