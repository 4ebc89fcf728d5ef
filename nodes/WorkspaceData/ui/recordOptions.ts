/** The Options collection of the record operations, and the options that reading and writing share. */

/** The Options collection with these entries by name; it comes last in every operation. */
export function recordOptions<
	const Entries extends ReadonlyArray<{ readonly name: string; readonly displayName: string }>,
>(options: Entries) {
	const sorted: ReadonlyArray<Entries[number]> = [...options].sort((a, b) =>
		a.displayName < b.displayName ? -1 : 1,
	);
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: sorted,
	} as const;
}

export const fieldKeysOption = {
	displayName: 'Field Keys',
	name: 'fieldKeys',
	type: 'options',
	options: [
		{ name: 'ID', value: 'id', description: 'Output fields under their IDs' },
		{ name: 'Name', value: 'name', description: 'Output fields under their names' },
	],
	default: 'name',
	description: 'Whether to name fields by name or by ID',
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

export const maxParallelOption = {
	displayName: 'Max Parallel Requests',
	name: 'maxParallel',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 64 },
	default: 0,
	description:
		'How many requests may run at once; 0 is automatic: creates 8 at a time, all others as many as the service accepts. Requests that run at once can finish in any order: choose 1 to store records in the order of the items.',
} as const;

export const timeoutOption = {
	displayName: 'Timeout',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 30,
	description: 'How many seconds to wait for the answer to a request',
} as const;

export const requestsPerSecondOption = {
	displayName: 'Requests per Second',
	name: 'requestsPerSecond',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 0,
	description:
		'The most requests that this n8n process sends in a second with this credential; 0 is automatic: as many as the service allows',
} as const;

export const outputFormatOption = {
	displayName: 'Output Format',
	name: 'outputFormat',
	type: 'options',
	options: [
		{
			name: 'Flat',
			value: 'flat',
			description: 'Fields at the top level, one column for each field in the table view',
		},
		{ name: 'Nested', value: 'nested', description: 'Fields under the key fields' },
	],
	default: 'nested',
	displayOptions: { show: { '@version': [1] } },
	description: 'Where the values of a record are in the output',
} as const;

/** As version 2 of the node has it. */
export const outputFormatOption2 = {
	...outputFormatOption,
	default: 'flat',
	displayOptions: { show: { '@version': [{ _cnd: { gte: 2 } }] } },
} as const;

/** The option with the default of each version of the node. */
export const outputFormatOptions = [outputFormatOption, outputFormatOption2] as const;
