import { readLocator } from '../../model/locator';
import { cardLocator, recordLocator } from '../../ui/locators';
import {
	maxParallelOption,
	recordOptions,
	requestsPerSecondOption,
	timeoutOption,
} from '../../ui/recordOptions';
import { defineOperation } from '../operation';
import { dryOutput, readDryRun } from '../writing/dryRun';
import { isRecordNotFound, readNotFound, withRecord } from '../reading/ifNotFound';
import { requestOptions } from '../requestOptions';
import { remove } from '../writing/write';
import { dryRunOption, ifNotFoundOption } from '../../ui/writeOptions';

export const deleteRecord = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete a record',
	description: 'Delete a record',
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
		const isDry = readDryRun(options.dryRun);
		const { text: id } = readLocator(get('recordId'), 'Record');
		const card = await run.cards.findExact(get('cardId'), request);
		if (isDry) {
			const output = dryOutput(await run.fields.of(card, request));
			return await withRecord(run, card, id, request, whenNotFound, (record) =>
				output('delete', record, undefined),
			);
		}
		return await run.writes
			.inItemOrder(itemIndex, { card, part: id }, async () => {
				await remove(run, { card, dryRun: false }, id, request);
				return [{ deleted: true, id }];
			})
			.catch((error: unknown) => {
				if (isRecordNotFound(error)) return whenNotFound(error);
				throw error;
			});
	},
});
