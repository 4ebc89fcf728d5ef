import { selectCardNotice, UPDATE_LABEL, updateColumnsProperty } from '../../properties/columns';
import { ifNotFoundOption, recordOptions } from '../../properties/recordOptions';
import { cardLocator, recordLocator } from '../../properties/locators';
import { clearFieldsOption, writeOptions } from '../../properties/writeOptions';
import { readLocator } from '../../records/locator';
import { defineOperation } from '../operation/defineOperation';
import { writeItems } from './writeParameters';

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
		recordOptions([
			...writeOptions,
			clearFieldsOption,
			ifNotFoundOption,
			{
				displayName: 'Return Old Values',
				name: 'oldValues',
				type: 'boolean',
				default: false,
				description:
					"Whether to return the old values of changed fields in 'before'. The record is read first.",
			},
		]),
	],
	execute: writeItems(UPDATE_LABEL, (get) => ({
		mapper: get('columns'),
		ifNotFound: get('options').ifNotFound,
		readsFirst: get('options').oldValues ?? false,
		find: { by: 'id', id: readLocator(get('recordId'), recordLocator.displayName).text },
	})),
});
