/** Names in messages: short enough to be read, and never silently left out. */
import { clip, listed, quote } from '../../../nodes/WorkspaceData/model/nameList';

test('a name is cut after 80 characters, and shows that it is', () => {
	const longest = 'x'.repeat(80);
	expect(clip(longest)).toBe(longest);
	expect(clip(`${longest}y`)).toBe(`${longest}…`);
	expect(quote('a')).toBe("'a'");
	expect(quote(`${longest}y`)).toBe(`'${longest}…'`);
});

test.each<[string[], string]>([
	[[], ''],
	[['a'], 'a'],
	[['a', 'b'], 'a, b'],
	[['a', 'b', 'c'], 'a, b and 1 more'],
	[['a', 'b', 'c', 'd'], 'a, b and 2 more'],
])('of %j two are listed, and the others are counted', (names, expected) => {
	expect(listed(names, 2)).toBe(expected);
});
