import { readLocator } from '../../model/locator';
import { assertOwnAnswer } from '../../transport/failures';
import { cardLocator, fieldLocator } from '../../ui/locators';
import { defineOperation } from '../operation';
import { fieldPath, locateField } from './fieldLocator';

export const deleteField = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete a field',
	description: 'Delete a field with the values that records hold in it',
	writes: true,
	properties: [cardLocator, fieldLocator],
	async execute({ run, get }) {
		const locator = readLocator(get('fieldId'), 'Field');
		const card = await run.card(get('cardId'));
		const { id } = await locateField(run, card, locator);
		const { body } = await run.api.request({ method: 'DELETE', path: fieldPath(card.id, id) });
		assertOwnAnswer(body, 'field', 'deleted');
		return [{ deleted: true, id }];
	},
});
