import { UPDATE_LABEL, updateColumnsProperty, selectCardNotice } from '../../ui/columns';
import { filterDetails, filtersProperty } from '../../ui/filters';
import { cardLocator } from '../../ui/locators';
import { recordOptions } from '../../ui/recordOptions';
import { growCard } from '../growth/cardChanges';
import { defineOperation } from '../operation';
import { changeMany, readMaxChanges, requireConditions } from '../writing/changeMany';
import { requireData, toRecordData } from '../writing/valueConversion';
import { readDryRuns } from '../writing/dryRun';
import { fieldsFor, readWrite } from '../writing/liveFields';
import { resultsOf } from '../writing/results';
import { isUnchanged, updateListed } from '../writing/write';
import {
	dryRunProperty,
	maxChangesProperty,
	oldValuesOptions,
	savedDryRunOptions,
	unchangedOption,
	writeOptions,
} from '../../ui/writeOptions';

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
		recordOptions([...writeOptions, ...savedDryRunOptions, ...oldValuesOptions, unchangedOption]),
	],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const conditions = { filters: get('filters'), matchType: get('matchType') };
		const maxChanges = readMaxChanges(get('maxChanges'));
		const isDry = readDryRuns(get('dryRun'), options.dryRun);
		requireConditions(conditions);
		const parameters = { cardId: get('cardId'), columns: get('columns'), options, isDry };
		const read = await readWrite(run, itemIndex, parameters, UPDATE_LABEL, true);
		const write = await growCard(itemIndex, read);
		const { card, columns, request } = write;
		const index = write.preview ?? (await run.fields.of(card, request));
		const typed = await fieldsFor(run, write, index, request);
		const data = requireData(toRecordData({ ...write, isListed: true }, typed), columns);
		const results = resultsOf(run, write.writer, index, options);
		// Conditions use the existing fields, also in a dry run.
		const listing = write.preview ? await run.fields.of(card, request) : index;
		return await changeMany(run, itemIndex, {
			writer: write.writer,
			index: listing,
			conditions,
			hints: columns.hints,
			maxChanges,
			needsWrite: (record) => !isUnchanged(write, data, record, listing),
			change: async (record, now) => {
				const updated = await updateListed(write, data, record.id, listing, now);
				return updated && results(updated.action, updated.record, record);
			},
			done: 'updated',
		});
	},
});
