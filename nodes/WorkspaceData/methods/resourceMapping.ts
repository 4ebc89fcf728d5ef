/** The fields that the field mapper shows. */
import type {
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';
import { z } from 'zod/v3';
import type { Field } from '../transport/api';
import { InputError } from '../values/inputError';
import type { FieldIndex } from '../records/fieldIndex';
import { unknownFieldsOption } from '../properties/writeOptions';
import {
	chosenCard,
	chosenCardFields,
	editorCall,
	fieldLabel,
	isExpression,
	whyNoFields,
} from './editorApi';

/** A field of the mapper. The editor saves the ID of the field with the mapping, as a hint. */
interface MapperField extends ResourceMapperField {
	fieldId: string;
}

/** The editor keeps the last notice, and shows it below 'Map Automatically'. */
const AUTOMATIC_NOTICE = `To allow fields that the card doesn't have, add the option '${unknownFieldsOption.displayName}'.`;

/**
 * The choice that leaves a field empty, or clears it. It is an expression because the editor drops a choice
 * whose value is null. It is also offered for new records, because the editor doesn't reload the list when
 * the operation changes.
 */
const EMPTY: INodePropertyOptions = { name: 'Empty', value: '={{ null }}' };

function toMapperField(field: Field, key: string, liveKey: string): MapperField {
	const { type, options, hint, canMatch } = field.kind.input;
	const offered = options?.(field) ?? [];
	const name = fieldLabel(field, liveKey);
	return {
		id: key,
		displayName: `${name}${hint?.(field) ?? ''}`,
		fieldId: field.id,
		// A select without choices would offer an empty list.
		type: type === 'options' && offered.length === 0 ? 'string' : type,
		...(offered.length > 0 && { options: [...offered, EMPTY] }),
		required: false,
		defaultMatch: false,
		canBeUsedToMatch: canMatch,
		display: true,
	};
}

/** The current content of the mapper: the key and the field ID of each entry. */
const savedSchema = z.object({
	schema: z.array(z.object({ id: z.string(), fieldId: z.string().optional() })),
});

/** The fields that the node's mapper keeps. Empty for an operation without a mapper. */
const savedMapping = (context: ILoadOptionsFunctions) =>
	savedSchema.safeParse(context.getCurrentNodeParameter('columns')).data?.schema ?? [];

/**
 * Finds the keys under which saved mappings know fields that have been renamed since. The editor drops keys
 * that it doesn't find again, so such a field keeps its old key.
 *
 * @returns the old key by field ID
 */
function savedKeys(context: ILoadOptionsFunctions, index: FieldIndex): Map<string, string> {
	const live = new Set(index.fields.map((field) => index.savedKeyOf(field)));
	const keys = new Map<string, string>();
	for (const { id, fieldId = '' } of savedMapping(context)) {
		const field = live.has(id) ? undefined : index.byId(fieldId);
		if (field) keys.set(field.id, id);
	}
	return keys;
}

/** Explains why there are no fields to map. */
const whyNoColumns = (context: ILoadOptionsFunctions): string =>
	isExpression(context)
		? `${whyNoFields(context)} Map automatically, or select the card from the list, map its fields, and enter the expression again.`
		: whyNoFields(context);

/** The fields of the selected card for the mapper. Keys are names. */
export const getColumns = editorCall(async (context): Promise<ResourceMapperFields> => {
	// A notice of the node asks for the card.
	if (!chosenCard(context)) return { fields: [] };
	const index = await chosenCardFields(context).catch((error: unknown) => {
		// The editor drops the values of fields that aren't listed. An error keeps the mapping.
		if (error instanceof InputError && savedMapping(context).length === 0) return error;
		throw error;
	});
	if (index instanceof InputError) {
		const reason = [index.message, index.description].filter(Boolean).join('. ');
		return { fields: [], emptyFieldsNotice: reason };
	}
	const keys = savedKeys(context, index);
	const writable = index.fields.filter(({ isReadOnly }) => !isReadOnly);
	return {
		fields: writable.map((field) => {
			const liveKey = index.savedKeyOf(field);
			return toMapperField(field, keys.get(field.id) ?? liveKey, liveKey);
		}),
		emptyFieldsNotice: writable.length > 0 ? AUTOMATIC_NOTICE : whyNoColumns(context),
	};
});
