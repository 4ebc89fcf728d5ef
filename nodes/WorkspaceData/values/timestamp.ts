/** Reads text of days and timestamps (ISO 8601), which two kinds share. */
import type { Zone } from './time';
import type { Between } from './comparable';
import { jsonForm } from './serialization';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** A day, or a day and a time, with its parts: day, time to the second, fraction, offset. */
const TIMESTAMP =
	/^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.(\d+))?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** The parts of a timestamp. */
export interface Timestamp {
	text: string;
	day: string;
	/** Hours and minutes, usually with seconds, without their fraction; undefined for a day alone. */
	clock: string | undefined;
	/** The digits of the fraction of a second, without trailing zeros. */
	fraction: string;
	/** Undefined if there is none, so that the instant depends on the time zone. */
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

/** Reads text, or an object whose JSON is text, as a timestamp; undefined if it isn't one. */
export function readTimestamp(value: unknown): Timestamp | undefined {
	const form = jsonForm(value);
	if (typeof form !== 'string') return undefined;
	const text = form.trim();
	const [, day, clock, fraction = '', offset] = TIMESTAMP.exec(text) ?? [];
	if (day === undefined || !isDay(day) || (clock === undefined && offset)) return undefined;
	return {
		text,
		day,
		clock,
		fraction: fraction.replace(/0+$/, ''),
		offset: offset && fullOffset(offset),
	};
}

/** Completes an offset: databases omit the minutes, or the colon. */
const fullOffset = (offset: string): string =>
	offset.replace(
		/^([+-]\d{2}):?(\d{2})?$/,
		(_, hours: string, minutes = '00') => `${hours}:${minutes}`,
	);

/**
 * The text of a timestamp. An offset without minutes or colon is completed, because some services refuse
 * it.
 */
export const isoText = ({ text, offset = '' }: Timestamp): string =>
	text.endsWith(offset) ? text : text.replace(/[+-]\d{2}(?::?\d{2})?$/, offset).replace(' ', 'T');

/** Returns true if a timestamp's time of day exists, or if it has none. */
export const isTimeOfDay = ({ day, clock, offset = 'Z' }: Timestamp): boolean =>
	clock === undefined || (clock < '24' && !Number.isNaN(Date.parse(`${day}T${clock}${offset}`)));

/**
 * The instant of a timestamp as ISO 8601 in UTC, with all digits of its fraction.
 *
 * @returns undefined if there is no such time, also because of a clock change
 */
export function toUtcText(
	{ day, clock, fraction, offset }: Timestamp,
	zone: Zone,
): string | undefined {
	const local = clock === undefined ? day : `${day}T${clock}`;
	const utc = offset === undefined ? zone.toUtc(local) : isoOf(Date.parse(`${local}${offset}`));
	return utc?.replace(/\.\d+Z$/, `.${fraction.padEnd(3, '0')}Z`);
}

const isoOf = (time: number): string | undefined =>
	Number.isNaN(time) ? undefined : new Date(time).toISOString();

/** The instant of a timestamp: ms since the epoch, and the finer digits. */
export function instantOf(timestamp: Timestamp, zone: Zone): number | Between | undefined {
	const { day, clock, fraction, offset } = timestamp;
	const utc = offset === undefined ? toUtcText(timestamp, zone) : `${day}T${clock}${offset}`;
	if (utc === undefined) return undefined;
	const seconds = Date.parse(utc);
	if (Number.isNaN(seconds)) return undefined;
	const ms = offset === undefined ? seconds : seconds + Number(fraction.slice(0, 3).padEnd(3, '0'));
	const finer = fraction.slice(3);
	return finer === '' ? ms : { near: ms, rest: `>${finer}` };
}
