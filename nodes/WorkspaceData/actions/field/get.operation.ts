import { readLocator } from '../../model/locator';
import { cardLocator, fieldLocator } from '../../ui/locators';
import { defineOperation } from '../operation';
import { locateField } from './fieldLocator';

export const getField = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get a field',
	description: 'Retrieve a field',
	properties: [cardLocator, fieldLocator],
	async execute({ run, get }) {
		const locator = readLocator(get('fieldId'), 'Field');
		const card = await run.card(get('cardId'));
		return [(await locateField(run, card, locator)).raw];
	},
});
