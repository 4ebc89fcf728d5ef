/** Select a card, a field or a record. */

/** @param searchListMethod returns the entries of the list */
const byListOrId = (thing: string, searchListMethod: string, id: string) =>
	({
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: `Select a ${thing}…`,
				typeOptions: { searchListMethod, searchable: true },
			},
			{ displayName: 'By ID', name: 'id', type: 'string', placeholder: `e.g. ${id}` },
		],
	}) as const;

const byListIdOrName = (thing: string, searchListMethod: string, id: string, name: string) => {
	const locator = byListOrId(thing, searchListMethod, id);
	return {
		...locator,
		modes: [
			...locator.modes,
			{ displayName: 'By Name', name: 'name', type: 'string', placeholder: `e.g. ${name}` },
		],
	} as const;
};

export const cardLocator = {
	displayName: 'Card',
	name: 'cardId',
	description: 'The card (table) to work on',
	...byListIdOrName('card', 'searchCards', 'crd_01J9Z3V8QK', 'Customers'),
} as const;

export const fieldLocator = {
	displayName: 'Field',
	name: 'fieldId',
	description: 'The field (column) to work on',
	typeOptions: { loadOptionsDependsOn: ['cardId.value'] },
	...byListIdOrName('field', 'searchFields', 'fld_01J9Z3V8QK', 'Status'),
} as const;

export const recordLocator = {
	displayName: 'Record',
	name: 'recordId',
	description: 'The record (row) to work on',
	typeOptions: { loadOptionsDependsOn: ['cardId.value'] },
	...byListOrId('record', 'searchRecords', '01J9Z3V8QKX5T0M2W4R6Y8A1B3'),
} as const;
