/** Names and values in messages: short enough to be read, and never silently left out. */
import { clip, listed, quote, showValue } from '../../../nodes/WorkspaceData/values/messageText';

test('a name is cut after 80 characters, and shows that it is', () => {
	const longest = 'x'.repeat(80);
	expect(clip(longest)).toBe(longest);
	expect(quote(`${longest}y`)).toBe(`'${longest}…'`);
});

test('twenty names are listed, and the others are counted', () => {
	const names = Array.from({ length: 22 }, (_, place) => `n${place}`);
	expect(listed(names.slice(0, 20))).toMatch(/^n0, n1, .*n19$/);
	expect(listed(names)).toMatch(/^n0, .*n19 and 2 more$/);
});

test.each<[unknown, string]>([
	['a', '"a"'],
	[undefined, 'undefined'],
	[NaN, 'NaN'],
	[new Date(NaN), 'Invalid Date'],
	[new Date(0), '"1970-01-01T00:00:00.000Z"'],
	[{ a: [1, Infinity, 'x'] }, '{"a":[1,"Infinity","x"]}'],
	[Object.create(null, { n: { value: 0n, enumerable: true } }), '{"n":"0"}'],
	['x'.repeat(58), `"${'x'.repeat(58)}"`],
	['x'.repeat(59), `"${'x'.repeat(59)}…`],
	[['x'.repeat(100), 1n], `["${'x'.repeat(58)}…`],
])('%p is shown as %s', (value, shown) => {
	expect(showValue(value)).toBe(shown);
});
