import { cardPath, getCard } from '../../transport/cardAndFieldListings';
import { cardLocator } from '../../properties/locators';
import { scanRecords } from '../reading/scan';
import { dryRunItem, readDryRun } from '../writing/dryRun';
import { defineOperation } from '../operation';
import { sendDeletion } from '../../transport/writeRequests';
import { dryRunProperty } from '../../properties/writeOptions';

export const deleteCard = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete card',
	description: 'Delete a card with its fields and records permanently',
	writes: true,
	properties: [cardLocator, dryRunProperty],
	async execute({ run, get }) {
		const isDry = readDryRun(get('dryRun'));
		const card = await run.cards.find(get('cardId'), {}, true);
		const { id } = card;
		if (isDry) {
			const { name } = await getCard(run.session, id);
			const { fields } = await run.fields.of(card);
			const records = await scanRecords(run, run.records.of(card, Infinity), () => {}, true);
			return [dryRunItem('delete', { name, fields: fields.length, records, id })];
		}
		await sendDeletion(run.session, 'card', { path: cardPath(id) });
		const item = { deleted: true, id };
		run.done.add('deleted', id, item);
		return [item];
	},
});
