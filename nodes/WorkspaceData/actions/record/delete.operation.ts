import { readLocator } from '../../records/locator';
import { cardLocator, recordLocator } from '../../properties/locators';
import { recordOptions, sendingOptions } from '../../properties/recordOptions';
import { defineOperation } from '../operation';
import { dryRunItem, readDryRun } from '../writing/dryRun';
import { resultsOf } from '../writing/writtenItems';
import { findRecord, readNotFound } from '../reading/ifNotFound';
import { requestOptions } from '../requestOptions';
import { ifNotFoundOption } from '../../properties/ifNotFound';
import { dryRunOption } from '../../properties/writeOptions';

export const deleteRecord = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete record',
	description: 'Delete a record permanently',
	writes: true,
	properties: [
		cardLocator,
		recordLocator,
		recordOptions([dryRunOption, ifNotFoundOption, ...sendingOptions]),
	],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const request = requestOptions(options);
		const whenNotFound = readNotFound(options.ifNotFound);
		const dryRun = readDryRun(options.dryRun);
		const { text: id } = readLocator(get('recordId'), 'Record');
		const card = await run.cards.find(get('cardId'), request, true);
		const writer = run.openWriter(card, request, dryRun);
		const results =
			dryRun && resultsOf(run, writer.cardRun, await run.fields.of(card, request), {});
		return await run.turns
			.inItemOrder(itemIndex, writer, id, async () => {
				const record = results && (await findRecord(run, writer, id, writer.log));
				await writer.remove(id);
				if (results && record) results('deleted', record);
				if (dryRun) return [dryRunItem('delete', { id })];
				const item = { deleted: true, id };
				run.done.add('deleted', id, item);
				return [item];
			})
			.catch(whenNotFound);
	},
});
