import { readLocator } from '../../model/locator';
import { cardLocator, recordLocator } from '../../ui/locators';
import { recordOptions, sendingOptions } from '../../ui/recordOptions';
import { defineOperation } from '../operation';
import { dryRunItem, readDryRun } from '../writing/dryRun';
import { resultsOf } from '../writing/results';
import { findRecord, readNotFound } from '../reading/ifNotFound';
import { requestOptions } from '../requestOptions';
import { createWriter } from '../writing/writer';
import { ifNotFoundOption } from '../../ui/ifNotFound';
import { dryRunOption } from '../../ui/writeOptions';

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
		const writer = createWriter(run, card, request, dryRun);
		const results = dryRun && resultsOf(run, writer, await run.fields.of(card, request), {});
		return await run.writes
			.inItemOrder(itemIndex, writer, id, async () => {
				// Requested before the records are listed.
				const view = results && run.writes.view(writer);
				const record = view && (await findRecord(run, { card, request }, id, view));
				await run.writes.remove(writer, id);
				if (results && record) results('deleted', record);
				return [dryRun ? dryRunItem('delete', { id }) : { deleted: true, id }];
			})
			.catch(whenNotFound);
	},
});
