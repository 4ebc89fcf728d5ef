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
import { hasOwnName } from '../outputItems';
import {
	clearFieldsOption,
	dryRunOption,
	oldValuesOption,
	writeOptions,
} from '../../ui/writeOptions';

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
		const write = await readWrite(run, itemIndex, parameters, UPDATE_LABEL);
		const { writer } = write;
		const live = await liveFields(write, await grownFields(write));
		const updating = async () =>
			await withFreshFields(write, live, async (now) => {
				const results = resultsOf(run, writer.cardRun, now.index, options);
				const isMarked = writer.isDry || readOldValues(options, false);
				const readsFirst = isMarked || hasOwnName(now.index);
				const record = readsFirst ? await findRecord(run, write, recordId, writer.log) : undefined;
				const updated = await update(write, now, recordId, record);
				if (isMarked) return [results('updated', updated, record)];
				const item = results('plain', updated);
				run.done.add('updated', recordId, item);
				return [item];
			});
		return await run.turns.inItemOrder(itemIndex, writer, recordId, updating).catch(whenNotFound);
	},
});
