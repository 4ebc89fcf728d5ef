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
import { hold } from '../../records/heldCards';
import type { CardReference, Run } from '../../records/run';
import { fieldsOf, type Field } from '../../transport/api';
import { InputError } from '../../values/inputError';
import { quote } from '../../values/messageText';
import { cleanName, foldCase } from '../../values/nameSpelling';
import { defineOperation, eachItem } from '../operation/defineOperation';
import { hintAtNoId, thingOutput } from '../operation/thingOutput';
import { requireText } from '../operation/readParameters';
import { hintAtNoChoices, readDefinition } from './definition';

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
		choicesProperty,
		additionalProperties([customPropertiesProperty, ifFieldExistsProperty, fieldOptionsProperty]),
	],
	execute: eachItem(async (run, get) => {
		const { ifExists, ...entered } = get('additionalFields');
		const policy = ifExists ?? 'error';
		const name = cleanName(requireText(get('name'), fieldNameProperty.displayName));
		const type = get('type');
		const read = readDefinition({ ...entered, name, type, choices: get('choices') });
		const body = { ...(read.choices.length > 0 && { options: read.choices }), ...read.body };
		const card = await run.findCard(get('cardId'));
		// One after the other: fields stand in the order of the items, and no two executions create the same.
		const letGo = await hold(run.api, [card.id]);
		try {
			const existing = policy !== 'create' && (await existingField(run, card, name, policy));
			if (existing) return [thingOutput(existing)];
			const field = await run.api.create(fieldsOf(card.id), body);
			if (!field) hintAtNoId(run, 'field');
			if (!('options' in body)) hintAtNoChoices(run, { name, type, choices: [] });
			const item = field ? thingOutput(field) : body;
			run.done.add('created', field?.id ?? '', item);
			return [item];
		} finally {
			letGo();
		}
	}),
});

/** @throws InputError if the field exists but must not */
async function existingField(
	run: Run,
	card: CardReference,
	name: string,
	policy: 'reuse' | 'error',
): Promise<Field | undefined> {
	const { fields } = await run.fieldsAgain(card);
	const found = fields.find((field) => foldCase(field.name) === foldCase(name));
	if (!found || policy === 'reuse') return found;
	throw new InputError(
		`Card '${card.name}' has a field called ${quote(found.name)} already`,
		`Nothing was changed. Enter another name, or select 'Reuse the Field' in '${ifFieldExistsProperty.displayName}'.`,
	);
}
