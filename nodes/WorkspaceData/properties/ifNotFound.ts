/** The option 'If Not Found': of a single record, and of Get Many. */

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

/** The output for an input item without a record. */
export const noRecordsOption = {
	displayName: 'If Not Found',
	name: 'ifNotFound',
	type: 'options',
	options: [
		ifNotFoundOption.options[0],
		{
			name: 'Output Nothing',
			value: 'nothing',
			description: 'Return no item; if no input item has one, the branch ends here',
		},
	],
	default: 'nothing',
	description: 'How to continue if there is no record to return',
} as const;
