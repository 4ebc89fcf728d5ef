import type { DataRecord } from '../../model/answer/record';
import { filterDetails, filtersProperty } from '../../ui/filters';
import { cardLocator } from '../../ui/locators';
import { defineOperation } from '../operation';
import { readFilter, hintAtReading, hintAtShift, scanRecords } from '../reading/scan';

export const countRecords = defineOperation({
	value: 'count',
	name: 'Count',
	action: 'Count records',
	description: 'Count all records of a card, or the records that meet the conditions',
	properties: [cardLocator, filtersProperty, ...filterDetails],
	async execute({ run, get }) {
		const card = await run.cards.find(get('cardId'));
		const index = await run.fields.of(card);
		const passes = readFilter(get('filters'), get('matchType'), index, run);
		let count = 0;
		const take = (record: DataRecord): boolean => {
			if (!passes || passes(record)) count += 1;
			return false;
		};
		const listing = run.records.of(card, Infinity);
		const read = await scanRecords(run, listing, take, true);
		hintAtShift(run, listing, card.name);
		passes?.requireSeen();
		hintAtReading(run, read);
		return [{ count }];
	},
});
