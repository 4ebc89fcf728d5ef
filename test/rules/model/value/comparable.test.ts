/** What is the same value, and which comes first. */
import {
	compareForms,
	keyOfForm,
	type Comparable,
} from '../../../../nodes/WorkspaceData/model/value/comparable';

describe('forms in their order', () => {
	const ordered: Comparable[] = [
		-Infinity,
		{ near: -1, rest: '<1' },
		-1,
		{ near: -1, rest: '>1' },
		{ near: -1, rest: '>2' },
		0,
		7,
		'',
		'a',
		'b',
		[],
		[1],
		[1, 1],
		[1, 2],
		[2],
		['a'],
		[[1]],
	];

	test('numbers, then texts, then lists; each one is itself', () => {
		for (const [i, a] of ordered.entries()) {
			for (const [j, b] of ordered.entries()) {
				expect([a, b, Math.sign(compareForms(a, b))]).toEqual([a, b, Math.sign(i - j)]);
				expect(keyOfForm(a) === keyOfForm(b)).toBe(i === j);
			}
		}
		expect(compareForms(0, -0)).toBe(0);
		expect(keyOfForm(0)).toBe(keyOfForm(-0));
	});

	test('texts as told, in lists, too', () => {
		const backwards = (a: string, b: string) => (a === b ? 0 : a < b ? 1 : -1);
		expect(compareForms('a', 'b', backwards)).toBe(1);
		expect(compareForms(['x', 'a'], ['x', 'b'], backwards)).toBe(1);
	});
});
