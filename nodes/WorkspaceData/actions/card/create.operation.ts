import {
	additionalProperties,
	cardDescriptionProperty,
	cardFieldsProperty,
	cardNameProperty,
	customPropertiesProperty,
	ifCardExistsProperty,
} from '../../properties/fieldDefinition';
import { hold } from '../../records/heldCards';
import { addNote } from '../../records/hints';
import { cardsOfName, findCardByName } from '../../records/locator';
import type { Run } from '../../records/run';
import { cards, fieldsOf, type Card } from '../../transport/api';
import { mayHaveHappened, RequestError } from '../../transport/errors';
import { InputError } from '../../values/inputError';
import type { JsonObject } from '../../values/jsonObject';
import { listedInQuotes, quote } from '../../values/messageText';
import { foldCase } from '../../values/nameSpelling';
import { hintAtNoChoices, readFieldList, type DefinedField } from '../field/definition';
import { defineOperation, eachItem } from '../operation';
import { hintAtNoId, thingOutput } from '../outputItems';
import { readChoice, readJsonObject, readText, requireText } from '../readParameters';

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
		const { description, customProperties, ifExists } = get('additionalFields');
		const policy = readChoice(ifCardExistsProperty, ifExists) ?? 'create';
		const name = requireText(get('name'), cardNameProperty.displayName);
		const fields = readFieldList(get('fields'));
		const body = {
			...readJsonObject(customProperties, customPropertiesProperty.displayName),
			name,
			...(description !== undefined && {
				description: readText(description, cardDescriptionProperty.displayName),
			}),
		};
		if (policy === 'create') return [await createWithFields(run, body, fields)];
		// Two items or executions don't create it twice.
		const letGo = await hold(run.api, [`card ${foldCase(name)}`]);
		try {
			const existing = existingCard(await run.api.list(cards), name, policy, REFUSED);
			return [existing ? thingOutput(existing) : await createWithFields(run, body, fields)];
		} finally {
			letGo();
		}
	}),
});

const REFUSED =
	"Nothing was changed. Enter another name, or select 'Reuse the Card' in 'If Card Exists'.";

/**
 * Finds the card with a name.
 *
 * @param advice what to do if it must not exist
 * @returns undefined if there is none
 * @throws InputError if it exists but must not, or if several cards have the name
 */
export function existingCard(
	listed: readonly Card[],
	name: string,
	policy: 'reuse' | 'error',
	advice: string,
): Card | undefined {
	const [found] = cardsOfName(listed, name.trim());
	if (!found || policy === 'reuse') return found && findCardByName(listed, name.trim());
	throw new InputError(`A card called ${quote(found.name)} exists already`, advice);
}

/** Creates a card, then its fields, in the order of the parameter. @returns the card's item */
async function createWithFields(
	run: Run,
	body: JsonObject & { name: string },
	fields: readonly DefinedField[],
): Promise<JsonObject> {
	const card = await run.api.create(cards, body);
	const item = card ? thingOutput(card) : body;
	run.done.add('created', card?.id ?? '', item);
	if (card) await createFields(run, card, fields);
	else if (fields.length === 0) hintAtNoId(run, 'card');
	else {
		throw new RequestError(
			`Card ${quote(body.name)} was created, but the service returned no ID for it`,
			{
				mayHaveHappened: true,
				advice:
					"Its fields weren't created. Look for the card in the service, and add them with Field > Create.",
			},
		);
	}
	return item;
}

/** @throws what stopped it; its description says what exists now */
async function createFields(
	run: Run,
	{ id, name }: Card,
	fields: readonly DefinedField[],
): Promise<void> {
	const quoted = (some: readonly DefinedField[]) =>
		listedInQuotes(
			some.map((field) => field.name),
			Infinity,
		);
	for (const [place, field] of fields.entries()) {
		const { choices, ...named } = field;
		const body = { ...named, ...(choices.length > 0 && { options: choices }) };
		try {
			await run.api.create(fieldsOf(id), body);
		} catch (error) {
			const made = fields.slice(0, place);
			const left = fields.slice(place + Number(mayHaveHappened(error)));
			const withFields = made.length > 0 ? ` with the fields ${quoted(made)}` : '';
			addNote(error, `Card ${quote(name)} (${id}) exists now${withFields}.`);
			if (left.length > 0) addNote(error, `Not created: ${quoted(left)}.`);
			throw error;
		}
		hintAtNoChoices(run, field);
	}
}
