/** Days of the calendar. */
import { toTimeText } from '../formats';
import { dayOf, isDate, isDay, readTimestamp } from '../timestamp';
import { ANY_OF, DAYS, EQUALITY, ORDER, type Kind } from '../kind';
import { acceptedTimes, TIME_INPUT } from './times';

const ACCEPTED = 'Enter a date as YYYY-MM-DD, for example 2026-03-31, or an ISO 8601 timestamp.';

const TIME_OF_DAY =
	"It is a time of the day. Enter its day, for example {{ DateTime.fromJSDate($json.due).toFormat('yyyy-MM-dd') }}.";

export const date: Kind = {
	types: ['date', 'dateonly'],
	/** The day as written: a timestamp keeps its own calendar day, whatever the offset. */
	read: (stored) => (typeof stored === 'string' ? readTimestamp(stored)?.day : undefined),
	enter(entered, _field, { zone, formats }) {
		if (isDate(entered)) return dayOf(entered, zone);
		const usual = toTimeText(entered, formats);
		// Excel's number with a fraction is a time.
		if (formats?.date === 'excel' && usual !== entered && !isDay(String(usual))) return undefined;
		return readTimestamp(usual)?.day;
	},
	accepts: (entered, _field, rules) =>
		isDate(entered) ? TIME_OF_DAY : acceptedTimes(entered, rules, ACCEPTED),
	conditions: [...EQUALITY, ...ANY_OF, ...ORDER, ...DAYS],
	input: TIME_INPUT,
};
