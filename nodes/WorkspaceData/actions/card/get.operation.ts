import { cardLocator } from '../../properties/locators';
import { getCard } from '../../transport/cardAndFieldListings';
import { defineOperation } from '../operation';

export const getCardOperation = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get card',
	description: 'Retrieve the name and properties of a card',
	properties: [cardLocator],
	async execute({ run, get }) {
		const { id } = await run.cards.find(get('cardId'));
		return [(await getCard(run.session, id)).raw];
	},
});
