import { selectCardNotice, UPDATE_LABEL, updateColumnsProperty } from '../../properties/columns';
import { filterProperties } from '../../properties/filters';
import { cardLocator } from '../../properties/locators';
import { recordOptions } from '../../properties/recordOptions';
import {
	clearFieldsOption,
	dryRunProperty,
	maxChangesProperty,
	writeOptions,
} from '../../properties/writeOptions';
import { writeRecords } from '../../records/writeRecords';
import { defineOperation } from '../operation/defineOperation';
import { readMost } from '../operation/readParameters';
import { columnsOfItem, openSettings, requireConditions } from './writeParameters';

export const updateManyRecords = defineOperation({
	value: 'updateMany',
	name: 'Update Many',
	action: 'Update many records',
	description: 'Change values of all records that meet the conditions',
	writes: true,
	properties: [
		cardLocator,
		...filterProperties,
		selectCardNotice,
		updateColumnsProperty,
		maxChangesProperty,
		dryRunProperty,
		recordOptions([...writeOptions, clearFieldsOption]),
	],
	async execute(run, { get }) {
		const settingsOf = openSettings(run, UPDATE_LABEL);
		return await writeRecords(run, {
			marks: 'usual',
			async read(itemIndex) {
				const settings = settingsOf(get('options', itemIndex));
				const isDry = get('dryRun', itemIndex);
				const { displayName: label } = maxChangesProperty;
				const most = readMost(get('maxChanges', itemIndex), label, 1);
				const filters = get('filters', itemIndex);
				const matchType = get('matchType', itemIndex);
				requireConditions(filters, 'updated');
				const card = await run.findCard(get('cardId', itemIndex), settings.request, true);
				const columns = columnsOfItem(run, itemIndex, get('columns', itemIndex), settings);
				const find = { by: 'filter', filters, matchType, most, label } as const;
				return { itemIndex, card, isDry, settings, columns, find };
			},
		});
	},
});
