import { limitProperty, returnAllProperty } from '../../properties/recordOptions';
import { defineOperation, eachItem } from '../operation/defineOperation';
import { thingOutput } from '../operation/thingOutput';

export const getManyCards = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many cards',
	description: 'Retrieve the cards of the workspace',
	properties: [returnAllProperty, limitProperty],
	execute: eachItem(async (run, get) => {
		const limit = get('returnAll') ? Infinity : get('limit');
		return (await run.listCards()).slice(0, limit).map(thingOutput);
	}),
});
