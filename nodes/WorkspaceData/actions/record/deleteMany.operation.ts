import { filterProperties } from '../../properties/filters';
import { cardLocator } from '../../properties/locators';
import { recordOptions, sendingOptions } from '../../properties/recordOptions';
import { dryRunProperty, maxDeletedProperty } from '../../properties/writeOptions';
import { writeRecords } from '../../records/writeRecords';
import { defineOperation } from '../operation/defineOperation';
import { readMost } from '../operation/readParameters';
import { openSettings, requireConditions } from './writeParameters';

export const deleteManyRecords = defineOperation({
	value: 'deleteMany',
	name: 'Delete Many',
	action: 'Delete many records',
	description: 'Delete all records that meet the conditions permanently',
	writes: true,
	properties: [
		cardLocator,
		...filterProperties,
		maxDeletedProperty,
		dryRunProperty,
		recordOptions(sendingOptions),
	],
	async execute(run, { get }) {
		const settingsOf = openSettings(run, '');
		return await writeRecords(run, {
			marks: 'usual',
			async read(itemIndex) {
				const settings = settingsOf(get('options', itemIndex));
				const isDry = get('dryRun', itemIndex);
				const { displayName: label } = maxDeletedProperty;
				const most = readMost(get('maxChanges', itemIndex), label, 1);
				const filters = get('filters', itemIndex);
				const matchType = get('matchType', itemIndex);
				requireConditions(filters, 'deleted');
				const card = await run.findCard(get('cardId', itemIndex), settings.request, true);
				const find = { by: 'filter', filters, matchType, most, label } as const;
				return { itemIndex, card, isDry, settings, find };
			},
		});
	},
});
