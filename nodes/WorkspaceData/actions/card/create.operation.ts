import {
	cardNameProperty,
	customPropertiesProperty,
	ifCardExistsProperty,
} from '../../ui/fieldDefinition';
import { readChoice } from '../inputs/choice';
import { hintNoId } from '../output/created';
import { readJsonObject } from '../inputs/json';
import { defineOperation } from '../operation';
import { requireText } from '../inputs/text';
import { addCard, cardOfName } from './existing';

export const createCard = defineOperation({
	value: 'create',
	name: 'Create',
	action: 'Create a card',
	description: 'Create a new card',
	writes: true,
	properties: [
		cardNameProperty,
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
				ifCardExistsProperty,
			],
		},
	],
	async execute({ run, get }) {
		const { description, customProperties, ifExists } = get('additionalFields');
		const policy = readChoice(ifCardExistsProperty, ifExists) ?? 'create';
		const name = requireText(get('name'), 'Name');
		const sent = {
			...readJsonObject(customProperties, 'Custom Properties'),
			name,
			...(description !== undefined && { description }),
		};
		if (policy === 'create') {
			const created = await addCard(run, sent);
			if (!created) hintNoId(run, 'card');
			return [created?.raw ?? sent];
		}
		return [(await cardOfName(run, name, policy, sent)).card.raw];
	},
});
