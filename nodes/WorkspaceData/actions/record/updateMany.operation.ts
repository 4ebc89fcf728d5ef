import { UPDATE_LABEL, updateColumnsProperty } from '../../ui/columns';
import { filterNotice, filtersProperty, matchTypeProperty } from '../../ui/filters';
import { cardLocator } from '../../ui/locators';
import { dryRunOption, recordOptions, writeOptions } from '../../ui/recordOptions';
import { defineOperation } from '../operation';
import { changeMany, requireConditions } from '../writing/bulk';
import { requireData, toRecordData } from '../writing/columns';
import { dryOutput } from '../writing/dryRun';
import { fieldsFor, prepareWrite } from '../writing/liveFields';
import { recordOutput } from '../reading/output';
import { update } from '../writing/write';

export const updateManyRecords = defineOperation({
	value: 'updateMany',
	name: 'Update Many',
	action: 'Update many records',
	description: 'Change values of all records that meet the conditions',
	writes: true,
	properties: [
		cardLocator,
		filtersProperty,
		matchTypeProperty,
		filterNotice,
		updateColumnsProperty,
		recordOptions([...writeOptions, dryRunOption]),
	],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const conditions = { filters: get('filters'), matchType: get('matchType') };
		requireConditions(conditions);
		const parameters = { cardId: get('cardId'), columns: get('columns'), options };
		const write = await prepareWrite(run, itemIndex, parameters, UPDATE_LABEL, true);
		const { card, columns, request } = write;
		const index = write.preview ?? (await run.fields.of(card, request));
		const typed = await fieldsFor(run, write, index, request);
		const data = requireData(toRecordData(run, columns, typed, options), columns);
		const output = recordOutput(index, true, options);
		const dry = dryOutput(index, options);
		const updated = await changeMany(
			run,
			card,
			// Conditions use the existing fields, also in a dry run.
			write.preview ? await run.fields.of(card, request) : index,
			conditions,
			request,
			async (record) => await update(run, write, data, record.id, record),
			'updated',
		);
		return updated.map(({ before, after }) =>
			write.dryRun ? dry('update', before, after) : output(after),
		);
	},
});
