/** The entries of the Options collection of the record operations; each takes those that apply. */

export const emptyValuesOption = {
	displayName: 'Empty Values',
	name: 'emptyValues',
	type: 'options',
	options: [
		{
			name: 'Clear the Field',
			value: 'clear',
			description: 'An empty text removes what the field holds',
		},
		{
			name: 'Ignore',
			value: 'ignore',
			description: 'An empty text leaves the field as it is',
		},
	],
	default: 'ignore',
	description: 'What an empty text does. Without this option it is sent as it is.',
} as const;

export const unknownFieldsOption = {
	displayName: 'Unknown Fields',
	name: 'unknownFields',
	type: 'options',
	options: [
		{
			name: 'Ignore',
			value: 'ignore',
			description: 'Leave out values for fields that the card does not have',
		},
		{
			name: 'Throw an Error',
			value: 'error',
			description: 'Write nothing for the item and say which field is unknown',
		},
	],
	default: 'error',
	description: 'What happens with values for fields that the card does not have',
} as const;

export const fieldKeysOption = {
	displayName: 'Field Keys',
	name: 'fieldKeys',
	type: 'options',
	options: [
		{ name: 'ID', value: 'id', description: 'Output fields under their identifiers' },
		{ name: 'Name', value: 'name', description: 'Output fields under their names' },
	],
	default: 'name',
	description: 'Under which keys record fields appear in the output',
} as const;

export const outputFieldsOption = {
	displayName: 'Output Field Names or IDs',
	name: 'outputFields',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getFieldNames', loadOptionsDependsOn: ['cardId.value'] },
	default: [],
	description:
		'The fields to output; all when empty. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
} as const;

export const ifNotFoundOption = {
	displayName: 'If Not Found',
	name: 'ifNotFound',
	type: 'options',
	options: [
		{
			name: 'Output an Empty Item',
			value: 'empty',
			description: 'Go on with an item without data',
		},
		{ name: 'Skip the Item', value: 'skip', description: 'Go on without an item' },
		{ name: 'Throw an Error', value: 'error', description: 'Report that there is no such record' },
	],
	default: 'error',
	description: 'What happens when the card has no such record',
} as const;

export const multipleMatchesOption = {
	displayName: 'Multiple Matches',
	name: 'multipleMatches',
	type: 'options',
	options: [
		{
			name: 'Throw an Error',
			value: 'error',
			description: 'Change nothing and say how many match',
		},
		{ name: 'Update All', value: 'all', description: 'Update every record that matches' },
		{
			name: 'Update First',
			value: 'first',
			description: 'Update the oldest record that matches',
		},
	],
	default: 'error',
	description: 'What happens when more than one record matches',
} as const;

export const upsertModeOption = {
	displayName: 'Upsert Mode',
	name: 'upsertMode',
	type: 'options',
	options: [
		{
			name: 'Create Only',
			value: 'createOnly',
			description: 'Create missing records and leave existing ones as they are',
		},
		{
			name: 'Create or Update',
			value: 'createOrUpdate',
			description: 'Create missing records and update existing ones',
		},
		{
			name: 'Update Only',
			value: 'updateOnly',
			description: 'Update existing records and create none',
		},
	],
	default: 'createOrUpdate',
	description: 'What may be done with records that are missing or that exist',
} as const;

export const maxParallelOption = {
	displayName: 'Max Parallel Requests',
	name: 'maxParallel',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 64 },
	default: 0,
	description:
		'The most requests that may run at once; 0 is automatic: as many as the service answers without slowing down. Records that are written at the same time are stored in any order: choose 1 to store them in the order of the items.',
} as const;

export const timeoutOption = {
	displayName: 'Timeout',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 30,
	description: 'How many seconds to wait for the answer to a request',
} as const;

/** The Options collection with these entries; it comes last in every operation. */
export function recordOptions<const Entries extends ReadonlyArray<{ readonly name: string }>>(
	options: Entries,
) {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options,
	} as const;
}
