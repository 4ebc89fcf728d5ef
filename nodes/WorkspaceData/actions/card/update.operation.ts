import {
	cardDescriptionProperty,
	cardNameProperty,
	changedProperties,
	customPropertiesProperty,
	PROPERTIES_TO_CHANGE,
} from '../../properties/fieldDefinition';
import { cardLocator } from '../../properties/locators';
import { cards } from '../../transport/api';
import { defineOperation, eachChange } from '../operation/defineOperation';
import { readDefinition } from '../operation/readDefinition';
import { writtenOutput } from '../operation/thingOutput';
import { requireEntries } from '../operation/readParameters';

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
				...cardDescriptionProperty,
				description: 'The new description; leave it empty to remove the current one',
			},
			{ ...cardNameProperty, required: false, description: 'The new name' },
		]),
	],
	execute: eachChange(async (run, get) => {
		const { body } = readDefinition(get('updateFields'));
		requireEntries(body, PROPERTIES_TO_CHANGE);
		const { id } = await run.findCard(get('cardId'));
		return async ({ json }) => {
			const changed = await run.api.change(cards, id, body);
			json.push(writtenOutput(run, 'updated', changed, { id, ...body }));
		};
	}),
});
