/** The laws of values: what is the same value, in which order values come, and what is sent. For every kind. */
import fc from 'fast-check';
import { InputError } from '../../../nodes/WorkspaceData/values/inputError';
import { field as fieldOf } from './field';
import { isBlank, isEmpty } from '../../../nodes/WorkspaceData/values/emptyValue';
import { conditionTest } from '../../../nodes/WorkspaceData/values/condition';
import { enter as enterAny } from '../../../nodes/WorkspaceData/values/entry';
import { compareForms, identityOf, placeOf } from '../../../nodes/WorkspaceData/values/identity';
import { anyValue } from './tables';
import { zone } from './zone';
import { cases } from '../../support/cases';

const TYPES = 'text number boolean date datetime single_select multi_select json future'.split(' ');
const CHOICES = ['Open', 'Done', 'In work', 'a, b', 'home', 'garden', 'office'];
/** For each law of each kind. */
const CASES = cases(1_000);

/** As `expect(found).toEqual(wanted)` for plain values, and as quick as 100,000 cases need it. */
function check(found: unknown, wanted: unknown): void {
	if (found !== wanted) expect(found).toEqual(wanted);
}

describe.each(TYPES)('%s', (type) => {
	const field = fieldOf('F', type, type.endsWith('select') ? CHOICES : []);
	const keyOf = (stored: unknown) => identityOf(field, stored, zone);
	const enter = (entered: unknown) => enterAny(field, entered, { zone });
	function compare(one: unknown, other: unknown): number {
		const [a, b] = [placeOf(field, one, zone), placeOf(field, other, zone)];
		return a.rank - b.rank || compareForms(a.form, b.form);
	}
	function isRefused(value: unknown): boolean {
		try {
			enter(value);
			return false;
		} catch (error) {
			if (error instanceof InputError) return true;
			throw error;
		}
	}

	test('an entry means what it says or is refused, and entering it twice is entering it once', () => {
		fc.assert(
			fc.property(anyValue, (given) => {
				if (isRefused(given)) return;
				const sent = enter(given);
				// A choice may be entered in another case, and in a list.
				if (!type.endsWith('select')) check(keyOf(sent), keyOf(given));
				if (!isRefused(sent)) check(enter(sent), sent);
			}),
			CASES,
		);
	});

	test('Equals finds exactly the records that an upsert on the same value would match', () => {
		fc.assert(
			fc.property(anyValue, anyValue, (given, other) => {
				// Nothing to compare with is refused by every condition.
				if (isRefused(given) || isEmpty(given) || [given].flat().some(isBlank)) return;
				const equals = conditionTest('equals', given, field, { zone });
				const sent = enter(given);
				for (const record of [given, sent, other])
					check(equals(record), keyOf(sent) === keyOf(record));
			}),
			CASES,
		);
	});

	test('whatever records hold, the order is total and transitive, and 0 exactly for one value', () => {
		fc.assert(
			fc.property(anyValue, anyValue, anyValue, (a, b, c) => {
				const order = compare(a, b);
				check(Math.sign(order) + Math.sign(compare(b, a)), 0);
				check(order === 0, keyOf(a) === keyOf(b));
				if (order <= 0 && compare(b, c) <= 0) check(compare(a, c) <= 0, true);
			}),
			CASES,
		);
	});
});
