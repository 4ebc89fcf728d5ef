import { limitProperty, returnAllProperty } from '../../ui/pagination';
import { listCards } from '../../transport/listings';
import { readLimit } from '../limit';
import { defineOperation } from '../operation';

export const getManyCards = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many cards',
	description: 'Retrieve a list of cards',
	properties: [returnAllProperty, limitProperty],
	async execute({ run, get }) {
		const limit = readLimit(get('returnAll'), get('limit'));
		const cards = await run.shared('cards', async () => await listCards(run.api));
		return cards.slice(0, limit).map(({ raw }) => raw);
	},
});
