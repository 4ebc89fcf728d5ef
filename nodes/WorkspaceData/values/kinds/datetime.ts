/** Instants. A time without an offset, entered or stored, is wall-clock time in the workflow's zone. */
import { toTimeText } from '../formats';
import { instantOf, isoText, readTimestamp, toUtcText } from '../timestamp';
import { ANY_OF, DAYS, EQUALITY, ORDER, unusable, type Kind } from '../kind';
import { acceptedTimes, TIME_INPUT } from './times';

const ACCEPTED = 'Enter an ISO 8601 timestamp, for example 2026-03-31T14:30:00Z.';

const SKIPPED =
	"Clocks in the workflow's time zone skip this time. Enter another time, or one with an offset, for example 2026-03-31T14:30:00Z.";

const BEYOND =
	'In UTC this is beyond the year 9999. Enter a timestamp with an offset, for example 9999-12-31T23:59:59Z.';

export const datetime: Kind = {
	types: ['datetime', 'dateandtime'],
	read(stored, _field, zone) {
		const read = typeof stored === 'string' ? readTimestamp(stored) : undefined;
		return read && instantOf(read, zone);
	},
	enter(entered, field, { zone, formats }) {
		const read = readTimestamp(toTimeText(entered, formats));
		if (!read) return undefined;
		if (read.offset !== undefined) return isoText(read);
		const utc = toUtcText(read, zone);
		if (utc !== undefined) return utc;
		throw unusable(field, entered, read.day === '9999-12-31' ? BEYOND : SKIPPED);
	},
	accepts: (entered, _field, rules) => acceptedTimes(entered, rules, ACCEPTED),
	conditions: [...EQUALITY, ...ANY_OF, ...ORDER, ...DAYS],
	input: TIME_INPUT,
};
