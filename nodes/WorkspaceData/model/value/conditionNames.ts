/** The names of the conditions; apart from what they do, which needs the kinds. */

/** The conditions that records can be filtered by, as the node's parameter calls them. */
export const CONDITIONS = [
	'equals',
	'notEquals',
	'isAnyOf',
	'isNoneOf',
	'contains',
	'notContains',
	'startsWith',
	'endsWith',
	'greaterThan',
	'greaterOrEqual',
	'lessThan',
	'lessOrEqual',
	'inLastDays',
	'inNextDays',
	'isEmpty',
	'isNotEmpty',
] as const;

export type Condition = (typeof CONDITIONS)[number];
