import type { DataRecord } from '../../model/response/record';
import { readLocator } from '../../model/locator';
import { cardLocator, recordLocator } from '../../ui/locators';
import {
	maxParallelOption,
	recordOptions,
	requestsPerSecondOption,
	timeoutOption,
} from '../../ui/recordOptions';
import { defineOperation } from '../operation';
import { readDryRun } from '../writing/dryRun';
import { resultsOf } from '../writing/results';
import { isRecordNotFound, readNotFound, withRecord } from '../reading/ifNotFound';
import { requestOptions } from '../requestOptions';
import { remove } from '../writing/write';
import { createWriter } from '../writing/writer';
import { dryRunOption, ifNotFoundOption } from '../../ui/writeOptions';

export const deleteRecord = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete record',
	description: 'Delete a record permanently',
	writes: true,
	properties: [
		cardLocator,
		recordLocator,
		recordOptions([
			dryRunOption,
			ifNotFoundOption,
			maxParallelOption,
			requestsPerSecondOption,
			timeoutOption,
		]),
	],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const request = requestOptions(options);
		const whenNotFound = readNotFound(options.ifNotFound);
		const dryRun = readDryRun(options.dryRun);
		const { text: id } = readLocator(get('recordId'), 'Record');
		const card = await run.cards.findExact(get('cardId'), request);
		const writer = createWriter(run, card, request, dryRun);
		const results = dryRun && resultsOf(run, writer, await run.fields.of(card, request), options);
		return await run.writes
			.inItemOrder(itemIndex, writer, id, async () => {
				if (!results) {
					await remove(run, writer, id);
					return [{ deleted: true, id }];
				}
				const show = async (record: DataRecord) => {
					await remove(run, writer, id);
					return results.deleted(record);
				};
				// Requested before the records are listed.
				const view = run.writes.view(writer);
				return await withRecord(run, card, id, request, whenNotFound, show, view);
			})
			.catch((error: unknown) => {
				if (isRecordNotFound(error)) return whenNotFound(error);
				throw error;
			});
	},
});
