import { cardLocator } from '../../properties/locators';
import { cards } from '../../transport/api';
import { defineOperation, eachItem } from '../operation/defineOperation';

export const deleteCard = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete card',
	description: 'Delete a card with its fields and records permanently',
	writes: true,
	properties: [cardLocator],
	execute: eachItem(async (run, get) => {
		const { id } = await run.findCard(get('cardId'), {}, true);
		await run.api.remove(cards, id);
		const item = { deleted: true, id };
		run.done.add('deleted', id, item);
		return [item];
	}),
});
