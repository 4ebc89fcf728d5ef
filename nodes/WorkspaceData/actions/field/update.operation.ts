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
import { whileHeld } from '../../records/heldCards';
import { fieldsOf } from '../../transport/api';
import { addingChoices, isChoice } from '../../values/choices';
import type { JsonObject } from '../../values/json';
import { defineOperation, eachChange } from '../operation/defineOperation';
import { readDefinition } from '../operation/readDefinition';
import { requireEntries } from '../operation/readParameters';
import { thingOutput, writtenOutput } from '../operation/thingOutput';
import { locateField } from './fieldLocator';

const choicesToAdd = {
	...choicesProperty,
	displayName: 'Choices to Add',
	description: 'More choices for a select field, one per box; the existing ones stay',
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
	execute: eachChange(async (run, get) => {
		const read = readDefinition(get('updateFields'), choicesToAdd.displayName);
		const { body, choices } = read;
		if (choices.length === 0) requireEntries(body, PROPERTIES_TO_CHANGE);
		const { card, field } = await locateField(run, get('cardId'), get('fieldId'));
		// The service's list is replaced, so executions that add choices take turns.
		const changeField = async (): Promise<JsonObject> => {
			const current = choices.length > 0 ? (await run.fieldsAgain(card)).byId(field.id) : undefined;
			const added = choices.filter((text) => current && !isChoice(current.options, text));
			if (current && added.length > 0) Object.assign(body, addingChoices(current, added));
			if (current && Object.keys(body).length === 0) return thingOutput(current);
			const changed = await run.api.change(fieldsOf(card.id), field.id, body);
			return writtenOutput(run, 'updated', changed, { id: field.id, ...body });
		};
		const held = choices.length > 0 ? [card.id] : [];
		return async ({ json }) => json.push(await whileHeld(run.api, held, changeField));
	}),
});
