import { createColumnsProperty, selectCardNotice, VALUES_LABEL } from '../../ui/columns';
import { cardLocator } from '../../ui/locators';
import { recordOptions } from '../../ui/recordOptions';
import { grownFields } from '../growth/cardChanges';
import { defineOperation } from '../operation';
import { liveFields, readWrite, withFreshFields } from '../writing/liveFields';
import { recordOutput } from '../outputItems';
import { create } from '../writing/write';
import { writeOptions } from '../../ui/writeOptions';

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
		const write = await readWrite(run, itemIndex, parameters, VALUES_LABEL);
		const live = await liveFields(write, await grownFields(write));
		const creating = async () =>
			await withFreshFields(write, live, async (now) => {
				const output = recordOutput(now.index, true, options);
				const record = await create(write, now);
				const item = output(record);
				run.done.add('created', record.id, item);
				return [item];
			});
		// Whatever was read for its values, an item is sent after those before it.
		return await run.items.inItemOrder(itemIndex, creating);
	},
});
