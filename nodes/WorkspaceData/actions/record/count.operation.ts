import { filterProperties } from '../../properties/filters';
import { cardLocator } from '../../properties/locators';
import { readFilter } from '../../records/filter';
import { defineOperation, eachItem } from '../operation/defineOperation';

export const countRecords = defineOperation({
	value: 'count',
	name: 'Count',
	action: 'Count records',
	description: 'Count all records of a card, or the records that meet the conditions',
	properties: [cardLocator, ...filterProperties],
	execute: eachItem(async (run, get) => {
		const card = await run.findCard(get('cardId'));
		const index = await run.fieldsOf(card);
		const passes = readFilter(get('filters'), get('matchType'), index, run);
		let count = 0;
		await run.readRecords(card, Infinity, (record) => {
			if (passes?.(record) !== false) count += 1;
		});
		return [{ count }];
	}),
});
