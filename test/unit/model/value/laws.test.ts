/** The laws of values: what is the same value, in which order values come, and what is sent. For every kind. */
import fc from 'fast-check';
import { InputError } from '../../../../nodes/WorkspaceData/model/inputError';
import { field as fieldOf } from '../fields';
import { compareDecimals, decimalOf, ORACLES, type KindOracle } from './oracle';
import { compare, enter, equals, keyOf } from './subject';

/** Cases for each law of each kind; more on demand: `VALUE_CASES=100000`. */
const CASES = { numRuns: Number(process.env.VALUE_CASES ?? 10_000) };

/** Two values of which some are the same one in two spellings. */
const pairOf = (oracle: KindOracle) =>
	fc.tuple(oracle.stored, fc.array(oracle.stored, { minLength: 1, maxLength: 6 })).map(
		([a, others]) => [a, others.find((b) => oracle.same(a.meant, b.meant)) ?? others[0] ?? a] as const,
	);

/** What an entry becomes, or `refused`. */
function entered(field: ReturnType<typeof fieldOf>, value: unknown): unknown {
	try {
		return { sent: enter(field, value) };
	} catch (error) {
		if (error instanceof InputError) return 'refused';
		throw error;
	}
}
const isRefused = (field: ReturnType<typeof fieldOf>, value: unknown) =>
	entered(field, value) === 'refused';

const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined), fc.constantFrom('', ' ', [], null));

describe.each(Object.entries(ORACLES))('%s', (_kind, oracle) => {
	const field = fieldOf('F', oracle.type, [...(oracle.options ?? [])]);

	test('two stored values are one exactly where they mean one value', () => {
		fc.assert(
			fc.property(pairOf(oracle), ([a, b]) => {
				expect([a, b, keyOf(field, a.spelling) === keyOf(field, b.spelling)]).toEqual([
					a,
					b,
					oracle.same(a.meant, b.meant),
				]);
			}),
			CASES,
		);
	});

	test('they are ordered as what they mean, and have no order exactly where they are one', () => {
		fc.assert(
			fc.property(pairOf(oracle), ([a, b]) => {
				const order = Math.sign(compare(field, a.spelling, b.spelling));
				const expected = oracle.compare(a.meant, b.meant);
				if (expected === undefined) expect([a, b, order]).not.toEqual([a, b, 0]);
				else expect([a, b, order]).toEqual([a, b, expected]);
			}),
			CASES,
		);
	});

	test('what came from the service goes back as the same value, or is refused', () => {
		fc.assert(
			fc.property(oracle.stored, ({ spelling }) => {
				if (isRefused(field, spelling)) return;
				const sent = enter(field, spelling);
				expect([spelling, keyOf(field, sent)]).toEqual([spelling, keyOf(field, spelling)]);
				expect(enter(field, sent)).toEqual(sent);
			}),
			CASES,
		);
	});

	test('an entry means what it says or is refused, and entering it twice is entering it once', () => {
		fc.assert(
			fc.property(oracle.entered, oracle.stored, (given, record) => {
				if (isRefused(field, given.spelling)) return;
				const sent = enter(field, given.spelling);
				expect(enter(field, sent)).toEqual(sent);
				expect([given, record, keyOf(field, sent) === keyOf(field, record.spelling)]).toEqual([
					given,
					record,
					oracle.same(given.meant, record.meant),
				]);
			}),
			CASES,
		);
	});

	test('Equals finds exactly the records that an upsert on the same value would match', () => {
		fc.assert(
			fc.property(oracle.entered, fc.oneof(oracle.stored, oracle.entered), ({ spelling }, record) => {
				if (isRefused(field, spelling)) return;
				const matches = keyOf(field, enter(field, spelling)) === keyOf(field, record.spelling);
				expect([spelling, record, equals(field, spelling)(record.spelling)]).toEqual([
					spelling,
					record,
					matches,
				]);
			}),
			CASES,
		);
	});

	test('whatever records hold, the order is total and transitive, and 0 exactly for one value', () => {
		const some = fc.oneof(anything, oracle.stored.map(({ spelling }) => spelling));
		fc.assert(
			fc.property(some, some, some, (a, b, c) => {
				const order = compare(field, a, b);
				expect([a, b, Math.sign(order)]).toEqual([a, b, -Math.sign(compare(field, b, a)) + 0]);
				expect([a, b, order === 0]).toEqual([a, b, keyOf(field, a) === keyOf(field, b)]);
				if (order <= 0 && compare(field, b, c) <= 0) {
					expect([a, b, c, compare(field, a, c) <= 0]).toEqual([a, b, c, true]);
				}
			}),
			CASES,
		);
	});
});

test('a number is sent with all its digits, or refused', () => {
	const field = fieldOf('F', 'number');
	const digits = fc.stringMatching(/^-?[0-9]{1,20}(\.[0-9]{1,25})?(e-?[0-9]{1,3})?$/);
	fc.assert(
		fc.property(digits, (text) => {
			if (isRefused(field, text)) return;
			const sent = enter(field, text);
			expect([text, compareDecimals(decimalOf(String(sent)), decimalOf(text))]).toEqual([text, 0]);
		}),
		CASES,
	);
});
