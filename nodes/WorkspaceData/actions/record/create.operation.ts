import { createColumnsProperty, selectCardNotice, VALUES_LABEL } from '../../ui/columns';
import { cardLocator } from '../../ui/locators';
import { recordOptions } from '../../ui/recordOptions';
import { grownFields } from '../growth/cardChanges';
import { defineOperation } from '../operation';
import { readWrite, withLiveFields } from '../writing/liveFields';
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
		return await withLiveFields(write, await grownFields(write), async (live) => {
			const output = recordOutput(live.index, true, options);
			return [output(await create(write, live))];
		});
	},
});
