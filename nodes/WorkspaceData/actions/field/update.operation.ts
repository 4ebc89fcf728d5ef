import { settingChoices } from '../../values/newChoices';
import { readField, type Field } from '../../model/response/field';
import type { FieldOption } from '../../model/response/choiceList';
import type { JsonObject } from '../../model/response/jsonObject';
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
import { readJsonObject, requireEntries, requireText } from '../readParameters';
import { defineOperation } from '../operation';
import type { CardReference, Run } from '../run/run';
import { countUse, dryRunItem, readDryRun } from '../writing/dryRun';
import { readFieldOptions } from './definition';
import { fieldPath, fieldsOf, locateField } from './fieldLocator';
import { sendChange } from '../../transport/writeRequests';
import { dryRunProperty } from '../../properties/writeOptions';

/** The labels of choices that a changed field no longer has, compared by ID and by label. */
function removedChoices({ options }: Field, changed: Field): string[] {
	const kept = new Set(
		changed.options.flatMap(({ identifiers, labels }) => [...identifiers.map(String), ...labels]),
	);
	const isKept = ({ identifiers, label }: FieldOption) =>
		kept.has(label) || identifiers.some((identifier) => kept.has(String(identifier)));
	return options.filter((option) => !isKept(option)).map(({ label }) => label);
}

/** Previews an update: the changed field, the lost choices, and the number of records that use them. */
async function previewUpdate(
	run: Run,
	card: CardReference,
	field: Field,
	sent: JsonObject,
): Promise<JsonObject> {
	const changed = readField({ ...field.raw, ...sent }) ?? field;
	const removed = removedChoices(field, changed);
	const { values, choices } = await countUse(run, card, field, removed);
	const shown = ({ name, type, options }: Field) => ({
		name,
		type,
		choices: options.map(({ label }) => label),
	});
	const [from, to] = [shown(field), shown(changed)];
	const differing = (['name', 'type', 'choices'] as const).filter(
		(key) => JSON.stringify(from[key]) !== JSON.stringify(to[key]),
	);
	const changes = differing.map((key) => [key, { from: from[key], to: to[key] }] as const);
	return dryRunItem('update', {
		changes: Object.fromEntries(changes),
		...to,
		values,
		removed_choices: choices,
		id: field.id,
	});
}

export const updateField = defineOperation({
	value: 'update',
	name: 'Update',
	action: 'Update field',
	description: 'Change the name, type or options of a field',
	writes: true,
	properties: [
		cardLocator,
		fieldLocator,
		changedProperties([
			choicesProperty,
			customPropertiesProperty,
			{ ...fieldNameProperty, description: 'The new name' },
			fieldOptionsProperty,
			fieldTypeProperty,
		]),
		dryRunProperty,
	],
	async execute({ run, get }) {
		const isDry = readDryRun(get('dryRun'));
		const { name, type, customProperties, ...entered } = get('updateFields');
		const changes = {
			...readJsonObject(customProperties, 'Custom Properties'),
			...(name !== undefined && { name: requireText(name, 'Name') }),
			...(type !== undefined && { type: requireText(type, fieldTypeProperty.displayName) }),
		};
		requireEntries({ ...changes, ...readFieldOptions(entered) }, PROPERTIES_TO_CHANGE);
		const { card, field } = await locateField(run, get('cardId'), get('fieldId'));
		const bodyFor = (current: Field) => {
			// Another execution has added these choices since, so its records may use them.
			const since = removedChoices(current, field);
			const shape = (texts: string[]) =>
				settingChoices(current, [...new Set([...texts, ...since])]);
			return { ...changes, ...readFieldOptions(entered, shape, field.options) };
		};
		if (isDry) return [await previewUpdate(run, card, field, bodyFor(field))];
		const send = async (body: JsonObject): Promise<JsonObject[]> => {
			const path = fieldPath(card.id, field.id);
			const response = await sendChange(run.session, 'field', { path, body });
			// A response may show the ID alone.
			const item = readField(response)?.raw ?? { id: field.id, ...body };
			run.done.add('updated', field.id, item);
			return [item];
		};
		if (Object.keys(readFieldOptions(entered)).length === 0) return await send(changes);
		// The update replaces the list, so executions that add choices take turns.
		return await run.turns.exclusively(fieldsOf(card), async () => {
			const current = (await run.fields.changed(card)).byId(field.id) ?? field;
			return await send(bodyFor(current));
		});
	},
});
