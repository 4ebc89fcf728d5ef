import { createColumnsProperty, selectCardNotice, VALUES_LABEL } from '../../properties/columns';
import { cardLocator } from '../../properties/locators';
import { recordOptions } from '../../properties/recordOptions';
import { ensureFields } from '../newFields/ensureFields';
import { defineOperation } from '../operation';
import { withFreshFields } from '../writing/freshFields';
import { convertValues, readValues } from '../writing/itemValues';
import { resultsOf } from '../writing/writtenItems';
import { create } from '../writing/writeRecord';
import { writeOptions } from '../../properties/writeOptions';

export const createRecord = defineOperation({
	value: 'create',
	name: 'Create',
	action: 'Create record',
	description: 'Add a record to a card',
	writes: true,
	properties: [cardLocator, selectCardNotice, createColumnsProperty, recordOptions(writeOptions)],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const parameters = { cardId: get('cardId'), columns: get('columns'), options };
		const write = await readValues(run, itemIndex, parameters, VALUES_LABEL);
		const live = await convertValues(write, await ensureFields(write));
		const creating = async () =>
			await withFreshFields(write, live, async (now) => {
				const results = resultsOf(run, write.writer.cardRun, now.index, options, 'none');
				return [results('created', await create(write, now))];
			});
		// Whatever was read for its values, an item is sent after those before it.
		return await run.items.inItemOrder(itemIndex, creating);
	},
});
