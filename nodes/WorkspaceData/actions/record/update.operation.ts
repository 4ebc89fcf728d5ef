import { readLocator } from '../../records/locator';
import { UPDATE_LABEL, updateColumnsProperty, selectCardNotice } from '../../properties/columns';
import { cardLocator, recordLocator } from '../../properties/locators';
import { ifNotFoundOption } from '../../properties/ifNotFound';
import { recordOptions } from '../../properties/recordOptions';
import { ensureFields } from '../newFields/ensureFields';
import { defineOperation } from '../operation';
import { withFreshFields } from '../writing/freshFields';
import { convertValues, readValues } from '../writing/itemValues';
import { findRecord, readNotFound } from '../reading/ifNotFound';
import { readOldValues, resultsOf } from '../writing/writtenItems';
import { updateById } from '../writing/writeRecord';
import { hasOwnName } from '../outputItems';
import {
	clearFieldsOption,
	dryRunOption,
	oldValuesOption,
	writeOptions,
} from '../../properties/writeOptions';

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
		recordOptions([
			...writeOptions,
			clearFieldsOption,
			dryRunOption,
			ifNotFoundOption,
			oldValuesOption,
		]),
	],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const whenNotFound = readNotFound(options.ifNotFound);
		const { text: recordId } = readLocator(get('recordId'), 'Record');
		const parameters = { cardId: get('cardId'), columns: get('columns'), options };
		const write = await readValues(run, itemIndex, parameters, UPDATE_LABEL);
		const { writer } = write;
		const live = await convertValues(write, await ensureFields(write));
		const updating = async () =>
			await withFreshFields(write, live, async (now) => {
				const isMarked = writer.isDry || readOldValues(options, false);
				const marks = isMarked ? 'usual' : 'none';
				const results = resultsOf(run, writer.cardRun, now.index, options, marks);
				const readsFirst = isMarked || hasOwnName(now.index);
				const record = readsFirst ? await findRecord(run, write, recordId, writer.log) : undefined;
				const changed = await updateById(write, now, recordId, record);
				return [results(changed.action, changed.record, record, changed.sent)];
			});
		return await run.turns.inItemOrder(itemIndex, writer, recordId, updating).catch(whenNotFound);
	},
});
