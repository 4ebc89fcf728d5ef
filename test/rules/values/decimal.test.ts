/** Decimal texts with more digits than a number keeps. */
import fc from 'fast-check';
import {
	isCanonicalNumber,
	keepsDigits,
	readDecimal,
} from '../../../nodes/WorkspaceData/values/decimal';
import { compareForms } from '../../../nodes/WorkspaceData/values/comparable';
import { compareDecimals, decimalOf } from './oracle';

test.each<[string, unknown]>([
	['12', 12],
	['-12.50', -12.5],
	[' +1e3 ', 1000],
	['.5', 0.5],
	['5.', 5],
	['0e999', 0],
	[' ', undefined],
	['.', undefined],
	['0x10', undefined],
	['Infinity', undefined],
	['1e', undefined],
	['1e1234567890123456', undefined],
])('%j is the number %j', (text, number) => {
	expect(readDecimal(text)).toEqual(number);
});

test.each<[string, number, string]>([
	['9007199254740993', 9007199254740992, '>'],
	['9007199254740991.5', 9007199254740992, '<'],
	['-9007199254740993', -9007199254740992, '<'],
	['1e400', Infinity, '<'],
	['1e-400', 0, '>'],
	['-1e-400', -0, '<'],
])('%s lies next to %d', (text, near, side) => {
	const read = readDecimal(text);
	expect(read).toMatchObject({ near, rest: expect.stringMatching(new RegExp(`^${side}`)) });
});

test('any two decimals are ordered as what they are, however many digits they have', () => {
	const text = fc
		.tuple(
			fc.constantFrom('', '-'),
			fc.stringMatching(/^[019]{1,24}$/),
			fc.integer({ min: -340, max: 340 }),
		)
		.map(([sign, digits, power]) => `${sign}${digits}e${power}`);
	fc.assert(
		fc.property(text, text, (a, b) => {
			const [left, right] = [readDecimal(a), readDecimal(b)];
			if (left === undefined || right === undefined) throw new Error('no decimals');
			expect(Math.sign(compareForms(left, right))).toBe(
				compareDecimals(decimalOf(a), decimalOf(b)),
			);
		}),
	);
});

test('a number as it is written, and nothing else', () => {
	const canonical = ['0', '12', '-7', '0.25', '1e+21', '5e-324'];
	const others = ['', ' 1', '1.0', '01', '+1', '-0', '1e3', 'Infinity', 'NaN', '9007199254740993'];
	expect([...canonical, ...others].filter(isCanonicalNumber)).toEqual(canonical);
});

test.each<[string, boolean]>([
	['12', true],
	['0.10000000000000001', true],
	['9007199254740993', false],
	['1e400', false],
	[`0.1${'0'.repeat(120)}1`, false],
])('a number keeps all digits of %s: %s', (text, keeps) => {
	expect(keepsDigits(text)).toBe(keeps);
});
