import {
	additionalProperties,
	cardDescriptionProperty,
	cardFieldsProperty,
	cardNameProperty,
	customPropertiesProperty,
	ifCardExistsProperty,
} from '../../properties/fieldDefinition';
import { addFields } from '../../records/addGrowth';
import { hold } from '../../records/heldCards';
import { addNote } from '../../records/hints';
import { cardCalled } from '../../records/locator';
import type { Run } from '../../records/run';
import { cards, type Card } from '../../transport/api';
import { RequestError } from '../../transport/errors';
import { InputError } from '../../values/inputError';
import type { JsonObject } from '../../values/jsonObject';
import { quote } from '../../values/messageText';
import { foldCase } from '../../values/nameSpelling';
import {
	hintAtNoChoices,
	readDefinition,
	readFieldList,
	type DefinedField,
} from '../field/definition';
import { defineOperation, eachItem } from '../operation/defineOperation';
import { hintAtNoId, thingOutput } from '../operation/thingOutput';
import { requireText } from '../operation/readParameters';

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
	execute: eachItem(async (run, get) => {
		const { ifExists, ...entered } = get('additionalFields');
		const policy = ifExists ?? 'create';
		const name = requireText(get('name'), cardNameProperty.displayName);
		const words = { word: 'field', key: 'name' } as const;
		const fields = readFieldList(get('fields').values ?? [], cardFieldsProperty.displayName, words);
		const body = { ...readDefinition(entered).body, name };
		if (policy === 'create') return [await createWithFields(run, body, fields)];
		// Two items or executions don't create it twice.
		const letGo = await hold(run.api, [`card ${foldCase(name)}`]);
		try {
			const existing = cardCalled(await run.api.list(cards), name.trim());
			if (existing && policy === 'error') throw exists(existing);
			return [existing ? thingOutput(existing) : await createWithFields(run, body, fields)];
		} finally {
			letGo();
		}
	}),
});

const exists = ({ name }: Card): InputError =>
	new InputError(
		`A card called ${quote(name)} exists already`,
		"Nothing was changed. Enter another name, or select 'Reuse the Card' in 'If Card Exists'.",
	);

/** Creates a card, then its fields, in the order of the parameter. @returns the card's item */
async function createWithFields(
	run: Run,
	body: JsonObject & { name: string },
	fields: readonly DefinedField[],
): Promise<JsonObject> {
	const card = await run.api.create(cards, body);
	const item = card ? thingOutput(card) : body;
	run.done.add('created', card?.id ?? '', item);
	if (!card && fields.length > 0) throw withoutId(body.name, 'add its fields with Field > Create');
	if (!card) hintAtNoId(run, 'card');
	else {
		const planned = fields.map((field) => ({ ...field, why: '' }));
		await addFields(run, card, planned, {}).catch((error: unknown) => {
			addNote(error, `Card ${quote(card.name)} (${card.id}) exists now.`);
			throw error;
		});
	}
	for (const field of fields) hintAtNoChoices(run, field);
	return item;
}

/** @param toDo what to do with the card */
export const withoutId = (name: string, toDo: string): RequestError =>
	new RequestError(`Card ${quote(name)} was created, but the service returned no ID for it`, {
		mayHaveHappened: true,
		advice: `Look for the card in the service, and ${toDo}.`,
	});
