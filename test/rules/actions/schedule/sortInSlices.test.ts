/** Sorting in slices: the same order as sorting at once, and others get their turn. */
import fc from 'fast-check';
import { sortInSlices } from '../../../../nodes/WorkspaceData/actions/schedule/yieldToLoop';
import { cases } from '../../../support/cases';

/** Entries that are equal for the order, and differ in their place. */
const entriesOf = (keys: readonly number[]) => keys.map((key, place) => ({ key, place }));
type Entry = ReturnType<typeof entriesOf>[number];
const byKey = (a: Entry, b: Entry) => a.key - b.key;

const sorted = async (keys: readonly number[]) => {
	let yields = 0;
	const yieldToLoop = async () => void (yields += 1);
	return { entries: await sortInSlices(yieldToLoop, entriesOf(keys), byKey), yields };
};

test('no record is lost, and equal ones keep their order, however many there are', async () => {
	const lists = fc
		.tuple(fc.nat(4_500), fc.integer({ min: 1, max: 5_000 }), fc.integer())
		.map(([length, spread, seed]) =>
			Array.from({ length }, (_, place) => Math.abs((place * 7_919 + seed) % spread)),
		);
	await fc.assert(
		fc.asyncProperty(lists, async (keys) => {
			expect((await sorted(keys)).entries).toEqual(entriesOf(keys).sort(byKey));
		}),
		cases(20),
	);
});

test.each([
	['the first half comes last', (place: number) => (place < 1_500 ? 5_000 : 0) + place],
	['the second half comes first and ends early', (place: number) => (place >= 1_000 ? -1 : place)],
	['they are sorted already', (place: number) => place],
	['they come in reverse', (place: number) => -place],
])('all records come out where %s', async (_, keyOf) => {
	const keys = Array.from({ length: 2_100 }, (__, place) => keyOf(place));
	expect((await sorted(keys)).entries).toEqual(entriesOf(keys).sort(byKey));
});

test('none and one are sorted', async () => {
	expect((await sorted([])).entries).toEqual([]);
	expect((await sorted([5])).entries).toEqual([{ key: 5, place: 0 }]);
});

test('others get their turn with each thousand records, sorted or merged', async () => {
	expect((await sorted([3, 1, 2])).yields).toBe(1);
	const keys = Array.from({ length: 4_000 }, (_, place) => place % 1_000);
	// Four slices, two merges of two thousand, one of four thousand.
	expect((await sorted(keys)).yields).toBe(4 + 2 * 2 + 4);
});
