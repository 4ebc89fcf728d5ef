import { selectCardNotice, UPDATE_LABEL, updateColumnsProperty } from '../../properties/columns';
import { ifNotFoundOption } from '../../properties/ifNotFound';
import { cardLocator, recordLocator } from '../../properties/locators';
import { recordOptions } from '../../properties/recordOptions';
import { clearFieldsOption, oldValuesOption, writeOptions } from '../../properties/writeOptions';
import { readLocator } from '../../records/locator';
import { writeRecords } from '../../records/writeRecords';
import { defineOperation } from '../operation/defineOperation';
import { columnsOfItem, openSettings } from './writeParameters';

export const updateRecord = defineOperation({
	value: 'update',
	name: 'Update',
	action: 'Update record',
	description: 'Change values of a record by its ID',
	writes: true,
	properties: [
		cardLocator,
		recordLocator,
		selectCardNotice,
		updateColumnsProperty,
		recordOptions([...writeOptions, clearFieldsOption, ifNotFoundOption, oldValuesOption]),
	],
	async execute(run, { get }) {
		const settingsOf = openSettings(run, UPDATE_LABEL);
		return await writeRecords(run, {
			marks: 'plain',
			async read(itemIndex) {
				const options = get('options', itemIndex);
				const settings = settingsOf(options);
				const { ifNotFound } = options;
				const readsFirst = options.oldValues ?? false;
				const { text: id } = readLocator(get('recordId', itemIndex), recordLocator.displayName);
				const card = await run.findCard(get('cardId', itemIndex), settings.request);
				const columns = columnsOfItem(run, itemIndex, get('columns', itemIndex), settings);
				const find = { by: 'id', id } as const;
				return { itemIndex, card, isDry: false, settings, columns, find, ifNotFound, readsFirst };
			},
		});
	},
});
