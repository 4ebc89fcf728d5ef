import fc from 'fast-check';

import { tryParse } from '../../../../nodes/WorkspaceData/model/response/parseJson';

const parse = (text: string) => tryParse(text)?.value;

test.each<[string, unknown]>([
	['{"id":9007199254740993}', { id: '9007199254740993' }],
	['[-1E400, 1e-400]', ['-1E400', '1e-400']],
	['[363228830310334464,363228830310334460]', ['363228830310334464', '363228830310334460']],
	['[0.1000000000000000055511151231257827]', ['0.1000000000000000055511151231257827']],
])('a number that would lose digits keeps them, as a text: %s', (json, value) => {
	expect(parse(json)).toEqual(value);
});

test.each<[string, unknown]>([
	['{"id":9007199254740991}', { id: 9007199254740991 }],
	['[0.10000000000000001]', [0.1]],
	['[12.50000000000000000000]', [12.5]],
	['[1e5,1.5E-7,5e-324]', [1e5, 1.5e-7, 5e-324]],
	['"12345678901234567890"', '12345678901234567890'],
	['{"12345678901234567890":"\\":1e400"}', { '12345678901234567890': '":1e400' }],
])('a number that keeps its value, and digits in text, stay unchanged: %s', (json, value) => {
	expect(parse(json)).toEqual(value);
});

test('what JSON can hold comes back as it was, next to a number that is too long', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			const json = JSON.stringify({ value, long: 1 }).replace(/1}$/, '12345678901234567890}');
			expect(parse(json)).toEqual({
				value: JSON.parse(JSON.stringify(value), (_key, part: unknown) => {
					const isLong = Number.isInteger(part) && !Number.isSafeInteger(part);
					return isLong && /^-?\d+$/.test(String(part)) ? String(part) : part;
				}),
				long: '12345678901234567890',
			});
		}),
	);
});

test('a long text of escaped characters is parsed', () => {
	const text = '\n'.repeat(1_000_000);
	expect(parse(`[${JSON.stringify(text)},1e400]`)).toEqual([text, '1e400']);
});

test.each(['', '{', '12345678901234567890,', '"'])('%j is no JSON', (text) => {
	expect(tryParse(text)).toBeUndefined();
});
