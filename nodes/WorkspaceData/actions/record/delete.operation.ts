import { ifNotFoundOption, recordOptions, sendingOptions } from '../../properties/recordOptions';
import { cardLocator, recordLocator } from '../../properties/locators';
import { readLocator } from '../../records/locator';
import { defineOperation } from '../operation/defineOperation';
import { writeItems } from './writeParameters';

export const deleteRecord = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete record',
	description: 'Delete a record permanently',
	writes: true,
	properties: [cardLocator, recordLocator, recordOptions([ifNotFoundOption, ...sendingOptions])],
	execute: writeItems('', (get) => ({
		ifNotFound: get('options').ifNotFound,
		find: { by: 'id', id: readLocator(get('recordId'), recordLocator.displayName).text },
	})),
});
