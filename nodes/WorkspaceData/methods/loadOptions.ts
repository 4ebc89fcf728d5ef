/** The entries of drop-down lists: field types, fields and conditions. */
import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import type { FieldIndex } from '../records/fieldIndex';
import { readFieldTypes } from '../records/fieldTypes';
import { OWN_VALUES } from '../records/ownValues';
import { fieldsOf, type Field } from '../transport/api';
import { toNodeError } from '../transport/nodeError';
import { CONDITION_OPTIONS } from '../properties/filters';
import {
	comparedField,
	chosenCardFields,
	chosenCardId,
	EDITOR_READ,
	editorCall,
	fieldLabel,
	openEditorApi,
	typeName,
	whyNoFields,
} from './editorApi';

/**
 * The field types from the service's description; if it names none, the types of the selected card's fields.
 *
 * @see service interface, part 2: the allowed types are not shown
 */
export const getFieldTypes = editorCall(async (context): Promise<INodePropertyOptions[]> => {
	const api = await openEditorApi(context);
	const described = await readFieldTypes(api, EDITOR_READ);
	const cardId = described.length > 0 ? undefined : await chosenCardId(context, api);
	const fields = cardId === undefined ? [] : await api.list(fieldsOf(cardId), EDITOR_READ);
	const types = new Set([...described, ...fields.map(({ type }) => type)]);
	return [...types].sort().map((type) => ({ name: typeName(type), value: type }));
});

/** The fields of the selected card, or a sentence that explains why there are none to select. */
async function fieldsOrReason(context: ILoadOptionsFunctions): Promise<FieldIndex | string> {
	try {
		const index = await chosenCardFields(context);
		return index.fields.length > 0 ? index : whyNoFields(context);
	} catch (error) {
		return `No fields: ${toNodeError(context.getNode(), error).message}`;
	}
}

/** Like `fieldLabel`, with the type, because a list shows nothing else. */
function typedLabel(field: Field, key: string): string {
	const label = fieldLabel(field, key);
	return label === field.name && field.type ? `${label} (${typeName(field.type)})` : label;
}

/**
 * The fields of the selected card by name, or by ID if two have the same name. If there are none, the
 * reason.
 */
export const getFieldNames = editorCall(async (context): Promise<INodePropertyOptions[]> => {
	const index = await fieldsOrReason(context);
	if (typeof index === 'string') return [{ name: index, value: '' }];
	return index.fields.map((field) => {
		const key = index.savedKeyOf(field);
		return { name: typedLabel(field, key), value: key };
	});
});

/** The value of a new condition. Without an entry for it, the editor shows the condition in red at once. */
const NOTHING_CHOSEN: INodePropertyOptions = { name: 'Select a Field…', value: '' };

/** The entries that 'Get Many' can filter by: the fields, and the record's own properties. */
export const getFilterFields = editorCall(async (context): Promise<INodePropertyOptions[]> => {
	const index = await fieldsOrReason(context);
	const own = [...OWN_VALUES].map(([value, { field }]) => ({
		name: `${field.name} (Record)`,
		value,
	}));
	if (typeof index === 'string') return [{ name: index, value: '' }, ...own];
	const fields = index.fields.map((field) => {
		const key = OWN_VALUES.has(field.name) ? field.id : index.savedKeyOf(field);
		return { name: typedLabel(field, key), value: key };
	});
	return [NOTHING_CHOSEN, ...fields, ...own];
});

/** The conditions for the field that is selected next to them. A saved condition stays, whatever the type. */
export const getFilterConditions = editorCall(async (context): Promise<INodePropertyOptions[]> => {
	const kind = (await comparedField(context))?.kind;
	const suitable: readonly string[] | undefined = kind?.conditions;
	const saved = context.getCurrentNodeParameter('&condition');
	const names: Readonly<Record<string, string>> = kind?.input.conditionNames ?? {};
	return CONDITION_OPTIONS.filter(
		({ value }) => !suitable || suitable.includes(value) || value === saved,
	)
		.map(({ name, value }) => ({ name: names[value] ?? name, value }))
		.sort((a, b) => a.name.localeCompare(b.name));
});
