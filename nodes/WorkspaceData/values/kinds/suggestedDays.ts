/** The days and numbers of days that the editor offers for conditions, and its input for days and times. */
import { DAYS, type Offer, type EditorInput } from './kind';

/** Expressions, so that the days are right whenever the workflow runs. */
const DAY_OFFERS: readonly Offer[] = [
	{ name: 'Today', value: '={{ $today.toISODate() }}' },
	{ name: 'Tomorrow', value: '={{ $today.plus(1, "day").toISODate() }}' },
	{ name: 'Yesterday', value: '={{ $today.minus(1, "day").toISODate() }}' },
	{ name: '7 Days Ago', value: '={{ $today.minus(7, "day").toISODate() }}' },
	{ name: '30 Days Ago', value: '={{ $today.minus(30, "day").toISODate() }}' },
	{ name: 'Start of This Month', value: '={{ $today.startOf("month").toISODate() }}' },
	{ name: 'Start of This Year', value: '={{ $today.startOf("year").toISODate() }}' },
];

/** Values for conditions that take a number of days. */
const DAY_COUNTS: readonly Offer[] = [
	{ name: '1 Day (Today)', value: '1' },
	{ name: '7 Days', value: '7' },
	{ name: '30 Days', value: '30' },
];

/** The editor's input for days and times. */
export const TIME_INPUT: EditorInput = {
	type: 'dateTime',
	canMatch: true,
	filterValues: (_field, condition) =>
		DAYS.some((one) => one === condition) ? DAY_COUNTS : DAY_OFFERS,
	conditionNames: {
		greaterThan: 'Is After',
		greaterOrEqual: 'Is After or Equal',
		lessThan: 'Is Before',
		lessOrEqual: 'Is Before or Equal',
	},
};
