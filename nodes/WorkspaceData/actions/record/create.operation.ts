import { createColumnsProperty, selectCardNotice, VALUES_LABEL } from '../../properties/columns';
import { cardLocator } from '../../properties/locators';
import { recordOptions } from '../../properties/recordOptions';
import { writeOptions } from '../../properties/writeOptions';
import { defineOperation } from '../operation/defineOperation';
import { writeItems } from './writeParameters';

export const createRecord = defineOperation({
	value: 'create',
	name: 'Create',
	action: 'Create record',
	description: 'Add a record to a card',
	writes: true,
	properties: [cardLocator, selectCardNotice, createColumnsProperty, recordOptions(writeOptions)],
	execute: writeItems(VALUES_LABEL, (get) => ({ mapper: get('columns'), find: { by: 'nothing' } })),
});
