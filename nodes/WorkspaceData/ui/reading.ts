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
