/** The entries of drop-down lists: field types, fields and conditions. */
import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { z } from 'zod/v3';
import { describedFieldTypes, getDescription } from '../transport/apiDescription';
import { OWN_VALUES } from '../model/response/record';
import { listCards, listFields } from '../transport/cardAndFieldListings';
import type { Session } from '../transport/session';
import { CONDITION_OPTIONS } from '../properties/filters';
import {
	comparedField,
	chosenCardId,
	EDITOR_READ,
	editorCall,
	fieldsOrReason,
	openEditorApi,
	savedKeys,
	typedLabel,
} from './editorApi';
import { typeName } from './typeName';

/** Max cards whose fields are read for their types: a person waits for the list. */
const CARDS_FOR_TYPES = 10;

/**
 * The field types from the service's description; without one, the types of the selected card's fields, and
 * without a card, those of the first cards of the workspace.
 *
 * @see service interface, part 2: the allowed types are not shown
 */
export const getFieldTypes = editorCall(async (context): Promise<INodePropertyOptions[]> => {
	const session = await openEditorApi(context);
	const described = await getDescription(session, 'json', { ...EDITOR_READ, optional: true })
		.then(describedFieldTypes)
		.catch(() => []);
	const seen = described.length > 0 ? [] : await seenFieldTypes(context, session);
	const types = new Set([...described, ...seen]);
	return [...types].sort().map((type) => ({ name: typeName(type), value: type }));
});

/** The types of the fields of the selected card, or of several cards if none is selected. */
async function seenFieldTypes(context: ILoadOptionsFunctions, session: Session): Promise<string[]> {
	const chosen = await chosenCardId(context, session);
	const cards =
		chosen === undefined
			? (await listCards(session, EDITOR_READ)).slice(0, CARDS_FOR_TYPES).map(({ id }) => id)
			: [chosen];
	const listings = await Promise.all(
		cards.map(async (id) => await listFields(session, id, EDITOR_READ)),
	);
	return listings
		.flat()
		.map(({ type }) => type)
		.filter(Boolean);
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
	const keys = savedKeys(context, index);
	const compared = comparedNames(context);
	const fields = index.fields.map((field) => {
		const key = OWN_VALUES.has(field.name) ? field.id : index.savedKeyOf(field);
		const oldKey = keys.get(field.id);
		const isKept = oldKey !== undefined && compared.has(oldKey);
		return { name: typedLabel(field, key), value: isKept ? oldKey : key };
	});
	return [NOTHING_CHOSEN, ...fields, ...own];
});

const savedConditions = z.object({ conditions: z.array(z.object({ field: z.unknown() })) });

/** The names in the saved conditions. The editor shows a name in red if its list doesn't contain it. */
function comparedNames(context: ILoadOptionsFunctions): Set<unknown> {
	const saved = savedConditions.safeParse(context.getCurrentNodeParameter('filters')).data;
	return new Set(saved?.conditions.map(({ field }) => field));
}

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
