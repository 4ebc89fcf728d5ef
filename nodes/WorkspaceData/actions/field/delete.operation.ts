import { cardLocator, fieldLocator } from '../../properties/locators';
import { fieldsOf } from '../../transport/api';
import { defineOperation, eachChange } from '../operation/defineOperation';
import { writtenOutput } from '../operation/thingOutput';
import { locateField } from './fieldLocator';

export const deleteField = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete field',
	description: 'Delete a field and its values in all records permanently',
	writes: true,
	properties: [cardLocator, fieldLocator],
	execute: eachChange(async (run, get) => {
		const { card, field } = await locateField(run, get('cardId'), get('fieldId'), true);
		return async ({ json }) => {
			await run.api.remove(fieldsOf(card.id), field.id);
			json.push(writtenOutput(run, 'deleted', undefined, { deleted: true, id: field.id }));
		};
	}),
});
