/** The conditions that select records. */

/** All conditions. The editor offers the ones that suit the selected field. */
export const CONDITION_OPTIONS = [
	{ name: 'Contains', value: 'contains' },
	{ name: 'Does Not Contain', value: 'notContains' },
	{ name: 'Ends With', value: 'endsWith' },
	{ name: 'Equals', value: 'equals' },
	{ name: 'Greater Than', value: 'greaterThan' },
	{ name: 'Greater Than or Equal', value: 'greaterOrEqual' },
	{ name: 'Is Any Of', value: 'isAnyOf' },
	{ name: 'Is Empty', value: 'isEmpty' },
	{ name: 'Is in the Last Days', value: 'inLastDays' },
	{ name: 'Is in the Next Days', value: 'inNextDays' },
	{ name: 'Is None Of', value: 'isNoneOf' },
	{ name: 'Is Not Empty', value: 'isNotEmpty' },
	{ name: 'Less Than', value: 'lessThan' },
	{ name: 'Less Than or Equal', value: 'lessOrEqual' },
	{ name: 'Not Equals', value: 'notEquals' },
	{ name: 'Starts With', value: 'startsWith' },
] as const;

export const comparedField = {
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
} as const;

const conditionLoading = {
	loadOptionsMethod: 'getFilterConditions',
	loadOptionsDependsOn: ['cardId.value', '&field'],
} as const;

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
				comparedField,
				{
					displayName: 'Condition',
					name: 'condition',
					type: 'options',
					typeOptions: conditionLoading,
					options: CONDITION_OPTIONS,
					default: 'equals',
					description:
						"How to compare. In text, 'Equals' distinguishes upper and lower case; conditions on a part of it don't.",
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'resourceLocator',
					// n8n clears a locator when what it depends on changes, so this one depends on nothing.
					// Its list is still read with the current card and field.
					default: { mode: 'value', value: '' },
					description:
						"The value to compare with. 'From List' offers choices and days. Enter dates as YYYY-MM-DD.",
					displayOptions: { hide: { condition: ['isEmpty', 'isNotEmpty'] } },
					modes: [
						{
							displayName: 'From List',
							name: 'list',
							type: 'list',
							placeholder: 'Select a value…',
							typeOptions: { searchListMethod: 'searchFilterValues', searchable: true },
						},
						{
							displayName: 'By Value',
							name: 'value',
							type: 'string',
							placeholder: 'e.g. Open',
						},
					],
				},
			],
		},
	],
	description:
		"Conditions that records must meet. The service can't filter, so the card is read page by page.",
} as const;

export const matchTypeProperty = {
	displayName: 'Must Match',
	name: 'matchType',
	type: 'options',
	options: [
		{ name: 'All Conditions', value: 'allConditions' },
		{ name: 'Any Condition', value: 'anyCondition' },
	],
	default: 'allConditions',
	description: 'How many of the conditions a record must meet',
} as const;

/** The parameters that select records by conditions. */
export const filterProperties = [filtersProperty, matchTypeProperty] as const;
