/** What days and times share: the editor's input, and advice for values that aren't one. */
import { DAY_EXAMPLES, excelDay, isDayInParts } from '../formats';
import { DAYS, type EditorInput, type EntryRules, type Offer } from '../kind';

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

/** From 2001 on, such a number is seconds or milliseconds since 1970. */
const SECONDS = /^\s*\d{10}\s*$/;
const MILLISECONDS = /^\s*\d{13}\s*$/;

/** Says what to enter instead of a value. @param usual what is accepted in any case */
export function acceptedTimes(entered: unknown, { formats }: EntryRules, usual: string): string {
	const text = String(entered);
	if (SECONDS.test(text))
		return `${usual} For seconds since 1970, use {{ DateTime.fromSeconds(${text}) }}.`;
	if (MILLISECONDS.test(text)) {
		return `${usual} For milliseconds since 1970, use {{ DateTime.fromMillis(${text}) }}.`;
	}
	if (!formats) return usual;
	if (formats.date && formats.date !== 'iso') {
		return `'Date Format' is ${DAY_EXAMPLES[formats.date]}, or as 2026-03-31.`;
	}
	const day = excelDay(entered);
	if (day !== undefined) {
		return `It looks like Excel's number for ${day}. Select 'Excel Day Numbers' in 'Date Format'.`;
	}
	return isDayInParts(entered) ? `${usual} For another order, select it in 'Date Format'.` : usual;
}
