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
import { defineOperation } from '../operation/defineOperation';
import { readFind, writeItems } from './writeParameters';

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
	execute: writeItems(UPDATE_LABEL, (get) => ({
		mapper: get('columns'),
		isDry: get('dryRun'),
		find: readFind(get('filters'), get('matchType'), get('maxChanges'), maxChangesProperty),
	})),
});
