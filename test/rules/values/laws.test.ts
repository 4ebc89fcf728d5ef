/** The laws of values: what is the same value, in which order values come, and what is sent. For every kind. */
import fc from 'fast-check';
import { InputError } from '../../../nodes/WorkspaceData/values/inputError';
import { compareForms } from '../../../nodes/WorkspaceData/values/comparable';
import type { ValueField } from '../../../nodes/WorkspaceData/values/kind';
import { field as fieldOf } from './field';
import { ORACLES, type KindOracle, type Spelled } from './oracle';
import { isBlank, isEmpty } from '../../../nodes/WorkspaceData/values/emptyValue';
import { conditionTest } from '../../../nodes/WorkspaceData/values/condition';
import { enter as enterAny } from '../../../nodes/WorkspaceData/values/entry';
import { identityOf, placeOf } from '../../../nodes/WorkspaceData/values/identity';
import { zone } from './zone';
import { cases } from '../../support/cases';

const keyOf = (field: ValueField, stored: unknown) => identityOf(field, stored, zone);
const enter = (field: ValueField, entered: unknown) => enterAny(field, entered, { zone });
const equals = (field: ValueField, entered: unknown) =>
	conditionTest('equals', entered, field, { zone });
function compare(field: ValueField, one: unknown, other: unknown): number {
	const [a, b] = [placeOf(field, one, zone), placeOf(field, other, zone)];
	return a.rank - b.rank || compareForms(a.form, b.form);
}

/** For each law of each kind. */
const CASES = cases(1_000);

/** As `expect(found).toEqual(wanted)` for plain values, and as quick as 100,000 cases need it. */
function check(found: unknown, wanted: unknown): void {
	if (found !== wanted) expect(found).toEqual(wanted);
}

/** Returns true if two spellings mean one value. */
const same = ({ compare: order }: KindOracle, a: Spelled, b: Spelled) =>
	order(a.meant, b.meant) === 0;

/** Two values of which some are the same one in two spellings. */
const pairOf = (oracle: KindOracle) =>
	fc
		.tuple(oracle.stored, fc.array(oracle.stored, { minLength: 1, maxLength: 6 }))
		.map(([a, others]) => [a, others.find((b) => same(oracle, a, b)) ?? others[0] ?? a] as const);

/** What an entry becomes, or `refused`. */
function entered(field: ValueField, value: unknown): unknown {
	try {
		return { sent: enter(field, value) };
	} catch (error) {
		if (error instanceof InputError) return 'refused';
		throw error;
	}
}
const isRefused = (field: ValueField, value: unknown) => entered(field, value) === 'refused';

const anything = fc.oneof(
	fc.jsonValue({ maxDepth: 2 }),
	fc.constant(undefined),
	fc.constantFrom('', ' ', [], null),
);

describe.each(Object.entries(ORACLES))('%s', (_kind, oracle) => {
	const field = fieldOf('F', oracle.type, [...(oracle.options ?? [])]);

	test('two stored values are one exactly where they mean one value', () => {
		fc.assert(
			fc.property(pairOf(oracle), ([a, b]) => {
				check(keyOf(field, a.spelling) === keyOf(field, b.spelling), same(oracle, a, b));
			}),
			CASES,
		);
	});

	test('they are ordered as what they mean, and have no order exactly where they are one', () => {
		fc.assert(
			fc.property(pairOf(oracle), ([a, b]) => {
				const order = Math.sign(compare(field, a.spelling, b.spelling));
				const expected = oracle.compare(a.meant, b.meant);
				check(expected === undefined ? order !== 0 : order, expected ?? true);
			}),
			CASES,
		);
	});

	test('what came from the service goes back as the same value, or is refused', () => {
		fc.assert(
			fc.property(oracle.stored, ({ spelling }) => {
				if (isRefused(field, spelling)) return;
				const sent = enter(field, spelling);
				check(keyOf(field, sent), keyOf(field, spelling));
				if (!isRefused(field, sent)) check(enter(field, sent), sent);
			}),
			CASES,
		);
	});

	test('an entry means what it says or is refused, and entering it twice is entering it once', () => {
		fc.assert(
			fc.property(oracle.entered, oracle.stored, (given, record) => {
				if (isRefused(field, given.spelling)) return;
				const sent = enter(field, given.spelling);
				if (!isRefused(field, sent)) check(enter(field, sent), sent);
				check(keyOf(field, sent) === keyOf(field, record.spelling), same(oracle, given, record));
			}),
			CASES,
		);
	});

	test('Equals finds exactly the records that an upsert on the same value would match', () => {
		fc.assert(
			fc.property(
				oracle.entered,
				fc.oneof(oracle.stored, oracle.entered),
				({ spelling }, record) => {
					// Nothing to compare with is refused by every condition.
					if (isRefused(field, spelling) || isEmpty(spelling)) return;
					if ([spelling].flat().some(isBlank)) return;
					const matches = keyOf(field, enter(field, spelling)) === keyOf(field, record.spelling);
					check(equals(field, spelling)(record.spelling), matches);
				},
			),
			CASES,
		);
	});

	test('whatever records hold, the order is total and transitive, and 0 exactly for one value', () => {
		const some = fc.oneof(
			anything,
			oracle.stored.map(({ spelling }) => spelling),
		);
		fc.assert(
			fc.property(some, some, some, (a, b, c) => {
				const order = compare(field, a, b);
				check(Math.sign(order) + Math.sign(compare(field, b, a)), 0);
				check(order === 0, keyOf(field, a) === keyOf(field, b));
				if (order <= 0 && compare(field, b, c) <= 0) {
					check(compare(field, a, c) <= 0, true);
				}
			}),
			CASES,
		);
	});
});
