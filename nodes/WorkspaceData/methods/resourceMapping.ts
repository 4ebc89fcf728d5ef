/** The fields that the field mapper shows. */
import type {
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';
import type { Field } from '../transport/api';
import { InputError } from '../values/inputError';
import { peekLocator } from '../records/locator';
import { unknownFieldsOption } from '../properties/writeOptions';
import {
	chosenCardFields,
	editorCall,
	fieldLabel,
	isExpression,
	savedKeys,
	savedMapping,
	whyNoFields,
} from './editorApi';

/** A field of the mapper. The editor saves the ID of the field with the mapping, as a hint. */
export interface MapperField extends ResourceMapperField {
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

/** Explains why there are no fields to map. */
const whyNoColumns = (context: ILoadOptionsFunctions): string =>
	isExpression(context)
		? `${whyNoFields(context)} Map automatically, or select the card from the list, map its fields, and enter the expression again.`
		: whyNoFields(context);

/** The fields of the selected card for the mapper. Keys are names. */
export const getColumns = editorCall(async (context): Promise<ResourceMapperFields> => {
	// A notice of the node asks for the card.
	if (!peekLocator(context.getCurrentNodeParameter('cardId'))) return { fields: [] };
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
