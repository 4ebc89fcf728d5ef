/** More parameters of Get Many: text to search for, sort order, and skipping earlier results. */
import { comparedField } from './filters';

export const searchProperty = {
	displayName: 'Search',
	name: 'search',
	type: 'string',
	default: '',
	placeholder: 'e.g. invoice',
	description: 'Text to look for in all fields of the card, in upper or lower case',
} as const;

export const directionProperty = {
	displayName: 'Direction',
	name: 'direction',
	type: 'options',
	options: [
		{ name: 'Ascending', value: 'asc' },
		{ name: 'Descending', value: 'desc' },
	],
	default: 'asc',
	description: 'Which values come first; records without a value always come last',
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
			displayName: 'Field',
			name: 'by',
			values: [
				{
					...comparedField,
					description:
						'The field to sort by. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
				},
				directionProperty,
			],
		},
	],
	description: 'Fields to sort by; all records are read first',
} as const;

export const sinceProperty = {
	displayName: 'Since Last Run',
	name: 'since',
	type: 'options',
	options: [
		{ name: 'All Records', value: 'all' },
		{
			name: 'New Records',
			value: 'new',
			description: 'Return records created since this node last returned some, oldest first',
		},
	],
	default: 'all',
	description: 'Which records to return',
} as const;

export const sinceNotice = {
	displayName:
		'Counts only when the published workflow runs by itself. Its first run returns all records. A manual run shows what the next one would return.',
	name: 'sinceNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { since: ['new'] } },
} as const;

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
