import { matchColumnsProperty, selectCardNotice, VALUES_LABEL } from '../../properties/columns';
import { ifNotFoundOption } from '../../properties/ifNotFound';
import { cardLocator } from '../../properties/locators';
import { recordOptions } from '../../properties/recordOptions';
import {
	clearFieldsOption,
	dryRunProperty,
	ignoreCaseOption,
	multipleMatchesOption,
	upsertModeOption,
	writeOptions,
} from '../../properties/writeOptions';
import { readMatching } from '../../records/columns';
import { writeRecords } from '../../records/writeRecords';
import { defineOperation } from '../operation/defineOperation';
import { columnsOfItem, openSettings } from './writeParameters';

export const upsertRecord = defineOperation({
	value: 'upsert',
	name: 'Create or Update',
	action: 'Create or update record',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	writes: true,
	properties: [
		cardLocator,
		selectCardNotice,
		matchColumnsProperty,
		dryRunProperty,
		recordOptions([
			...writeOptions,
			clearFieldsOption,
			{
				...ifNotFoundOption,
				description: "How to continue if no record matches and 'Upsert Mode' is 'Update Only'",
			},
			ignoreCaseOption,
			multipleMatchesOption,
			upsertModeOption,
		]),
	],
	async execute(run, { get }) {
		const settingsOf = openSettings(run, VALUES_LABEL);
		return await writeRecords(run, {
			marks: 'usual',
			async read(itemIndex) {
				const options = get('options', itemIndex);
				const settings = settingsOf(options);
				const isDry = get('dryRun', itemIndex);
				const { upsertMode: mode, multipleMatches, ifNotFound, ignoreCase } = options;
				const ignoresCase = ignoreCase ?? false;
				const mapper = get('columns', itemIndex);
				const matching = readMatching(mapper);
				const card = await run.findCard(get('cardId', itemIndex), settings.request);
				const columns = columnsOfItem(run, itemIndex, mapper, settings);
				const find = { by: 'key', matching, mode, multipleMatches, ignoresCase } as const;
				return { itemIndex, card, isDry, settings, columns, find, ifNotFound };
			},
		});
	},
});
