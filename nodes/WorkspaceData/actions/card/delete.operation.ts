import { cardLocator } from '../../properties/locators';
import { cards } from '../../transport/api';
import { defineOperation, eachChange } from '../operation/defineOperation';
import { writtenOutput } from '../operation/thingOutput';

export const deleteCard = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete card',
	description: 'Delete a card with its fields and records permanently',
	writes: true,
	properties: [cardLocator],
	execute: eachChange(async (run, get) => {
		const { id } = await run.findCard(get('cardId'), {}, true);
		return async ({ json }) => {
			await run.api.remove(cards, id);
			json.push(writtenOutput(run, 'deleted', undefined, { deleted: true, id }));
		};
	}),
});
