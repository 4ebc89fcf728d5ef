/** Order without a type: an operand that is a number is compared with numbers, a time with times, a text with texts. */
import type { Zone } from '../../time';
import { compareForms } from '../comparable';
import { byCharacter } from '../../text';
import { jsonForm } from '../form';
import { readNumber } from './number';
import { instantOf, readTimestamp, type Timestamp } from './timestamp';

type Order = (stored: unknown) => number | undefined;

/** Days as written; where both have a time, as instants. A day against a time is its beginning. */
function againstTime(operand: Timestamp, zone: Zone): Order {
	const instant = instantOf(operand, zone);
	return (stored) => {
		const time = typeof stored === 'string' ? readTimestamp(stored) : undefined;
		if (!time) return undefined;
		if (time.clock === undefined) return byCharacter(time.day, operand.day);
		const at = instantOf(time, zone);
		return at === undefined || instant === undefined ? undefined : compareForms(at, instant);
	};
}

/** How stored values stand to an operand: below, at or above it; undefined where the two have no order. */
export function orderAgainst(operand: unknown, zone: Zone): Order {
	const entered = jsonForm(operand);
	const number = readNumber(entered);
	if (number !== undefined) {
		return (stored) => {
			const other = readNumber(stored);
			return other === undefined ? undefined : compareForms(other, number);
		};
	}
	if (typeof entered !== 'string') return () => undefined;
	const time = readTimestamp(entered);
	if (time) return againstTime(time, zone);
	return (stored) =>
		typeof stored === 'string' && stored !== '' ? byCharacter(stored, entered) : undefined;
}
