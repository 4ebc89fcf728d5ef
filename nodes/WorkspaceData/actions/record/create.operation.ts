import { createColumnsProperty, selectCardNotice, VALUES_LABEL } from '../../properties/columns';
import { cardLocator } from '../../properties/locators';
import { recordOptions } from '../../properties/recordOptions';
import { writeOptions } from '../../properties/writeOptions';
import { writeRecords } from '../../records/writeRecords';
import { defineOperation } from '../operation/defineOperation';
import { columnsOfItem, openSettings } from './writeParameters';

export const createRecord = defineOperation({
	value: 'create',
	name: 'Create',
	action: 'Create record',
	description: 'Add a record to a card',
	writes: true,
	properties: [cardLocator, selectCardNotice, createColumnsProperty, recordOptions(writeOptions)],
	async execute(run, { get }) {
		const settingsOf = openSettings(run, VALUES_LABEL);
		return await writeRecords(run, {
			marks: 'plain',
			async read(itemIndex) {
				const settings = settingsOf(get('options', itemIndex));
				const card = await run.findCard(get('cardId', itemIndex), settings.request);
				const columns = columnsOfItem(run, itemIndex, get('columns', itemIndex), settings);
				return { itemIndex, card, isDry: false, settings, columns, find: { by: 'nothing' } };
			},
		});
	},
});
