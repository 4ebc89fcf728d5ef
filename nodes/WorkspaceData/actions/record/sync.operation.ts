import { matchColumnsProperty, selectCardNotice, VALUES_LABEL } from '../../properties/columns';
import { filtersProperty, matchTypeProperty } from '../../properties/filters';
import { cardLocator } from '../../properties/locators';
import { recordOptions } from '../../properties/recordOptions';
import {
	clearFieldsOption,
	dryRunProperty,
	ignoreCaseOption,
	maxDeletionsProperty,
	writeOptions,
} from '../../properties/writeOptions';
import { requireOneRun } from '../../records/deletionRuns';
import { readMatching } from '../../records/columns';
import { writeRecords } from '../../records/writeRecords';
import { defineOperation } from '../operation/defineOperation';
import { readMost } from '../operation/readParameters';
import { columnsOfItem, openSettings } from './writeParameters';

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

/** The settings that all items of a card must have in common. */
const COMMON =
	"'Filters', 'Must Match', 'If Record Has No Item', 'Max Records to Delete', 'Dry Run' and 'Options'";

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
		maxDeletionsProperty,
		dryRunProperty,
		recordOptions([...writeOptions, clearFieldsOption, ignoreCaseOption]),
	],
	async execute(run, { get }) {
		const settingsOf = openSettings(run, VALUES_LABEL);
		let deletes = false;
		const findCard = async (itemIndex: number) =>
			await run.findCard(get('cardId', itemIndex), {}, true);
		return await writeRecords(run, {
			marks: 'all',
			cardOf: findCard,
			async read(itemIndex) {
				const options = get('options', itemIndex);
				const settings = settingsOf(options);
				const isDry = get('dryRun', itemIndex);
				const missing = get('missingRecords', itemIndex);
				if (missing === 'delete' && !deletes) requireOneRun(run);
				deletes = missing === 'delete';
				const ignoresCase = options.ignoreCase ?? false;
				const given = deletes ? get('maxDeletions', itemIndex) : -1;
				const maxDeletions = readMost(given, maxDeletionsProperty.displayName, 0);
				const filters = get('filters', itemIndex);
				const sync = { filters, matchType: get('matchType', itemIndex), deletes, maxDeletions };
				const mapper = get('columns', itemIndex);
				const matching = readMatching(mapper);
				const card = await findCard(itemIndex);
				const columns = columnsOfItem(run, itemIndex, mapper, settings);
				const find = { by: 'key', matching, ignoresCase, sync } as const;
				const common = { value: { ...sync, isDry, ignoresCase }, labels: COMMON };
				return { itemIndex, card, isDry, settings, columns, find, common };
			},
		});
	},
});
