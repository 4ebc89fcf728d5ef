import { filterDetails, filtersProperty } from '../../properties/filters';
import { cardLocator } from '../../properties/locators';
import { outputOptions, recordOptions, sendingOptions } from '../../properties/recordOptions';
import { defineOperation } from '../operation';
import { readMost } from '../readParameters';
import { readFilter } from '../reading/scan';
import { changeMany, requireConditions } from '../writing/changeMany';
import { readDryRunParameter } from '../writing/dryRun';
import { resultsOf } from '../writing/writtenItems';
import { requestOptions } from '../requestOptions';
import {
	dryRunProperty,
	maxDeletedProperty,
	savedDryRunOptions,
} from '../../properties/writeOptions';

export const deleteManyRecords = defineOperation({
	value: 'deleteMany',
	name: 'Delete Many',
	action: 'Delete many records',
	description: 'Delete all records that meet the conditions permanently',
	writes: true,
	properties: [
		cardLocator,
		filtersProperty,
		...filterDetails,
		maxDeletedProperty,
		dryRunProperty,
		recordOptions([...savedDryRunOptions, ...outputOptions, ...sendingOptions]),
	],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const request = requestOptions(options);
		const isDry = readDryRunParameter(get('dryRun'), options.dryRun);
		const { displayName: label } = maxDeletedProperty;
		const most = { number: readMost(get('maxChanges'), label, 1), label };
		const filters = get('filters');
		requireConditions(filters, 'deleted');
		const card = await run.cards.find(get('cardId'), request, true);
		const index = await run.fields.of(card, request);
		const passes = readFilter(filters, get('matchType'), index, run, { isExact: true });
		const writer = run.openWriter(card, request, isDry);
		const results = resultsOf(run, writer.cardRun, index, options);
		return await changeMany(run, itemIndex, {
			writer,
			index,
			passes,
			mustPassAsListed: true,
			most,
			change: async (record, now) => {
				const isWanted = () => now() !== undefined;
				const isGone = await writer.remove(record.id, isWanted);
				return isGone ? results('deleted', record) : undefined;
			},
			done: 'deleted',
		});
	},
});
