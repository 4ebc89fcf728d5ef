import {
	additionalProperties,
	cardDescriptionProperty,
	cardNameProperty,
	choicesTextProperty,
	customPropertiesProperty,
	fieldNameProperty,
	ifCardExistsProperty,
	offeredTypeProperty,
} from '../../properties/fieldDefinition';
import { addFields } from '../../records/addGrowth';
import type { ItemResult, NewField } from '../../records/entry';
import { whileHeld } from '../../records/heldCards';
import { addNote } from '../../records/hints';
import { cardCalled } from '../../records/locator';
import type { Run } from '../../records/run';
import { cards, type Card } from '../../transport/api';
import { RequestError } from '../../transport/errors';
import { InputError } from '../../values/inputError';
import type { JsonObject } from '../../values/json';
import { quote } from '../../values/messageText';
import { foldCase } from '../../values/nameSpelling';
import { defineOperation, eachChange } from '../operation/defineOperation';
import { hintAtNoChoices, readDefinition, readFieldList } from '../operation/readDefinition';
import { requireText } from '../operation/readParameters';
import { thingOutput, writtenOutput } from '../operation/thingOutput';

const cardFieldsProperty = {
	displayName: 'Fields',
	name: 'fields',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: 'Add Field',
	default: {},
	options: [
		{
			displayName: 'Field',
			name: 'values',
			values: [fieldNameProperty, offeredTypeProperty, choicesTextProperty],
		},
	],
	description: 'The fields of the card, created in this order after the card',
} as const;

export const createCard = defineOperation({
	value: 'create',
	name: 'Create',
	action: 'Create card',
	description: 'Create a card (table) with its fields',
	writes: true,
	properties: [
		cardNameProperty,
		cardFieldsProperty,
		additionalProperties([customPropertiesProperty, cardDescriptionProperty, ifCardExistsProperty]),
	],
	execute: eachChange(async (run, get) => {
		const { ifExists = 'create', ...entered } = get('additionalFields');
		const name = requireText(get('name'), cardNameProperty.displayName);
		const fields = readFieldList(get('fields').values, cardFieldsProperty.displayName, 'name');
		const body = { ...readDefinition(entered).body, name };
		const create = async ({ json }: ItemResult) => await createWithFields(run, body, fields, json);
		if (ifExists === 'create') return await Promise.resolve(create);
		// Two items or executions don't create it twice.
		return async (result) =>
			await whileHeld(run.api, [`card ${foldCase(name)}`], async () => {
				const existing = cardCalled(await run.api.list(cards), name.trim());
				if (existing && ifExists === 'error') throw exists(existing);
				if (existing) result.json.push(thingOutput(existing));
				else await create(result);
			});
	}),
});

const exists = ({ name }: Card): InputError =>
	new InputError(
		`A card called ${quote(name)} exists already`,
		"Nothing was changed. Enter another name, or select 'Reuse the Card' in 'If Card Exists'.",
	);

/** Creates a card, then its fields, in the order of the parameter. @param json receives the output */
async function createWithFields(
	run: Run,
	body: JsonObject & { name: string },
	fields: readonly NewField[],
	json: JsonObject[],
): Promise<void> {
	const card = await run.api.create(cards, body);
	json.push(writtenOutput(run, 'created', card, body));
	if (fields.length > 0) {
		const { id, name } = requireShown(card, body.name);
		await addFields(run, { id, name }, fields, {}).catch((error: unknown) => {
			addNote(error, `Card ${quote(name)} (${id}) exists now.`);
			throw error;
		});
	}
	for (const field of fields) hintAtNoChoices(run, field);
}

/** @throws RequestError if the response to its creation doesn't show a card */
export function requireShown(card: Card | undefined, name: string): Card {
	if (card) return card;
	throw new RequestError(`Card ${quote(name)} was created, but the service returned no ID for it`, {
		advice: 'Look for the card in the service before you run this again.',
		mayHaveHappened: true,
	});
}
