import { settingChoices } from '../../model/value/newChoices';
import { readField, type Field } from '../../model/answer/field';
import type { JsonObject } from '../../model/answer/shapes';
import {
	choicesProperty,
	customPropertiesProperty,
	fieldOptionsProperty,
	fieldTypeProperty,
} from '../../ui/fieldDefinition';
import { cardLocator, fieldLocator } from '../../ui/locators';
import { readJsonObject, requireEntries, requireText } from '../readParameters';
import { defineOperation } from '../operation';
import type { CardReference, Run } from '../run/run';
import { readDryRun, countUse } from '../writing/dryRun';
import { readFieldOptions } from './create.operation';
import { fieldPath, locateField } from './fieldLocator';
import { assertDone } from '../../transport/writeAnswer';
import { dryRunProperty } from '../../ui/writeOptions';

/** What a field would become, and the choices that would be lost, with the records that have them. */
async function previewUpdate(
	run: Run,
	card: CardReference,
	field: Field,
	sent: JsonObject,
): Promise<JsonObject> {
	const changed = readField({ ...field.raw, ...sent }) ?? field;
	const kept = new Set(changed.options.map(({ label }) => label));
	const removed = field.options.map(({ label }) => label).filter((label) => !kept.has(label));
	const { values, choices } = await countUse(run, card, field, removed);
	const shown = ({ name, type, options }: Field): JsonObject => ({
		name,
		type,
		choices: options.map(({ label }) => label),
	});
	return {
		dry_run: true,
		action: 'update',
		id: field.id,
		before: { ...shown(field), values },
		after: shown(changed),
		removed_choices: choices,
	};
}

export const updateField = defineOperation({
	value: 'update',
	name: 'Update',
	action: 'Update a field',
	description: 'Change the name, type or options of a field',
	writes: true,
	properties: [
		cardLocator,
		fieldLocator,
		{
			displayName: 'Update Fields',
			name: 'updateFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: [
				choicesProperty,
				customPropertiesProperty,
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. Status',
					description: 'The new name',
				},
				fieldOptionsProperty,
				fieldTypeProperty,
			],
		},
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
		requireEntries({ ...changes, ...readFieldOptions(entered) }, 'Update Fields');
		const { card, field } = await locateField(run, get('cardId'), get('fieldId'));
		const shape = (texts: string[]) => settingChoices(field, texts);
		const sent = { ...changes, ...readFieldOptions(entered, shape, field.options) };
		if (isDry) return [await previewUpdate(run, card, field, sent)];
		const { body } = await run.api.request({
			method: 'PATCH',
			path: fieldPath(card.id, field.id),
			body: sent,
		});
		assertDone(body, 'field', 'changed');
		return [readField(body)?.raw ?? { id: field.id, ...sent }];
	},
});
