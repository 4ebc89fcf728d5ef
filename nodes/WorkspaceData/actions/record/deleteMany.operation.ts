import { filterProperties } from '../../properties/filters';
import { cardLocator } from '../../properties/locators';
import { recordOptions, sendingOptions } from '../../properties/recordOptions';
import { dryRunProperty, maxDeletedProperty } from '../../properties/writeOptions';
import { defineOperation } from '../operation/defineOperation';
import { readFind, writeItems } from './writeParameters';

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
	execute: writeItems('', (get) => ({
		isDry: get('dryRun'),
		find: readFind(get('filters'), get('matchType'), get('maxChanges'), maxDeletedProperty),
	})),
});
