/** The conditions by which records are chosen, and the notice about what they cost. */

/** The conditions that records have to meet. */
export const filtersProperty = {
	displayName: 'Filters',
	name: 'filters',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Condition',
	default: {},
	options: [
		{
			displayName: 'Conditions',
			name: 'conditions',
			values: [
				{
					displayName: 'Field Name or ID',
					name: 'field',
					type: 'options',
					typeOptions: {
						loadOptionsMethod: 'getFilterFields',
						loadOptionsDependsOn: ['cardId.value'],
					},
					default: '',
					description:
						'The field to compare. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
				},
				{
					displayName: 'Condition',
					name: 'condition',
					type: 'options',
					options: [
						{ name: 'Contains', value: 'contains' },
						{ name: 'Does Not Contain', value: 'notContains' },
						{ name: 'Does Not Equal', value: 'notEquals' },
						{ name: 'Ends With', value: 'endsWith' },
						{ name: 'Equals', value: 'equals' },
						{ name: 'Greater Than', value: 'greaterThan' },
						{ name: 'Greater Than or Equal', value: 'greaterOrEqual' },
						{ name: 'Is Empty', value: 'isEmpty' },
						{ name: 'Is Not Empty', value: 'isNotEmpty' },
						{ name: 'Less Than', value: 'lessThan' },
						{ name: 'Less Than or Equal', value: 'lessOrEqual' },
						{ name: 'Starts With', value: 'startsWith' },
					],
					default: 'equals',
					description:
						'How to compare. The conditions about parts of a text ignore upper and lower case; Equals does not.',
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					description:
						'The value to compare with; a date as YYYY-MM-DD (in the time zone of the workflow where times are compared), yes or no as true or false',
					displayOptions: { hide: { condition: ['isEmpty', 'isNotEmpty'] } },
				},
			],
		},
	],
	description: 'Conditions that records have to meet',
} as const;

/** Says what a filter costs. */
export const filterNotice = {
	displayName:
		'The service cannot filter: with conditions, all records of the card are read and filtered here',
	name: 'filterNotice',
	type: 'notice',
	default: '',
} as const;
