/** Names and values in messages: short enough to be read, and never silently left out. */
import { clip, listed, quote, showValue } from '../../../nodes/WorkspaceData/values/messageText';

test('a name is cut after 80 characters, and shows that it is', () => {
	const longest = 'x'.repeat(80);
	expect(clip(longest)).toBe(longest);
	expect(quote(`${longest}y`)).toBe(`'${longest}…'`);
});

test.each<[string[], string]>([
	[[], ''],
	[['a', 'b'], 'a, b'],
	[['a', 'b', 'c', 'd'], 'a, b and 2 more'],
])('of %j two are listed, and the others are counted', (names, expected) => {
	expect(listed(names, 2)).toBe(expected);
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
