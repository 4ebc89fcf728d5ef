import { matchColumnsProperty, selectCardNotice, VALUES_LABEL } from '../../properties/columns';
import { filterDetails, filtersProperty } from '../../properties/filters';
import { cardLocator } from '../../properties/locators';
import { recordOptions } from '../../properties/recordOptions';
import { readChoice, readMost } from '../readParameters';
import { defineOperation } from '../operation';
import { readDryRunParameter } from '../writing/dryRun';
import { readValues } from '../writing/itemValues';
import { syncAll } from '../sync/sync';
import type { SyncPart } from '../sync/cardSync';
import {
	dryRunProperty,
	maxDeletionsProperty,
	savedDryRunOptions,
	readAndWriteOptions,
} from '../../properties/writeOptions';

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
	isShared: true,
	properties: [
		cardLocator,
		selectCardNotice,
		matchColumnsProperty,
		{
			...filtersProperty,
			description: 'Conditions that records must meet to take part; without any, all records do',
		},
		...filterDetails,
		missingRecordsProperty,
		maxDeletionsProperty,
		dryRunProperty,
		recordOptions([...readAndWriteOptions, ...savedDryRunOptions]),
	],
	async execute({ run, itemIndex, get }) {
		const findCard = async (index: number) => await run.cards.find(get('cardId', index), {}, true);
		const read = async (index: number): Promise<SyncPart> => {
			const options = get('options', index);
			const isDry = readDryRunParameter(get('dryRun', index), options.dryRun);
			const deletes = readChoice(missingRecordsProperty, get('missingRecords', index)) === 'delete';
			const { displayName } = maxDeletionsProperty;
			const given = deletes ? get('maxDeletions', index) : -1;
			const maxDeletions = readMost(given, displayName, 0);
			const mapped = { cardId: get('cardId', index), columns: get('columns', index) };
			const write = await readValues(run, index, { ...mapped, options, isDry }, VALUES_LABEL, true);
			const settings = {
				filters: get('filters', index),
				matchType: get('matchType', index),
				isDry,
				deletes,
				maxDeletions,
			};
			return { write, settings };
		};
		const sync = async () => await syncAll(run, read, findCard);
		const take = await run.items.gather('sync', itemIndex, undefined, sync);
		return take(itemIndex);
	},
});
