import { readLocator } from '../../model/locator';
import { UPDATE_LABEL, updateColumnsProperty, selectCardNotice } from '../../ui/columns';
import { cardLocator, recordLocator } from '../../ui/locators';
import { ifNotFoundOption } from '../../ui/ifNotFound';
import { recordOptions } from '../../ui/recordOptions';
import { grownFields } from '../growth/cardChanges';
import { defineOperation } from '../operation';
import { liveFields, readWrite, withFreshFields } from '../writing/liveFields';
import { findRecord, readNotFound } from '../reading/ifNotFound';
import { readOldValues, resultsOf } from '../writing/results';
import { update } from '../writing/write';
import { dryRunOption, oldValuesOption, writeOptions } from '../../ui/writeOptions';

export const updateRecord = defineOperation({
	value: 'update',
	name: 'Update',
	action: 'Update record',
	description: 'Change values of a record by its ID',
	writes: true,
	properties: [
		cardLocator,
		recordLocator,
		selectCardNotice,
		updateColumnsProperty,
		recordOptions([...writeOptions, dryRunOption, ifNotFoundOption, oldValuesOption]),
	],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const whenNotFound = readNotFound(options.ifNotFound);
		const { text: recordId } = readLocator(get('recordId'), 'Record');
		const parameters = { cardId: get('cardId'), columns: get('columns'), options };
		const write = await readWrite(run, itemIndex, parameters, UPDATE_LABEL);
		const { writer } = write;
		const live = await liveFields(write, await grownFields(write));
		const updating = async () =>
			await withFreshFields(write, live, async (now) => {
				const results = resultsOf(run, writer, now.index, options);
				const readsFirst = writer.isDry || readOldValues(options, false);
				if (!readsFirst) return [results('plain', await update(write, now, recordId))];
				// Requested before the records are listed.
				const view = run.writes.view(writer);
				const record = await findRecord(run, write, recordId, view);
				return [results('updated', await update(write, now, recordId, record), record)];
			});
		return await run.writes.inItemOrder(itemIndex, writer, recordId, updating).catch(whenNotFound);
	},
});
