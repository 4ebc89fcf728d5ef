import type {
	FieldType,
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';
import { z } from 'zod/v3';
import { quoteChoice } from '../model/value/choiceText';
import type { Field } from '../model/answer/field';
import type { FieldIndex } from '../model/fieldIndex';
import { peekLocator, type LocatorReading } from '../model/locator';
import { chosenCardFields, forEditor } from './editorApi';

/** The editor's input for each kind of field; text for all others. */
const INPUT_TYPES = new Map<string, FieldType>([
	['number', 'number'],
	// n8n's own toggle stores `false` when nobody touched it; a choice stores nothing.
	['boolean', 'options'],
	['date', 'dateTime'],
	['datetime', 'dateTime'],
	['choice', 'options'],
	// Text: n8n's input for lists is a JSON editor.
	['choices', 'string'],
	['json', 'object'],
]);

/** Kinds of fields whose values are lists or objects, by which no record is found. */
const UNMATCHABLE = ['choices', 'json'];

/** Characters that the choices take up in a label. */
const MAX_CHOICES_SHOWN = 60;

/** A field of the mapper. The editor keeps id and name of the field with the mapping, as hints. */
export interface MapperField extends ResourceMapperField {
	fieldId: string;
	/** The label may say more than the name. */
	fieldName: string;
}

/** The content of the mapper now: the key, the name and the field id of each entry. */
const savedSchema = z.object({
	schema: z.array(
		z.object({
			id: z.string(),
			displayName: z.string().optional(),
			fieldId: z.string().optional(),
			fieldName: z.string().optional(),
		}),
	),
});

type SavedEntry = z.infer<typeof savedSchema>['schema'][number];

/**
 * Keys under which saved mappings know fields that have been renamed since. The editor drops keys that it
 * does not find again, so such a field keeps its old key.
 */
function savedKeys(saved: readonly SavedEntry[], index: FieldIndex): Map<string, string> {
	const live = new Set(index.fields.map((field) => index.keyOf(field)));
	const keys = new Map<string, string>();
	for (const { id, fieldId, fieldName, displayName } of saved) {
		if (live.has(id)) continue;
		const field =
			(fieldId === undefined ? undefined : index.byId(fieldId)) ??
			index.fields.find(({ name }) => name === (fieldName ?? displayName));
		if (field) keys.set(field.id, id);
	}
	return keys;
}

/** The choices that the editor offers; none where any text may be entered. */
function choicesOf({ kind, options }: Field): INodePropertyOptions[] {
	if (kind === 'boolean') {
		return [
			{ name: 'True', value: true },
			{ name: 'False', value: false },
		];
	}
	return options.map(({ label }) => ({ name: label, value: label }));
}

/** Which choices there are, written as several are entered, as far as a label has room. */
function choicesHint({ options }: Field): string {
	const quoted = options.map(({ label }) => quoteChoice(label));
	let shown = 0;
	let length = 0;
	for (const choice of quoted) {
		length += choice.length + 2;
		if (length > MAX_CHOICES_SHOWN) break;
		shown += 1;
	}
	const choices = quoted.slice(0, shown).join(', ');
	const more = shown < quoted.length ? ', …' : '';
	return shown > 0 ? ` (${choices}${more})` : ' (comma-separated)';
}

function toMapperField(field: Field, key: string, liveKey: string): MapperField {
	const inputType = INPUT_TYPES.get(field.kind) ?? 'string';
	const choices = inputType === 'options' ? choicesOf(field) : [];
	const name = liveKey === field.name ? field.name : `${field.name} (${field.id})`;
	return {
		id: key,
		displayName: field.kind === 'choices' ? `${name}${choicesHint(field)}` : name,
		fieldId: field.id,
		fieldName: field.name,
		// A select without choices would be a list that offers nothing.
		type: inputType === 'options' && choices.length === 0 ? 'string' : inputType,
		...(choices.length > 0 && { options: choices }),
		required: false,
		defaultMatch: false,
		canBeUsedToMatch: !UNMATCHABLE.includes(field.kind),
		display: true,
	};
}

/** The advice to show when there is nothing to map. */
function whyNoFields(card: LocatorReading | undefined): string {
	if (!card) return 'Choose a card to see its fields.';
	if (card.text.startsWith('=')) {
		return 'The editor cannot list fields while an expression chooses the card. Choose the card from the list, map its fields, then enter the expression again; or map automatically.';
	}
	return 'The card has no fields yet. Add fields, then refresh the field list.';
}

/** The fields of the chosen card for the mapper; keys are names. */
export async function getColumns(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	return await forEditor(this, async () => {
		const index = await chosenCardFields(this);
		const saved = savedSchema.safeParse(this.getCurrentNodeParameter('columns'));
		const keys = savedKeys(saved.success ? saved.data.schema : [], index);
		return {
			fields: index.fields.map((field) => {
				const liveKey = index.keyOf(field);
				return toMapperField(field, keys.get(field.id) ?? liveKey, liveKey);
			}),
			...(index.fields.length === 0 && {
				emptyFieldsNotice: whyNoFields(peekLocator(this.getCurrentNodeParameter('cardId'))),
			}),
		};
	});
}
