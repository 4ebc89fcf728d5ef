/** Reads text of days and timestamps (ISO 8601), which two kinds share. */
import { DAY_MS, type Zone } from './time';
import { jsonForm } from './json';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** A day, or a day and a time, with its parts: day, hours and minutes, seconds, fraction, offset. */
const TIMESTAMP =
	/^(\d{4}-\d{2}-\d{2})(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?(\.\d+)?)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/i;

/** The parts of a timestamp. */
interface Timestamp {
	day: string;
	/** The time of the day to the second, `10:30:00`; undefined for a day alone. */
	clock: string | undefined;
	/** The fraction of a second with its point, as written; else empty. */
	fraction: string;
	/** `Z`, or with hours and minutes; undefined if there is none, so that the instant depends on the zone. */
	offset: string | undefined;
}

/** Returns true if text is only a day, as YYYY-MM-DD, that exists. */
export function isDay(day: string): boolean {
	if (!DAY.test(day)) return false;
	// Every month has these days.
	if (/-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/.test(day)) return true;
	const date = new Date(`${day}T00:00:00Z`);
	return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/** Reads text, or an object whose JSON is text, as a timestamp; undefined if it isn't one, or has no such time of day. */
export function readTimestamp(value: unknown): Timestamp | undefined {
	const form = jsonForm(value);
	if (typeof form !== 'string') return undefined;
	const [, day = '', minutes, seconds = ':00', fraction = '', zone] =
		TIMESTAMP.exec(form.trim()) ?? [];
	if (!isDay(day) || (minutes === undefined && zone)) return undefined;
	// Databases omit the minutes of an offset, or its colon.
	const offset = zone
		?.toUpperCase()
		.replace(/^([+-]\d{2}):?(\d{2})?$/, (_, hours: string, rest = '00') => `${hours}:${rest}`);
	return { day, clock: minutes && `${minutes}${seconds}`, fraction, offset };
}

/** The text of a timestamp with an offset, in the one form that all services take. */
export const isoText = ({ day, clock, fraction, offset }: Timestamp): string =>
	`${day}T${clock}${fraction}${offset}`;

/**
 * The instant of a timestamp as ISO 8601 in UTC, with all digits of its fraction.
 *
 * @returns undefined if clocks skip this time in the zone, or if it is beyond the year 9999
 */
export function toUtcText(
	{ day, clock, fraction, offset }: Timestamp,
	zone: Zone,
): string | undefined {
	const local = clock === undefined ? day : `${day}T${clock}`;
	const utc =
		offset === undefined ? zone.toUtc(local) : new Date(`${local}${offset}`).toISOString();
	return utc?.replace(/\.\d+Z$/, `.${fraction.slice(1).padEnd(3, '0')}Z`);
}

/** The comparable form of an instant: its digits in UTC, without zeros at the end of the fraction. */
export function instantOf(timestamp: Timestamp, zone: Zone): string | undefined {
	const { day, clock, fraction, offset } = timestamp;
	// Most services store this form: nothing has to be converted.
	if (offset === 'Z') return `${day}T${clock}${fraction.replace(/\.?0+$/, '')}`;
	return toUtcText(timestamp, zone)?.replace(/\.?0*Z$/, '');
}

/** Returns true for JavaScript's `Date`, also of a Code node, which has another class of that name. */
export const isDate = (value: unknown): value is Date =>
	Object.prototype.toString.call(value) === '[object Date]';

/** The day of a `Date` at midnight in UTC or in the workflow's zone; undefined at another time. */
export function dayOf(instant: Date, zone: Zone): string | undefined {
	const text = instant.toJSON();
	if (text === null) return undefined;
	const [utcDay = '', clock] = text.split('T');
	if (!isDay(utcDay)) return undefined;
	if (clock === '00:00:00.000Z') return utcDay;
	return [-1, 0, 1]
		.map((offset) => new Date(Date.parse(utcDay) + offset * DAY_MS).toISOString().slice(0, 10))
		.find((day) => zone.toUtc(day) === text);
}
