import {
	additionalProperties,
	choicesProperty,
	customPropertiesProperty,
	fieldNameProperty,
	fieldOptionsProperty,
	fieldTypeProperty,
	ifFieldExistsProperty,
} from '../../properties/fieldDefinition';
import { cardLocator } from '../../properties/locators';
import { noIdHint } from '../../transport/writeResponse';
import { readChoice, readJsonObject, requireText } from '../readParameters';
import { sendCreation } from '../../transport/writeRequests';
import { defineOperation } from '../operation';
import { readField, type Field } from '../../model/response/field';
import { InputError } from '../../values/inputError';
import type { JsonObject } from '../../model/response/jsonObject';
import { quote } from '../../values/messageText';
import { cleanName, foldCase, slugsOf } from '../../values/nameSpelling';
import { cardPath, listFields, type ReadOptions } from '../../transport/cardAndFieldListings';
import type { CardReference, Run } from '../run/run';
import { readFieldOptions } from './definition';
import { fieldsOf } from './fieldLocator';
import { unclearCreations } from '../run/acrossRuns';

export const createField = defineOperation({
	value: 'create',
	name: 'Create',
	action: 'Create field',
	description: 'Add a field (column) to a card',
	writes: true,
	properties: [
		cardLocator,
		{ ...fieldNameProperty, required: true },
		{ ...fieldTypeProperty, required: true },
		additionalProperties([
			choicesProperty,
			customPropertiesProperty,
			ifFieldExistsProperty,
			fieldOptionsProperty,
		]),
	],
	async execute({ run, get }) {
		const { customProperties, ifExists, ...entered } = get('additionalFields');
		const policy = readChoice(ifFieldExistsProperty, ifExists) ?? 'error';
		const name = cleanName(requireText(get('name'), 'Name'));
		const sent = {
			...readJsonObject(customProperties, 'Custom Properties'),
			name: requireText(name, 'Name'),
			type: requireText(get('type'), fieldTypeProperty.displayName),
			...readFieldOptions(entered),
		};
		const card = await run.cards.find(get('cardId'));
		// Executions take turns, so that two of them don't create it twice.
		return await run.turns.exclusively(fieldsOf(card), async () => {
			const known = policy === 'create' ? undefined : await run.fields.changed(card);
			const existing = known?.fields.find((field) => isCalled(field, name));
			if (existing && policy === 'error') throw exists(existing, card);
			const add = policy === 'create' ? addField : addNewField;
			const field = existing ?? (await add(run, card, sent));
			if (!field) run.messages.hint(noIdHint('field'));
			const item = field?.raw ?? sent;
			if (!existing) run.done.add('created', field?.id ?? '', item);
			return [item];
		});
	},
});

/** Returns true if a field has a name, which the service may store in another spelling. */
const isCalled = (field: Field, name: string): boolean =>
	foldCase(field.name) === foldCase(name) || slugsOf(name).includes(field.name);

const exists = ({ name }: Field, card: CardReference): InputError =>
	new InputError(
		`Card '${card.name}' has a field called ${quote(name)} already`,
		`Nothing was changed. Enter another name, or select 'Reuse the Field' in '${ifFieldExistsProperty.displayName}'.`,
	);

/**
 * Adds a field to a card that has none of its name. If the response isn't clear, the request isn't repeated: the listing
 * shows if the field was created.
 *
 * @returns undefined if the response has no ID, and the field isn't listed
 */
export async function addNewField(
	run: Run,
	card: CardReference,
	body: JsonObject & { name: string },
	request: ReadOptions = {},
): Promise<Field | undefined> {
	const { name } = body;
	const add = async () => await addField(run, card, body, request);
	const find = async () => {
		const now = await listFields(run.session, card.id, request);
		return now.find((field) => field.name === name);
	};
	const key = run.turns.address(`field ${foldCase(name)} of ${card.id}`);
	return await unclearCreations.creating(key, `Field ${quote(name)}`, add, find);
}

/** Adds a field to a card. @returns undefined if the response has no ID */
async function addField(
	{ session }: Run,
	card: CardReference,
	body: JsonObject,
	request: ReadOptions = {},
): Promise<Field | undefined> {
	const path = [...cardPath(card.id), 'fields'];
	// One at a time, so that fields are in the order of the items.
	return await sendCreation(session, 'field', readField, {
		...request,
		path,
		body,
		maxParallel: 1,
	});
}
