import { cardLocator } from '../../properties/locators';
import { limitProperty, returnAllProperty } from '../../properties/recordOptions';
import { defineOperation, eachItem } from '../operation/defineOperation';
import { thingOutput } from '../operation/thingOutput';

export const getManyFields = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many fields',
	description: 'Retrieve the fields of a card',
	properties: [cardLocator, returnAllProperty, limitProperty],
	execute: eachItem(async (run, get) => {
		const limit = get('returnAll') ? Infinity : get('limit');
		const { fields } = await run.fieldsOf(await run.findCard(get('cardId')));
		return fields.slice(0, limit).map(thingOutput);
	}),
});
