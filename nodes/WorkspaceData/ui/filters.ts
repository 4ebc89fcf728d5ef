/** The conditions by which records are chosen, and the notice about what they cost. */

/** All conditions; the editor offers those that suit the chosen field. */
export const CONDITION_OPTIONS = [
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
] as const;

/** The choice of the compared field decides which conditions and which values are offered. */
const dependsOnField = ['cardId.value', '&field'] as const;

const conditionLoading = {
	loadOptionsMethod: 'getFilterConditions',
	loadOptionsDependsOn: dependsOnField,
} as const;

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
					typeOptions: conditionLoading,
					options: CONDITION_OPTIONS,
					default: 'equals',
					description:
						'How to compare. The conditions about parts of a text ignore upper and lower case; Equals does not.',
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'resourceLocator',
					typeOptions: { loadOptionsDependsOn: dependsOnField },
					default: { mode: 'list', value: '' },
					description:
						'The value to compare with. The list offers the choices of the field, days for dates, and the text that you type. A date is YYYY-MM-DD, in the time zone of the workflow where times are compared; yes or no is true or false.',
					displayOptions: { hide: { condition: ['isEmpty', 'isNotEmpty'] } },
					modes: [
						{
							displayName: 'From List',
							name: 'list',
							type: 'list',
							placeholder: 'Choose or type a value…',
							typeOptions: { searchListMethod: 'searchFilterValues', searchable: true },
						},
						{
							displayName: 'By Value',
							name: 'value',
							type: 'string',
							placeholder: 'e.g. 2026-03-31',
						},
					],
				},
			],
		},
	],
	description: 'Conditions that records must meet',
} as const;

/** How many of the conditions have to be met. */
export const matchTypeProperty = {
	displayName: 'Match',
	name: 'matchType',
	type: 'options',
	options: [
		{
			name: 'All Conditions',
			value: 'allConditions',
			description: 'Return records that meet every condition',
		},
		{
			name: 'Any Condition',
			value: 'anyCondition',
			description: 'Return records that meet at least one condition',
		},
	],
	default: 'allConditions',
	description: 'How many of the conditions a record has to meet',
} as const;

/** Says what a filter costs, where there is one. */
export const filterNotice = {
	displayName:
		'The service cannot filter: n8n reads all records of the card and keeps those that meet the conditions',
	name: 'filterNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { '/filters.conditions': [{ _cnd: { exists: true } }] } },
} as const;
