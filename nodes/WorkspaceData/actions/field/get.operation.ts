import { cardLocator, fieldLocator } from '../../properties/locators';
import { defineOperation, eachItem } from '../operation/defineOperation';
import { thingOutput } from '../operation/thingOutput';
import { locateField } from './fieldLocator';

export const getField = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get field',
	description: 'Retrieve the type and options of a field',
	properties: [cardLocator, fieldLocator],
	execute: eachItem(async (run, get) => {
		const { field } = await locateField(run, get('cardId'), get('fieldId'));
		return [thingOutput(field)];
	}),
});
