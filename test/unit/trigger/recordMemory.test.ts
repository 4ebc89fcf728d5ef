/** What Catch Up asks of n8n's memory for duplicates, and what it leaves in it. */
import {
	CLOSE_MS,
	createKnownRecords,
	LOOKUP_SIZE,
} from '../../../nodes/WorkspaceData/trigger/catchUp/knownRecords';

const NOW = 1_700_000_000_000;

/** A memory with these entries, of which n8n keeps so many. */
function world(
	first: string[] = [],
	entries = 20,
	isLandmark: (key: string) => boolean = () => false,
) {
	let kept = [...first];
	const asked: number[] = [];
	let removals = 0;
	const table = {
		async add(keys: readonly string[], most: number) {
			asked.push(keys.length);
			const fresh = keys.filter((key) => !kept.includes(key));
			kept = [...kept, ...fresh].slice(-most);
			return fresh;
		},
		async remove(keys: readonly string[]) {
			removals += 1;
			kept = kept.filter((key) => !keys.includes(key));
		},
		count: async () => kept.length,
	};
	const known = createKnownRecords(table, async (task) => await task(), { entries, isLandmark });
	return { known, kept: () => kept, asked, removals: () => removals };
}
const names = (count: number) => Array.from({ length: count }, (_, n) => `k${n}`);
const record = (key: string, createdAt: number | undefined = NOW) => ({ key, createdAt });

test('the memory counts as full from ten entries before its end, as landmarks are moved', async () => {
	expect(await world(names(9)).known.isFull()).toBe(false);
	expect(await world(names(10)).known.isFull()).toBe(true);
});

test('looking up finds what is there, and remembers and forgets nothing, even in a full memory', async () => {
	const { known, kept } = world(names(20));
	expect([...(await known.lookUp(['x', 'k3', 'y', 'k19']))]).toEqual(['k3', 'k19']);
	expect(kept()).toEqual(names(20));
});

test('looking up only what is there removes nothing, as n8n would write all entries again', async () => {
	const { known, removals } = world(names(20));
	await known.lookUp(['k3', 'k19']);
	expect(removals()).toBe(0);
});

test('an empty memory, or no question, costs nothing', async () => {
	const empty = world();
	expect((await empty.known.lookUp(['x'])).size).toBe(0);
	const full = world(names(3));
	expect((await full.known.lookUp([])).size).toBe(0);
	expect([...empty.asked, ...full.asked]).toEqual([]);
});

test('a long question is asked in parts', async () => {
	const { known, asked } = world(['k0', 'k1500']);
	expect([...(await known.lookUp(names(LOOKUP_SIZE + 600)))]).toEqual(['k0', 'k1500']);
	expect(asked).toEqual([LOOKUP_SIZE, 600]);
});

test('records are taken once; one that is a landmark leaves its time behind', async () => {
	const { known, kept } = world([], 20, (key) => key === 'b');
	expect([...(await known.take([record('a')], []))]).toEqual(['a']);
	expect(kept()).toEqual(['a']);
	expect([...(await known.take([record('a'), record('b')], []))]).toEqual(['b']);
	expect(kept()).toHaveLength(6);
	const before = kept();
	await known.take([record('b')], []);
	expect(kept()).toEqual(before);
	expect((await known.take([], [])).size).toBe(0);
});

test('a landmark without a time leaves nothing behind', async () => {
	const { known, kept } = world([], 20, () => true);
	await known.take([{ key: 'a', createdAt: undefined }], []);
	expect(kept()).toEqual(['a']);
});

test('the last search that was completed is found', async () => {
	const { known } = world(names(1));
	expect(await known.lastSearched([NOW, NOW + 1])).toBeUndefined();
	await known.complete(NOW, []);
	await known.complete(NOW + 1, []);
	expect(await known.lastSearched([NOW, NOW + 1, NOW + 2])).toBe(NOW + 1);
});

test('a search remembers its records close to its end, and says which came meanwhile', async () => {
	const { known, kept } = world(['came']);
	const found = [
		record('old', NOW - CLOSE_MS),
		record('close', NOW - CLOSE_MS + 1),
		record('came'),
		{ key: 'timeless', createdAt: undefined },
	];
	expect([...(await known.complete(NOW, found))]).toEqual(['came']);
	expect(kept()).toEqual(['came', 'close', 'timeless', `searched up to ${NOW}`]);
});

test('of very many records close to its end, a search remembers the last ones', async () => {
	const { known, kept } = world([], 5_000);
	await known.complete(
		NOW,
		names(LOOKUP_SIZE + 500).map((key) => record(key)),
	);
	expect(kept()).toEqual([...names(LOOKUP_SIZE + 500).slice(500), `searched up to ${NOW}`]);
});

describe('the time that a search must cover', () => {
	const search = { from: NOW, earlier: [NOW + 20, NOW + 10], upTo: NOW + 30 };
	const edges = async ({ known }: ReturnType<typeof world>, job = search) =>
		(await known.stretches(job)).map(({ after, upTo }) => [after - NOW, upTo - NOW]);

	test('is divided by the searches that were begun', async () => {
		expect(await edges(world())).toEqual([
			[0, 10],
			[10, 20],
			[20, 30],
		]);
	});

	test('begins at the last one that was completed', async () => {
		const one = world();
		await one.known.complete(NOW + 10, []);
		expect(await edges(one, { ...search, earlier: [NOW + 10, NOW + 20] })).toEqual([
			[10, 20],
			[20, 30],
		]);
	});

	test('is one piece where a full memory has forgotten all searches', async () => {
		expect(await edges(world(names(20)))).toEqual([[0, 30]]);
	});

	test('is divided by later searches even where the memory was full before the first one', async () => {
		const full = world(names(20));
		expect(await edges(full, { from: NOW, earlier: [], upTo: NOW + 10 })).toEqual([[0, 10]]);
		expect(await edges(full, { from: NOW, earlier: [NOW + 10], upTo: NOW + 30 })).toEqual([
			[0, 10],
			[10, 30],
		]);
	});

	test('has the oldest landmark of each piece, where records may be forgotten', async () => {
		const one = world(names(12), 60, (key) => key.startsWith('mark'));
		await one.known.take([record('mark1', NOW + 15), record('mark2', NOW + 18)], []);
		const stretches = async () =>
			(await one.known.stretches(search)).map(({ cameUpTo }) => cameUpTo && cameUpTo - NOW);
		expect(await stretches()).toEqual([undefined, undefined, undefined]);
		await one.known.take(
			names(60)
				.map((key) => record(`n${key}`))
				.slice(0, 40),
			[],
		);
		expect((await stretches()).includes(15)).toBe(true);
	});
});
