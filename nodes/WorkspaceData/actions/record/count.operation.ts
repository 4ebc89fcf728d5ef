import { filterDetails, filtersProperty } from '../../properties/filters';
import { cardLocator } from '../../properties/locators';
import { defineOperation } from '../operation';
import { readFilter, readPassing } from '../reading/scan';

export const countRecords = defineOperation({
	value: 'count',
	name: 'Count',
	action: 'Count records',
	description: 'Count all records of a card, or the records that meet the conditions',
	properties: [cardLocator, filtersProperty, ...filterDetails],
	async execute({ run, get }) {
		const card = await run.cards.find(get('cardId'));
		const index = await run.fields.of(card);
		const filter = readFilter(get('filters'), get('matchType'), index, run);
		const listing = run.records.of(card, Infinity);
		let count = 0;
		await readPassing(run, { card, listing, filter, toTheEnd: true }, () => (count += 1));
		return [{ count }];
	},
});
