/** Days of the calendar. */
import { ANY_OF, DAYS, EQUALITY, ORDER, unusable, type Kind, type ValueField } from './kind';
import type { Zone } from '../time';
import { isDay, isTimeOfDay, readTimestamp, type Timestamp } from '../timestamp';
import { TIME_INPUT } from './suggestedDays';

const ACCEPTED = 'Enter a date as YYYY-MM-DD, for example 2026-03-31, or an ISO 8601 timestamp.';

function readDay(value: unknown): Timestamp | undefined {
	const read = readTimestamp(value);
	return read && isTimeOfDay(read) ? read : undefined;
}

/** Returns true for JavaScript's `Date`, also of a Code node, which has another class of that name. */
const isDate = (value: unknown): value is Date =>
	Object.prototype.toString.call(value) === '[object Date]';

const DAY_MS = 86_400_000;

/** The day of a `Date`, which is an instant: midnight in UTC or in the workflow's zone. @throws InputError */
function dayOf(instant: Date, field: ValueField, zone: Zone): string | undefined {
	const text = instant.toJSON();
	if (text === null) return undefined;
	const utcDay = text.slice(0, 10);
	if (!isDay(utcDay)) return undefined;
	if (text === `${utcDay}T00:00:00.000Z`) return utcDay;
	const days = [-1, 0, 1].map((offset) =>
		new Date(Date.parse(utcDay) + offset * DAY_MS).toISOString().slice(0, 10),
	);
	const local = days.find((day) => zone.toUtc(day) === text);
	if (local !== undefined) return local;
	throw unusable(
		field,
		instant,
		'It is a time of the day. Enter its day, for example {{ DateTime.fromJSDate($json.due).toISODate() }}.',
	);
}

export const date: Kind = {
	newTypes: [
		{
			type: 'date',
			names: ['date', 'dateonly'],
			one: 'a day',
			fitsText: isDay,
		},
	],
	/** The day as written: a timestamp keeps its own calendar day, whatever the offset. */
	read: (stored) => (typeof stored === 'string' ? readDay(stored)?.day : undefined),
	isSingle: true,
	formatted: 'date',
	enter: (entered, field, { zone }) =>
		isDate(entered) ? dayOf(entered, field, zone) : readDay(entered)?.day,
	accepts: () => ACCEPTED,
	conditions: [...EQUALITY, ...ANY_OF, ...ORDER, ...DAYS],
	input: TIME_INPUT,
};
