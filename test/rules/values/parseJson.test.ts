import fc from 'fast-check';
import { isExactJson, tryParse } from '../../../nodes/WorkspaceData/values/json';

test('what is parsed is what JSON.parse gives, but for whole numbers beyond 2^53: these are their digits', () => {
	const value = fc.letrec((tie) => ({
		any: fc.oneof(
			{ maxDepth: 4 },
			fc.string(),
			fc.constantFrom('12345678901234567890', '"-9007199254740993', '\\', '1e400'),
			fc.double({ min: -1e9, max: 1e9, noNaN: true }),
			fc.boolean(),
			fc.constant(null),
			fc.bigInt(),
			fc.array(tie('any')),
			fc.dictionary(fc.string(), tie('any')),
		),
	})).any;
	const isLong = (part: unknown) => typeof part === 'bigint' && !Number.isSafeInteger(Number(part));
	const json = (part: unknown, long: (digits: bigint) => string): string => {
		if (typeof part === 'bigint') return isLong(part) ? long(part) : String(part);
		if (Array.isArray(part)) return `[${part.map((one) => json(one, long)).join()}]`;
		if (typeof part !== 'object' || part === null) return JSON.stringify(part);
		const members = Object.entries(part).map(
			([key, one]) => `${JSON.stringify(key)}:${json(one, long)}`,
		);
		return `{${members.join()}}`;
	};
	fc.assert(
		fc.property(value, (one) => {
			const sent = json(one, String);
			const expected = json(one, (digits) => `"${digits}"`);
			expect(tryParse(sent)).toEqual({ value: JSON.parse(expected) });
			if (sent === expected) expect(isExactJson(sent)).toBe(true);
		}),
	);
});

test.each(['', '{', 'x', '{"a":01}', '9007199254740993x'])('%j is not JSON', (text) => {
	expect(tryParse(text)).toBeUndefined();
});
