/**
 * Instants. A time without an offset, entered or stored, is wall-clock time in the workflow's zone. If a
 * field's records have no offset, none is added.
 */
import { isEmpty } from '../emptyValue';
import { ANY_OF, DAYS, EQUALITY, ORDER, unusable, type Kind } from './kind';
import { instantOf, isDay, isoText, readTimestamp, type Timestamp, toUtcText } from '../timestamp';
import { TIME_INPUT } from './suggestedDays';

const ACCEPTED = 'Enter an ISO 8601 timestamp, for example 2026-03-31T14:30:00Z.';

const SKIPPED = `Clocks in the workflow's time zone skip this time. Enter another time, or one with an offset, for example 2026-03-31T14:30:00Z.`;

const BEYOND = `In UTC this is beyond the year 9999. Enter a timestamp with an offset, for example 9999-12-31T23:59:59Z.`;

/** Returns true if a time that isn't an instant here is one in another zone. */
const isSkipped = ({ day, clock = '' }: Timestamp): boolean =>
	clock < '24' && !Number.isNaN(Date.parse(`${day}T${clock}Z`));

/** Not every service keeps more than milliseconds, and a time without an offset differs between zones. */
const KEPT_EVERYWHERE =
	/^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

export const datetime: Kind = {
	newTypes: [
		{
			type: 'datetime',
			names: ['datetime', 'dateandtime'],
			one: 'a time with an offset',
			fitsText: (text) => KEPT_EVERYWHERE.test(text) && isDay(text.slice(0, 10)),
		},
	],
	read(stored, _field, zone) {
		const read = typeof stored === 'string' ? readTimestamp(stored) : undefined;
		return read && instantOf(read, zone);
	},
	isSingle: true,
	formatted: 'datetime',
	enter(entered, field, { zone }) {
		const read = readTimestamp(entered);
		if (!read) return undefined;
		const utc = toUtcText(read, zone);
		if (utc === undefined) {
			const isLast = read.day === '9999-12-31' && isSkipped(read);
			throw unusable(field, entered, isLast ? BEYOND : isSkipped(read) ? SKIPPED : ACCEPTED);
		}
		return read.offset !== undefined || field.habit === 'noOffset' ? isoText(read) : utc;
	},
	dependsOnRecords(entered) {
		const read = readTimestamp(entered);
		if (read) return read.offset === undefined;
		// Other formats have no offset.
		return typeof entered === 'number' || (typeof entered === 'string' && /^\s*\d/.test(entered));
	},
	habitOf(stored) {
		const read = [...stored].filter((value) => !isEmpty(value)).map(readTimestamp);
		return read.length > 0 && read.every((time) => time && time.offset === undefined)
			? 'noOffset'
			: undefined;
	},
	accepts: () => ACCEPTED,
	conditions: [...EQUALITY, ...ANY_OF, ...ORDER, ...DAYS],
	input: TIME_INPUT,
};
