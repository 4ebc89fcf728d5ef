/** The queue of large pieces of work, turn by turn. */
import { createHeavyWork } from '../../../service/foundation/heavyWork.ts';
import { inSlices } from '../../../service/foundation/slices.ts';

/** A queue whose turns the test brings about. */
function queue(between?: number) {
	const scheduled: Array<() => void> = [];
	const heavyWork = createHeavyWork(between, (turn) => scheduled.push(turn));
	const begun: string[] = [];
	return {
		begun,
		ask: (owner: string, name = owner, number?: number) =>
			void heavyWork(owner, number).then(() => begun.push(name)),
		/** @returns whether there was one */
		async turn() {
			const next = scheduled.shift();
			next?.();
			await Promise.resolve();
			await Promise.resolve();
			return next !== undefined;
		},
		scheduled,
	};
}

test('the first piece begins in the next turn, not before', async () => {
	const { ask, turn, begun } = queue();
	ask('a');
	await Promise.resolve();
	expect(begun).toEqual([]);
	expect(await turn()).toBe(true);
	expect(begun).toEqual(['a']);
});

test('small requests have three turns between two large pieces', async () => {
	const { ask, turn, begun } = queue();
	ask('a', 'first');
	ask('a', 'second');
	await turn();
	const seen = [];
	for (let n = 0; n < 3; n++) {
		await turn();
		seen.push(begun.length);
	}
	expect(seen).toEqual([1, 1, 2]);
});

test('owners take turns, however much one of them asks for', async () => {
	const { ask, turn, begun } = queue(1);
	for (const name of ['a1', 'a2', 'a3']) ask('a', name);
	for (const name of ['b1', 'b2']) ask('b', name);
	ask('c', 'c1');
	for (let n = 0; n < 6; n++) await turn();
	expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('of one owner, the request that came first goes on before others begin', async () => {
	const { ask, turn, begun } = queue(1);
	ask('a', 'third', 3);
	ask('a', 'second', 2);
	ask('b', 'other', 9);
	ask('a', 'first', 1);
	ask('a', 'second again', 2);
	for (let n = 0; n < 5; n++) await turn();
	expect(begun).toEqual(['first', 'other', 'second', 'second again', 'third']);
});

test('no turn is scheduled when nothing waits, and one is when something comes again', async () => {
	const { ask, turn, begun, scheduled } = queue(2);
	ask('a');
	expect(scheduled).toHaveLength(1);
	while (await turn());
	expect(scheduled).toHaveLength(0);
	ask('a', 'again');
	expect(scheduled).toHaveLength(1);
	while (await turn());
	expect(begun).toEqual(['a', 'again']);
});

test('what comes shortly after a piece waits as long as what was there before', async () => {
	const { ask, turn, begun, scheduled } = queue(3);
	ask('a', 'first');
	await turn();
	ask('b', 'second');
	expect(scheduled).toHaveLength(1);
	await turn();
	await turn();
	expect(begun).toEqual(['first']);
	await turn();
	expect(begun).toEqual(['first', 'second']);
});

describe('work in slices', () => {
	afterEach(() => jest.restoreAllMocks());

	test('continues until it says that all is done, and lets others in after 10 ms', async () => {
		let now = 0;
		jest.spyOn(performance, 'now').mockImplementation(() => now);
		const order: string[] = [];
		setImmediate(() => order.push('another'));
		let steps = 0;
		await inSlices(() => {
			now += 4;
			steps += 1;
			order.push(`step ${steps}`);
			return steps < 5;
		});
		expect(order).toEqual(['step 1', 'step 2', 'step 3', 'another', 'step 4', 'step 5']);
	});

	test('ends early between two slices when it is told to', async () => {
		let now = 0;
		jest.spyOn(performance, 'now').mockImplementation(() => now);
		const stop = new AbortController();
		let steps = 0;
		await inSlices(() => {
			now += 6;
			steps += 1;
			if (steps === 3) stop.abort();
			return true;
		}, stop.signal);
		expect(steps).toBe(4);
	});
});
