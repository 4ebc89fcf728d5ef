import { ifNotFoundOption } from '../../properties/ifNotFound';
import { cardLocator, recordLocator } from '../../properties/locators';
import { recordOptions, sendingOptions } from '../../properties/recordOptions';
import { readLocator } from '../../records/locator';
import { writeRecords } from '../../records/writeRecords';
import { defineOperation } from '../operation/defineOperation';
import { openSettings } from './writeParameters';

export const deleteRecord = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete record',
	description: 'Delete a record permanently',
	writes: true,
	properties: [cardLocator, recordLocator, recordOptions([ifNotFoundOption, ...sendingOptions])],
	async execute(run, { get }) {
		const settingsOf = openSettings(run, '');
		return await writeRecords(run, {
			marks: 'plain',
			async read(itemIndex) {
				const options = get('options', itemIndex);
				const settings = settingsOf(options);
				const { ifNotFound } = options;
				const { text: id } = readLocator(get('recordId', itemIndex), recordLocator.displayName);
				const card = await run.findCard(get('cardId', itemIndex), settings.request, true);
				const find = { by: 'id', id } as const;
				return { itemIndex, card, isDry: false, settings, find, ifNotFound };
			},
		});
	},
});
