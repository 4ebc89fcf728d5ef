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
	description: 'Fields to sort by. All records are read first.',
} as const;

export const sinceProperty = {
	displayName: 'Since Last Run',
	name: 'since',
	type: 'options',
	options: [
		{ name: 'All Records', value: 'all' },
		{
			name: 'New or Changed Records',
			value: 'newOrChanged',
			description: 'Return new records, and records whose values changed since they were returned',
		},
		{
			name: 'New Records',
			value: 'new',
			description: "Return records that this node hasn't returned before",
		},
	],
	default: 'all',
	description:
		'Which records to return. Only published workflows keep track; a manual run returns what the next one would.',
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

export const startAgainOption = {
	displayName: 'Start Again',
	name: 'startAgain',
	type: 'string',
	default: '',
	placeholder: 'e.g. 1',
	displayOptions: { show: { '/since': ['new', 'newOrChanged'] } },
	description: 'Change this text to return all records once more',
} as const;
