import {
	changedProperties,
	choicesProperty,
	customPropertiesProperty,
	fieldNameProperty,
	fieldOptionsProperty,
	fieldTypeProperty,
	PROPERTIES_TO_CHANGE,
} from '../../properties/fieldDefinition';
import { cardLocator, fieldLocator } from '../../properties/locators';
import { hold } from '../../records/heldCards';
import { fieldsOf } from '../../transport/api';
import { isChoice } from '../../values/choices';
import type { JsonObject } from '../../values/jsonObject';
import { addingChoices } from '../../values/newChoices';
import { defineOperation, eachItem } from '../operation/defineOperation';
import { thingOutput } from '../operation/thingOutput';
import { requireEntries } from '../operation/readParameters';
import { readDefinition } from './definition';
import { locateField } from './fieldLocator';

const choicesToAdd = {
	...choicesProperty,
	displayName: 'Choices to Add',
	description: 'More choices for a select field; the existing ones stay',
} as const;

export const updateField = defineOperation({
	value: 'update',
	name: 'Update',
	action: 'Update field',
	description: 'Change the name, type or choices of a field',
	writes: true,
	properties: [
		cardLocator,
		fieldLocator,
		changedProperties([
			choicesToAdd,
			customPropertiesProperty,
			{ ...fieldNameProperty, description: 'The new name' },
			{
				...fieldOptionsProperty,
				description: 'The new options as JSON; choices that are missing here are removed',
			},
			fieldTypeProperty,
		]),
	],
	execute: eachItem(async (run, get) => {
		const read = readDefinition(get('updateFields'), choicesToAdd.displayName);
		const { body: changes, choices } = read;
		if (choices.length === 0) requireEntries(changes, PROPERTIES_TO_CHANGE);
		const { card, field } = await locateField(run, get('cardId'), get('fieldId'));
		// The service's list is replaced, so executions that add choices take turns.
		const letGo = choices.length > 0 ? await hold(run.api, [card.id]) : () => {};
		try {
			const current = choices.length > 0 && (await run.fieldsAgain(card)).byId(field.id);
			const added = choices.filter((text) => current && !isChoice(current.options, text));
			if (current && added.length === 0 && Object.keys(changes).length === 0)
				return [thingOutput(current)];
			const body: JsonObject = {
				...changes,
				...(current && added.length > 0 && addingChoices(current, added)),
			};
			const changed = await run.api.change(fieldsOf(card.id), field.id, body);
			const item = changed ? thingOutput(changed) : { id: field.id, ...body };
			run.done.add('updated', field.id, item);
			return [item];
		} finally {
			letGo();
		}
	}),
});
