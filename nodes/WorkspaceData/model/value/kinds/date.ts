/** Days of the calendar. */
import { ANY_OF, DAYS, EQUALITY, ORDER, unusable, type Kind } from './kind';
import { isDay, isTimeOfDay, readTimestamp, type Timestamp } from '../timestamp';
import { TIME_INPUT } from '../dayOffers';

const ACCEPTED = 'Enter a date as YYYY-MM-DD, for example 2026-03-31, or an ISO 8601 timestamp.';

function readDay(value: unknown): Timestamp | undefined {
	const read = readTimestamp(value);
	return read && isTimeOfDay(read) ? read : undefined;
}

export const date: Kind = {
	newTypes: [
		{
			type: 'date',
			names: ['date', 'dateonly'],
			one: 'a day like 2026-03-31',
			fitsText: isDay,
		},
	],
	/** The day as written: a timestamp keeps its own calendar day, whatever the offset. */
	read: (stored) => (typeof stored === 'string' ? readDay(stored)?.day : undefined),
	formatted: 'date',
	enter(entered, field, { whole }) {
		const read = readDay(entered);
		if (!read || !whole || isDay(read.text)) return read?.day;
		throw unusable(field, entered, `The field keeps ${read.day} only. Use a field for times.`);
	},
	accepts: () => ACCEPTED,
	conditions: [...EQUALITY, ...ANY_OF, ...ORDER, ...DAYS],
	input: TIME_INPUT,
};
