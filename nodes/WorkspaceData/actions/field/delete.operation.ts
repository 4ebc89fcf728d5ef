import { assertDone } from '../../transport/failure/failures';
import { cardLocator, fieldLocator } from '../../ui/locators';
import { defineOperation } from '../operation';
import { fieldPath, locateExactField } from './fieldLocator';

export const deleteField = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete a field',
	description: 'Delete a field and its values in all records',
	writes: true,
	properties: [cardLocator, fieldLocator],
	async execute({ run, get }) {
		const { card, field } = await locateExactField(run, get('cardId'), get('fieldId'));
		const path = fieldPath(card.id, field.id);
		const { body } = await run.api.request({ method: 'DELETE', path, deletes: 'field' });
		assertDone(body, 'field', 'deleted');
		return [{ deleted: true, id: field.id }];
	},
});
