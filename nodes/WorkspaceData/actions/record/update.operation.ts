import { readLocator } from '../../model/locator';
import type { DataRecord } from '../../model/answer/record';
import { UPDATE_LABEL, updateColumnsProperty } from '../../ui/columns';
import { cardLocator, recordLocator } from '../../ui/locators';
import { recordOptions } from '../../ui/recordOptions';
import { defineOperation } from '../operation';
import { dryOutput } from '../writing/dryRun';
import { prepareWrite, withLiveFields } from '../writing/liveFields';
import { isRecordNotFound, readNotFound, withRecord } from '../reading/ifNotFound';
import { recordOutput } from '../outputItems';
import { update } from '../writing/write';
import { dryRunOption, ifNotFoundOption, writeOptions } from '../../ui/writeOptions';

export const updateRecord = defineOperation({
	value: 'update',
	name: 'Update',
	action: 'Update a record',
	description: 'Change values of a record',
	writes: true,
	properties: [
		cardLocator,
		recordLocator,
		updateColumnsProperty,
		recordOptions([...writeOptions, dryRunOption, ifNotFoundOption]),
	],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const whenNotFound = readNotFound(options.ifNotFound);
		const { text: recordId } = readLocator(get('recordId'), 'Record');
		const parameters = { cardId: get('cardId'), columns: get('columns'), options };
		const write = await prepareWrite(run, itemIndex, parameters, UPDATE_LABEL);
		return await withLiveFields(
			run,
			write,
			async ({ index, data }) => {
				if (!write.dryRun) {
					const output = recordOutput(index, true, options);
					return [output(await update(run, write, data, recordId))];
				}
				const output = dryOutput(index, options);
				const { card, request } = write;
				const show = async (record: DataRecord) =>
					output('update', record, await update(run, write, data, recordId, record));
				// Asked for before the records are listed.
				const { current } = run.writes.states(card);
				return await withRecord(run, card, recordId, request, whenNotFound, show, current);
			},
			async (_, task) =>
				await run.writes.inItemOrder(itemIndex, { card: write.card, part: recordId }, task),
		).catch((error: unknown) => {
			if (isRecordNotFound(error)) return whenNotFound(error);
			throw error;
		});
	},
});
