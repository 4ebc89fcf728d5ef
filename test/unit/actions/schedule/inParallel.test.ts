/** Work side by side: never too much of it, nothing after a failure, and nothing left behind at the end. */
import { inParallel } from '../../../../nodes/WorkspaceData/actions/schedule/items';
import { eachInSlices } from '../../../../nodes/WorkspaceData/actions/schedule/yieldToLoop';

const tick = async () => await new Promise(setImmediate);

/** Work whose ends a test chooses. */
function work() {
	const begun: string[] = [];
	const ends = new Map<string, (error?: Error) => void>();
	return {
		begun,
		do: async (entry: string) => {
			begun.push(entry);
			return await new Promise<string>((resolve, reject) =>
				ends.set(entry, (error) => (error ? reject(error) : resolve(`${entry} done`))),
			);
		},
		async end(entry: string, error?: Error) {
			ends.get(entry)?.(error);
			await tick();
		},
	};
}

test('as much is under way as may be, and the results have the order of the entries', async () => {
	const { begun, end, do: one } = work();
	const results = inParallel(['a', 'b', 'c', 'd'], () => 2, one);
	expect(begun).toEqual(['a', 'b']);
	await end('b');
	expect(begun).toEqual(['a', 'b', 'c']);
	await end('c');
	await end('d');
	expect(begun).toEqual(['a', 'b', 'c', 'd']);
	await end('a');
	expect(await results).toEqual(['a done', 'b done', 'c done', 'd done']);
});

test('the bound may change meanwhile; one at least is under way', async () => {
	const { begun, end, do: one } = work();
	let atOnce = 0;
	const results = inParallel(['a', 'b', 'c', 'd'], () => atOnce, one);
	expect(begun).toEqual(['a']);
	atOnce = 3;
	await end('a');
	expect(begun).toEqual(['a', 'b', 'c', 'd']);
	for (const entry of ['b', 'c', 'd']) await end(entry);
	expect(await results).toHaveLength(4);
});

test('after a failure nothing is begun, and what is under way is awaited', async () => {
	const { begun, end, do: one } = work();
	const told: unknown[] = [];
	let hasEnded = false;
	const entries = ['a', 'b', 'c', 'd', 'e'];
	const results = inParallel(
		entries,
		() => 3,
		one,
		(...all) => told.push(all),
	).finally(() => (hasEnded = true));
	const refused = expect(results).rejects.toThrow('first');
	await end('b');
	expect(begun).toEqual(['a', 'b', 'c', 'd']);
	const [first, second] = [new Error('first'), new Error('second')];
	await end('c', first);
	await end('a', second);
	expect(begun).not.toContain('e');
	expect(told).toEqual([]);
	expect(hasEnded).toBe(false);
	await end('d');
	await refused;
	expect(told).toEqual([[first, 2, [first, second]]]);
});

test('a failure needs nobody who is told of it; without entries there is nothing to do', async () => {
	const broken = async () => await Promise.reject(new Error('broken'));
	await expect(inParallel(['a'], () => 1, broken)).rejects.toThrow('broken');
	const never = () => {
		throw new Error('told of nothing');
	};
	expect(await inParallel([], () => 1, broken, never)).toEqual([]);
	expect(
		await inParallel(
			['a'],
			() => 1,
			async (one) => Promise.resolve(one),
			never,
		),
	).toEqual(['a']);
});

test.each([
	[0, 0],
	[1, 1],
	[100, 1],
	[101, 2],
	[250, 3],
])('work on %d entries lets others compute %d times', async (count, turns) => {
	let yields = 0;
	const worked: number[] = [];
	await eachInSlices(
		async () => {
			yields += 1;
			await Promise.resolve();
		},
		new Set(Array.from({ length: count }, (_, n) => n)),
		(entry) => void worked.push(entry),
	);
	expect(yields).toBe(turns);
	expect(worked).toEqual(Array.from({ length: count }, (_, n) => n));
});
