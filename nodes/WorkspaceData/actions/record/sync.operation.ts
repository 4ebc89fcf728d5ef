import { matchColumnsProperty, selectCardNotice, VALUES_LABEL } from '../../properties/columns';
import { filtersProperty, matchTypeProperty } from '../../properties/filters';
import { cardLocator } from '../../properties/locators';
import { recordOptions } from '../../properties/recordOptions';
import {
	clearFieldsOption,
	dryRunProperty,
	ignoreCaseOption,
	maxDeletedProperty,
	writeOptions,
} from '../../properties/writeOptions';
import { readMapper } from '../../records/columns';
import { defineOperation } from '../operation/defineOperation';
import { readMost } from '../operation/readParameters';
import { writeItems } from './writeParameters';

const missingRecordsProperty = {
	displayName: 'If Record Has No Item',
	name: 'missingRecords',
	type: 'options',
	options: [
		{
			name: 'Delete',
			value: 'delete',
			description: 'Delete the record, after all items were written',
		},
		{ name: 'Keep', value: 'keep', description: 'Leave the record unchanged' },
	],
	default: 'keep',
	description:
		"What to do with records that have no item. Incomplete items would delete records: try 'Dry Run' first.",
} as const;

export const syncRecords = defineOperation({
	value: 'sync',
	name: 'Sync',
	action: 'Sync records with items',
	description: 'Make the records of a card equal to the input items',
	writes: true,
	properties: [
		cardLocator,
		selectCardNotice,
		matchColumnsProperty,
		{
			...filtersProperty,
			description: 'Conditions that records must meet to take part; without any, all records do',
		},
		matchTypeProperty,
		missingRecordsProperty,
		{
			...maxDeletedProperty,
			name: 'maxDeletions',
			default: 0,
			description: 'If more records would be deleted, nothing is sent',
			hint: '0: a tenth of the records that meet the conditions, but at least 5. -1: no limit.',
			displayOptions: { show: { missingRecords: ['delete'] } },
		},
		dryRunProperty,
		recordOptions([...writeOptions, clearFieldsOption, ignoreCaseOption]),
	],
	execute: writeItems(VALUES_LABEL, (get) => {
		const deletes = get('missingRecords') === 'delete';
		const most = deletes ? get('maxDeletions') : -1;
		const maxDeletions = readMost(most);
		const conditions = { filters: get('filters'), matchType: get('matchType') };
		const mapper = get('columns');
		const ignoresCase = get('options').ignoreCase ?? false;
		const sync = { ...conditions, deletes, maxDeletions };
		return {
			...{ mapper, isDry: get('dryRun') },
			find: { by: 'key', matching: readMapper(mapper), ignoresCase, sync },
		};
	}),
});
