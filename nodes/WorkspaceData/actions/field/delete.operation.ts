import { cardLocator, fieldLocator } from '../../properties/locators';
import { defineOperation } from '../operation';
import { countUse, dryRunItem, readDryRun } from '../writing/dryRun';
import { fieldPath, locateField } from './fieldLocator';
import { sendDeletion } from '../../transport/writeRequests';
import { dryRunProperty } from '../../properties/writeOptions';

export const deleteField = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete field',
	description: 'Delete a field and its values in all records permanently',
	writes: true,
	properties: [cardLocator, fieldLocator, dryRunProperty],
	async execute({ run, get }) {
		const isDry = readDryRun(get('dryRun'));
		const { card, field } = await locateField(run, get('cardId'), get('fieldId'), true);
		if (isDry) {
			const { values } = await countUse(run, card, field);
			const { id, name, type } = field;
			return [dryRunItem('delete', { name, type, values, id })];
		}
		await sendDeletion(run.session, 'field', { path: fieldPath(card.id, field.id) });
		const item = { deleted: true, id: field.id };
		run.done.add('deleted', field.id, item);
		return [item];
	},
});
