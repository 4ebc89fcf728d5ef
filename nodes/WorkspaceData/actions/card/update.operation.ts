import { readCard } from '../../model/response/card';
import { cardPath } from '../../transport/cardAndFieldListings';
import {
	changedProperties,
	cardNameProperty,
	customPropertiesProperty,
	PROPERTIES_TO_CHANGE,
} from '../../properties/fieldDefinition';
import { cardLocator } from '../../properties/locators';
import { readJsonObject, requireEntries, requireText } from '../readParameters';
import { defineOperation } from '../operation';
import { sendChange } from '../../transport/writeRequests';

export const updateCard = defineOperation({
	value: 'update',
	name: 'Update',
	action: 'Update card',
	description: 'Change the name or description of a card',
	writes: true,
	properties: [
		cardLocator,
		changedProperties([
			customPropertiesProperty,
			{
				displayName: 'Description',
				name: 'description',
				type: 'string',
				default: '',
				description: 'The new description; leave it empty to remove the current one',
			},
			{ ...cardNameProperty, required: false, description: 'The new name' },
		]),
	],
	async execute({ run, get }) {
		const { name, description, customProperties } = get('updateFields');
		const sent = requireEntries(
			{
				...readJsonObject(customProperties, 'Custom Properties'),
				...(name !== undefined && { name: requireText(name, 'Name') }),
				...(description !== undefined && { description }),
			},
			PROPERTIES_TO_CHANGE,
		);
		const { id } = await run.cards.find(get('cardId'));
		const body = await sendChange(run.session, 'card', { path: cardPath(id), body: sent });
		const item = readCard(body)?.raw ?? { id, ...sent };
		run.done.add('updated', id, item);
		return [item];
	},
});
