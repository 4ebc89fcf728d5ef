import { limitProperty, returnAllProperty } from '../../properties/readOptions';
import { readLimit } from '../readParameters';
import { defineOperation } from '../operation';

export const getManyCards = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many cards',
	description: 'Retrieve the cards of the workspace',
	properties: [returnAllProperty, limitProperty],
	async execute({ run, get }) {
		const limit = readLimit(get('returnAll'), get('limit'));
		return (await run.cards.list().first(limit)).map(({ raw }) => raw);
	},
});
