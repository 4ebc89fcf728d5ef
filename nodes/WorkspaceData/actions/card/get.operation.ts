import { cardLocator } from '../../properties/locators';
import { cards } from '../../transport/api';
import { defineOperation, eachItem } from '../operation/defineOperation';
import { thingOutput } from '../operation/thingOutput';

export const getCardOperation = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get card',
	description: 'Retrieve the name and properties of a card',
	properties: [cardLocator],
	execute: eachItem(async (run, get) => {
		const { id } = await run.findCard(get('cardId'));
		return [thingOutput(await run.api.get(cards, id))];
	}),
});
