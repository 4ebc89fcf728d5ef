/** The entries of the Options collection of the record operations; each operation takes the entries that apply. */

export const emptyValuesOption = {
	displayName: 'Empty Values',
	name: 'emptyValues',
	type: 'options',
	options: [
		{
			name: 'Clear the Field',
			value: 'clear',
			description: 'Empty text clears the field',
		},
		{
			name: 'Ignore',
			value: 'ignore',
			description: 'Empty text leaves the field unchanged',
		},
	],
	default: 'ignore',
	description: 'How to treat empty text; sent unchanged by default',
} as const;

export const unknownFieldsOption = {
	displayName: 'Unknown Fields',
	name: 'unknownFields',
	type: 'options',
	options: [
		{
			name: 'Create the Field',
			value: 'create',
			description:
				'Add the field to the card first, with the type that suits the values of all items',
		},
		{
			name: 'Ignore',
			value: 'ignore',
			description: 'Leave out values for fields that the card does not have',
		},
		{
			name: 'Throw an Error',
			value: 'error',
			description: 'Write nothing for the item and name the unknown field',
		},
	],
	default: 'error',
	description: 'How to treat values for fields that the card does not have',
} as const;

export const missingChoicesOption = {
	displayName: 'Missing Choices',
	name: 'missingChoices',
	type: 'options',
	options: [
		{
			name: 'Add to the Field',
			value: 'add',
			description: 'Add the choice to those of the field first',
		},
		{
			name: 'Throw an Error',
			value: 'error',
			description: 'Write nothing for the item and say which choices the field has',
		},
	],
	default: 'error',
	description: 'How to treat values that are not among the choices of a select field',
} as const;

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

export const ifNotFoundOption = {
	displayName: 'If Not Found',
	name: 'ifNotFound',
	type: 'options',
	options: [
		{
			name: 'Output an Empty Item',
			value: 'empty',
			description: 'Continue with an item without data',
		},
		{ name: 'Skip the Item', value: 'skip', description: 'Continue without the item' },
		{
			name: 'Throw an Error',
			value: 'error',
			description: 'Report that the record does not exist',
		},
	],
	default: 'error',
	description: 'How to continue when the card does not have the record',
} as const;

export const multipleMatchesOption = {
	displayName: 'Multiple Matches',
	name: 'multipleMatches',
	type: 'options',
	options: [
		{
			name: 'Throw an Error',
			value: 'error',
			description: 'Change nothing and report how many records match',
		},
		{ name: 'Update All', value: 'all', description: 'Update every record that matches' },
		{
			name: 'Update First',
			value: 'first',
			description: 'Update the oldest record that matches',
		},
	],
	default: 'error',
	description: 'How to handle several matching records',
} as const;

export const upsertModeOption = {
	displayName: 'Upsert Mode',
	name: 'upsertMode',
	type: 'options',
	options: [
		{
			name: 'Create Only',
			value: 'createOnly',
			description: 'Create missing records and leave existing ones unchanged',
		},
		{
			name: 'Create or Update',
			value: 'createOrUpdate',
			description: 'Create missing records and update existing ones',
		},
		{
			name: 'Update Only',
			value: 'updateOnly',
			description: 'Update existing records and do not create any',
		},
	],
	default: 'createOrUpdate',
	description: 'Whether to create records, update them, or both',
} as const;

export const unchangedOption = {
	displayName: 'Unchanged Records',
	name: 'unchanged',
	type: 'options',
	options: [
		{
			name: 'Send Again',
			value: 'send',
			description: 'Send the values, for example to start an automation of the service',
		},
		{
			name: 'Skip',
			value: 'skip',
			description: 'Send nothing; the action is unchanged',
		},
	],
	default: 'skip',
	description: 'How to treat records that already have all values',
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
	description: 'Where the values of a record are in the output',
} as const;

export const startAgainOption = {
	displayName: 'Start Again',
	name: 'startAgain',
	type: 'string',
	default: '',
	placeholder: 'e.g. 1',
	description:
		'For Since Last Run: enter any text, or another one, to forget what was returned before. The next run then returns all records once.',
} as const;

export const dryRunOption = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	default: true,
	description: 'Whether to change nothing and return what would change',
} as const;

/** The switch of operations that change many records. */
export const dryRunProperty = {
	...dryRunOption,
	default: false,
} as const;

/** The most records that an item may change. */
export const maxChangesProperty = {
	displayName: 'Most Records to Change',
	name: 'maxChanges',
	type: 'number',
	typeOptions: { minValue: -1 },
	default: 1000,
	description:
		'If more records would be changed for an input item, nothing is sent; -1 is no limit',
} as const;

/** The options of all operations that write values. */
export const writeOptions = [
	emptyValuesOption,
	fieldKeysOption,
	maxParallelOption,
	missingChoicesOption,
	outputFieldsOption,
	outputFormatOption,
	requestsPerSecondOption,
	timeoutOption,
	unknownFieldsOption,
] as const;

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
