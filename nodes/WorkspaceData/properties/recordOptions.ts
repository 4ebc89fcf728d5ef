/** What several operations share: the Options collection with its common entries, limits, and Simplify. */

/** The Options collection with these entries by name. It comes last in every operation. */
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
	displayName: 'Name Fields By',
	name: 'fieldKeys',
	type: 'options',
	options: [
		{ name: 'ID', value: 'id', description: 'Return fields under their IDs' },
		{ name: 'Name', value: 'name', description: 'Return fields under their names' },
	],
	default: 'name',
	description: 'How to name the fields in the output',
} as const;

const outputFieldsOption = {
	displayName: 'Output Field Names or IDs',
	name: 'outputFields',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getFieldNames', loadOptionsDependsOn: ['cardId.value'] },
	default: [],
	description:
		'The fields to return; all when empty. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
} as const;

const maxParallelOption = {
	displayName: 'Max Parallel Requests',
	name: 'maxParallel',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 64 },
	default: 0,
	description:
		'How many requests may run at once, up to 64; 0 is automatic (16). Enter 1 to store new records in the order of the items.',
} as const;

const timeoutOption = {
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 86_400 },
	default: 30,
	description: 'How long to wait for the response to a request',
} as const;

/** The options of operations that read records. */
export const readingOptions = [fieldKeysOption, outputFieldsOption, timeoutOption] as const;

/** The options of requests that change something. */
export const sendingOptions = [maxParallelOption, timeoutOption] as const;

/** Return All and Limit of every Get Many. */
export const returnAllProperty = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
} as const;

/** The size of one page. */
export const pageLimitProperty = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
} as const;

export const limitProperty = {
	...pageLimitProperty,
	displayOptions: { show: { returnAll: [false] } },
} as const;

export const simplifyProperty = {
	displayName: 'Simplify',
	name: 'simple',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
} as const;

export const ifNotFoundOption = {
	displayName: 'If Not Found',
	name: 'ifNotFound',
	type: 'options',
	options: [
		{
			name: 'Output an Empty Item',
			value: 'empty',
			description: 'Continue with an empty item, paired with the input item',
		},
		{ name: 'Skip the Item', value: 'skip', description: 'Continue without the item' },
		{ name: 'Throw an Error', value: 'error' },
	],
	default: 'error',
	description: "How to continue if the record doesn't exist",
} as const;
