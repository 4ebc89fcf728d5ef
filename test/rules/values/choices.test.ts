import fc from 'fast-check';
import { quoteChoice, splitChoices } from '../../../nodes/WorkspaceData/values/choices';

const known = ['Red, white', 'Red', 'white', 'a, b, c', '"quoted"'];
const split = (text: string) => splitChoices(text, (choice) => known.includes(choice));

test.each([
	['Red, white', ['Red, white']],
	['eu,Red, white , Red', ['eu', 'Red, white', 'Red']],
	['a, b, c, d', ['a, b, c', 'd']],
	['"Red", "white"', ['Red', 'white']],
	['"blue, green", eu', ['blue, green', 'eu']],
	['5"" pipe, "5"" pipe"', ['5"" pipe', '5" pipe']],
	['"quoted"', ['"quoted"']],
	['"open, eu', ['"open', 'eu']],
	['" blue ", "" , "  "', ['blue']],
	[' , ,', []],
])('%j means %j', (text, choices) => {
	expect(split(text)).toEqual(choices);
});

test('whatever the choices are, quoted and joined they come back', () => {
	const choice = fc
		.string({ minLength: 1 })
		.map((text) => text.trim())
		.filter((text) => text !== '');
	fc.assert(
		fc.property(fc.array(choice), (choices) => {
			const text = choices.map(quoteChoice).join(', ');
			expect(splitChoices(text, () => false)).toEqual(choices);
		}),
	);
});

test('a long text takes time in proportion to its length', () => {
	const parts = Array.from({ length: 50_000 }, (_, n) => `"${n}`).join(',');
	expect(splitChoices(parts, () => false)).toHaveLength(50_000);
});
