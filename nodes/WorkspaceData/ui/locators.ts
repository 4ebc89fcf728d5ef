/** The card that an operation works on. */
export const cardLocator = {
	displayName: 'Card',
	name: 'cardId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The card (table) to work on',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a card…',
			typeOptions: { searchListMethod: 'searchCards', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. crd_01J9Z3V8QK',
		},
		{
			displayName: 'By Name',
			name: 'name',
			type: 'string',
			placeholder: 'e.g. Customers',
		},
	],
} as const;

/** A field of the selected card. */
export const fieldLocator = {
	displayName: 'Field',
	name: 'fieldId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The field (column) to work on',
	typeOptions: { loadOptionsDependsOn: ['cardId.value'] },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a field…',
			typeOptions: { searchListMethod: 'searchFields', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. fld_01J9Z3V8QK',
		},
		{
			displayName: 'By Name',
			name: 'name',
			type: 'string',
			placeholder: 'e.g. Status',
		},
	],
} as const;

/** A record of the selected card. */
export const recordLocator = {
	displayName: 'Record',
	name: 'recordId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The record (row) to work on',
	typeOptions: { loadOptionsDependsOn: ['cardId.value'] },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a record…',
			typeOptions: { searchListMethod: 'searchRecords', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 01J9Z3V8QKX5T0M2W4R6Y8A1B3',
		},
	],
} as const;
