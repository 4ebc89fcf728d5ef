import { cardLocator } from '../../properties/locators';
import { limitProperty, returnAllProperty } from '../../properties/readOptions';
import { readLimit } from '../readParameters';
import { defineOperation } from '../operation';

export const getManyFields = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many fields',
	description: 'Retrieve the fields of a card',
	properties: [cardLocator, returnAllProperty, limitProperty],
	async execute({ run, get }) {
		const limit = readLimit(get('returnAll'), get('limit'));
		const { fields } = await run.fields.of(await run.cards.find(get('cardId')));
		return fields.slice(0, limit).map(({ raw }) => raw);
	},
});
