import { UPDATE_LABEL, updateColumnsProperty, selectCardNotice } from '../../properties/columns';
import { filterDetails, filtersProperty } from '../../properties/filters';
import { cardLocator } from '../../properties/locators';
import { recordOptions } from '../../properties/recordOptions';
import { ensureFields } from '../newFields/ensureFields';
import { defineOperation } from '../operation';
import { readMost } from '../readParameters';
import { readFilter } from '../reading/scan';
import { changeMany, requireConditions } from '../writing/changeMany';
import { readDryRunParameter } from '../writing/dryRun';
import { convertValues, readValues } from '../writing/itemValues';
import { requireData } from '../writing/valueConversion';
import { resultsOf } from '../writing/writtenItems';
import { isUnchanged, updateListed } from '../writing/writeRecord';
import {
	dryRunProperty,
	maxChangesProperty,
	savedDryRunOptions,
	readAndWriteOptions,
} from '../../properties/writeOptions';

export const updateManyRecords = defineOperation({
	value: 'updateMany',
	name: 'Update Many',
	action: 'Update many records',
	description: 'Change values of all records that meet the conditions',
	writes: true,
	properties: [
		cardLocator,
		filtersProperty,
		...filterDetails,
		selectCardNotice,
		updateColumnsProperty,
		maxChangesProperty,
		dryRunProperty,
		recordOptions([...readAndWriteOptions, ...savedDryRunOptions]),
	],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const filters = get('filters');
		const { displayName: label } = maxChangesProperty;
		const most = { number: readMost(get('maxChanges'), label, 1), label };
		const isDry = readDryRunParameter(get('dryRun'), options.dryRun);
		requireConditions(filters, 'updated');
		const parameters = { cardId: get('cardId'), columns: get('columns'), options, isDry };
		const write = await readValues(run, itemIndex, parameters, UPDATE_LABEL, true);
		const { card, columns, request, writer } = write;
		const live = await convertValues(write, await ensureFields(write));
		requireData(live, columns);
		const results = resultsOf(run, writer.cardRun, live.index, options);
		// Conditions use the existing fields, also in a dry run.
		const index = await run.fields.of(card, request);
		const exact = { isExact: true, hints: columns.hints };
		return await changeMany(run, itemIndex, {
			writer,
			index,
			passes: readFilter(filters, get('matchType'), index, run, exact),
			most,
			needsWrite: (record) => !isUnchanged(write, live, record),
			change: async (record, now) => {
				const updated = await updateListed(write, live, record.id, now);
				return updated && results(updated.action, updated.record, record, updated.sent);
			},
			done: 'updated',
		});
	},
});
