import type {
	FieldType,
	ILoadOptionsFunctions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';
import { z } from 'zod';
import type { Field } from '../model/field';
import type { FieldIndex } from '../model/fieldResolution';
import { chosenCardFields, forEditor } from './editorApi';

/** The editor's input for each known field type; text for all others. */
const INPUT_TYPES = new Map<string, FieldType>([
	['number', 'number'],
	['boolean', 'boolean'],
	['date', 'dateTime'],
	['datetime', 'dateTime'],
	['single_select', 'options'],
	['multi_select', 'array'],
	['json', 'object'],
]);

/** A field of the mapper. The editor keeps `fieldId` with the mapping, as a hint. */
export interface MapperField extends ResourceMapperField {
	fieldId: string;
}

/** What the mapper holds now: the key, the name and the field id of each entry. */
const savedSchema = z.object({
	schema: z.array(
		z.object({
			id: z.string(),
			displayName: z.string().optional(),
			fieldId: z.string().optional(),
		}),
	),
});

type SavedEntry = z.infer<typeof savedSchema>['schema'][number];

/**
 * Keys under which saved mappings know fields that have been renamed since. The editor drops what it
 * does not find again, so such a field keeps its old key.
 */
function savedKeys(saved: readonly SavedEntry[], index: FieldIndex): Map<string, string> {
	const live = new Set(index.fields.map((field) => index.keyOf(field)));
	const keys = new Map<string, string>();
	for (const { id, fieldId, displayName } of saved) {
		if (live.has(id)) continue;
		const field =
			(fieldId === undefined ? undefined : index.byId(fieldId)) ??
			index.fields.find(({ name }) => name === displayName);
		if (field) keys.set(field.id, id);
	}
	return keys;
}

function toMapperField(field: Field, key: string, displayName: string): MapperField {
	const type = INPUT_TYPES.get(field.type) ?? 'string';
	const isSelect = type === 'options';
	return {
		id: key,
		displayName,
		fieldId: field.id,
		// A select without choices would be a list that offers nothing.
		type: isSelect && field.options.length === 0 ? 'string' : type,
		...(isSelect &&
			field.options.length > 0 && {
				options: field.options.map(({ label }) => ({ name: label, value: label })),
			}),
		required: false,
		defaultMatch: false,
		canBeUsedToMatch: type !== 'array' && type !== 'object',
		display: true,
	};
}

/** The fields of the chosen card for the mapper; keys are names. */
export async function getColumns(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	return await forEditor(this, async () => {
		const index = await chosenCardFields(this);
		const saved = savedSchema.safeParse(this.getCurrentNodeParameter('columns'));
		const keys = savedKeys(saved.success ? saved.data.schema : [], index);
		return {
			fields: index.fields.map((field) => {
				const key = index.keyOf(field);
				const displayName = key === field.name ? field.name : `${field.name} (${field.id})`;
				return toMapperField(field, keys.get(field.id) ?? key, displayName);
			}),
			...(index.fields.length === 0 && {
				emptyFieldsNotice: 'The card has no fields yet, or no card is chosen.',
			}),
		};
	});
}
