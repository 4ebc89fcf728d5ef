/** Names in messages: short enough to be read, never silently left out, and none but what was probably meant. */
import fc from 'fast-check';
import { askForNearest, nearestNames } from '../../../nodes/WorkspaceData/values/similarNames';
import { clip, listed, quote } from '../../../nodes/WorkspaceData/values/messageText';

test('a name is cut after 80 characters, and shows that it is', () => {
	const longest = 'x'.repeat(80);
	expect(clip(longest)).toBe(longest);
	expect(clip(`${longest}y`)).toBe(`${longest}…`);
	expect(quote('a')).toBe("'a'");
	expect(quote(`${longest}y`)).toBe(`'${longest}…'`);
});

test.each<[string[], string]>([
	[[], ''],
	[['a', 'b'], 'a, b'],
	[['a', 'b', 'c', 'd'], 'a, b and 2 more'],
])('of %j two are listed, and the others are counted', (names, expected) => {
	expect(listed(names, 2)).toBe(expected);
});

describe('near names', () => {
	test.each<[string, string[], string[]]>([
		['email', ['Name', 'E-mail', 'Company'], ['E-mail']],
		['Phone', ['Name', 'E-mail', 'Company'], []],
		['Order', ['Customers', 'Orders 2026', 'Archive', 'Orders'], ['Orders', 'Orders 2026']],
		['Adress', ['Address', 'Address 2', 'Dress'], ['Address', 'Dress', 'Address 2']],
		['', ['Name'], []],
	])('for %j in %j: %j', (key, names, near) => {
		expect(nearestNames(key, names)).toEqual(near);
	});

	const word = fc.stringMatching(/^[a-z]{4,20}$/);

	test('one slip of the keyboard is found among names that have nothing in common', () => {
		fc.assert(
			fc.property(
				word,
				fc.nat(),
				fc.constantFrom('drop', 'double', 'swap', 'replace'),
				(name, at, slip) => {
					const place = at % (name.length - 1);
					const [letter, next] = name.slice(place);
					const [before, after] = [name.slice(0, place), name.slice(place + 2)];
					const middle = {
						drop: next,
						double: `${letter}${letter}${next}`,
						swap: `${next}${letter}`,
						replace: `1${next}`,
					}[slip];
					expect(nearestNames(before + middle + after, ['42', name, '4711'])).toContain(name);
				},
			),
		);
	});

	test('a question is asked only where a name is near', () => {
		expect(askForNearest('Nmae', ['Name'])).toBe("Did you mean 'Name'?");
		expect(askForNearest('Phone', ['Name'])).toBe('');
	});
});
