/** Durations: ISO 8601 such as `PT1H30M`, clock time such as `1:30:00`, or numbers in the service's unit. */
import type { Comparable } from '../comparable';
import { ANY_OF, EQUALITY, habitOfNumbers, ORDER, unusable, type Kind } from './kind';
import { isCanonicalNumber } from '../decimal';

const ISO =
	/^(-?)P(?=\w)(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6}(?:\.\d{1,3})?)S)?)?$/;
const CLOCK = /^(-?)(\d{1,6}):([0-5]\d)(?::([0-5]\d(?:\.\d{1,3})?))?$/;

/** The duration in ms; undefined for all other text. Years and months have no fixed length. */
function lengthOf(text: string): number | undefined {
	const [, isoSign, weeks, days, isoHours, isoMinutes, isoSeconds] = ISO.exec(text) ?? [];
	const [, clockSign, clockHours, clockMinutes, clockSeconds] = CLOCK.exec(text) ?? [];
	const sign = isoSign ?? clockSign;
	if (sign === undefined) return undefined;
	const part = (...texts: Array<string | undefined>) => Number(texts.find(Boolean) ?? 0);
	const hours = (part(weeks) * 7 + part(days)) * 24 + part(isoHours, clockHours);
	const minutes = hours * 60 + part(isoMinutes, clockMinutes);
	const ms = minutes * 60_000 + Math.round(part(isoSeconds, clockSeconds) * 1_000);
	return sign === '-' ? -ms : ms;
}

/** Numbers are only compared with numbers, because only the service knows their unit. */
function readDuration(stored: unknown): Comparable | undefined {
	if (typeof stored === 'number') return stored;
	if (typeof stored !== 'string') return undefined;
	const text = stored.trim();
	const length = lengthOf(text);
	if (length !== undefined) return [length];
	return isCanonicalNumber(text) ? Number(text) : undefined;
}

export const duration: Kind = {
	types: ['duration', 'timespan'],
	newTypes: [],
	read: readDuration,
	enter(entered, field, { whole }) {
		if (typeof entered !== 'string') return entered;
		const text = entered.trim();
		if (lengthOf(text) !== undefined) return whole ? entered : text;
		if (isCanonicalNumber(text)) return field.habit === 'numbers' ? Number(text) : text;
		throw unusable(field, entered);
	},
	dependsOnRecords: (entered) => typeof entered === 'string' && isCanonicalNumber(entered.trim()),
	habitOf: habitOfNumbers,
	accepts: () => 'Enter a length of time such as 1:30:00 or PT1H30M, or a number.',
	conditions: [...EQUALITY, ...ANY_OF, ...ORDER],
	input: { type: 'string', canMatch: true },
};
