import { readCard } from '../../model/card';
import { customPropertiesProperty } from '../../ui/fieldDefinition';
import { readJsonObject } from '../json';
import { assertOwnAnswer } from '../../transport/failures';
import { defineOperation } from '../operation';
import { requireText } from '../text';

export const createCard = defineOperation({
	value: 'create',
	name: 'Create',
	action: 'Create a card',
	description: 'Create a new card',
	writes: true,
	properties: [
		{
			displayName: 'Name',
			name: 'name',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. Customers',
			description: 'The name of the card',
		},
		{
			displayName: 'Additional Fields',
			name: 'additionalFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: [
				customPropertiesProperty,
				{
					displayName: 'Description',
					name: 'description',
					type: 'string',
					default: '',
					placeholder: 'e.g. People who bought from us',
					description: 'A description of the card, for example its purpose',
				},
			],
		},
	],
	async execute({ run, get }) {
		const { description, customProperties } = get('additionalFields');
		const sent = {
			...readJsonObject(customProperties, 'Custom Properties'),
			name: requireText(get('name'), 'Name'),
			...(description !== undefined && { description }),
		};
		const { body } = await run.api.request({
			method: 'POST',
			path: ['cards'],
			body: sent,
			creates: 'card',
		});
		const written = readCard(body);
		if (!written) assertOwnAnswer(body, 'card');
		return [written?.raw ?? sent];
	},
});
