import { assertDone } from '../../transport/failure/failures';
import { cardPath } from '../../transport/listings';
import { cardLocator } from '../../ui/locators';
import { defineOperation } from '../operation';

export const deleteCard = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete a card',
	description: 'Delete a card with its fields and records',
	writes: true,
	properties: [cardLocator],
	async execute({ run, get }) {
		const { id } = await run.cards.findExact(get('cardId'));
		const { body } = await run.api.request({
			method: 'DELETE',
			path: cardPath(id),
			deletes: 'card',
		});
		assertDone(body, 'card', 'deleted');
		return [{ deleted: true, id }];
	},
});
