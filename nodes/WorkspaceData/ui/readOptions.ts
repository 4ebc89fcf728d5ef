/** Parameters of Get Many in addition to conditions: a text to search for, an order, and whether to skip earlier results. */
import { comparedField } from './filters';

export const searchProperty = {
	displayName: 'Search',
	name: 'search',
	type: 'string',
	default: '',
	placeholder: 'e.g. invoice',
	description:
		'Text to look for in all fields of the card, for example a name or a part of it. Upper and lower case do not matter; an empty text returns all records.',
} as const;

export const sortProperty = {
	displayName: 'Sort',
	name: 'sort',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: 'Add Field',
	default: {},
	options: [
		{
			displayName: 'By',
			name: 'by',
			values: [
				{
					...comparedField,
					description:
						'The field to sort by. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
				},
				{
					displayName: 'Direction',
					name: 'direction',
					type: 'options',
					options: [
						{ name: 'Ascending', value: 'asc' },
						{ name: 'Descending', value: 'desc' },
					],
					default: 'asc',
					description: 'Which values come first; records without a value come last either way',
				},
			],
		},
	],
	description:
		'Fields to sort by: numbers, dates and choices in their own order, texts alphabetically. The service cannot sort, so all records are read.',
} as const;

export const sinceProperty = {
	displayName: 'Since Last Run',
	name: 'since',
	type: 'options',
	options: [
		{
			name: 'All Records',
			value: 'all',
			description: 'Return records whether or not they were returned before',
		},
		{
			name: 'New or Changed Records',
			value: 'newOrChanged',
			description:
				'Return records that this node has not returned before, and those whose values have changed since',
		},
		{
			name: 'New Records',
			value: 'new',
			description: 'Return records that this node has not returned before',
		},
	],
	default: 'all',
	description:
		'Whether to return only what this node has not returned before. Only published workflows keep track; a manual run shows what would come.',
} as const;

/** Return All and Limit, as every Get Many has them. */
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

/** Whether records come as names and values, or as the service sends them. */
export const simplifyProperty = {
	displayName: 'Simplify',
	name: 'simple',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
} as const;

/** What an input item gives for which there is no record. */
export const noRecordsOption = {
	displayName: 'If Not Found',
	name: 'ifNotFound',
	type: 'options',
	options: [
		{
			name: 'Output an Empty Item',
			value: 'empty',
			description: 'Continue with an item without data, paired with the input item',
		},
		{ name: 'Output Nothing', value: 'nothing', description: 'The workflow ends here' },
	],
	default: 'nothing',
	description: 'How to continue when there is no record to return',
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
