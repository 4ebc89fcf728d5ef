import {
	createYieldToLoop,
	yieldAfter,
} from '../../../../nodes/WorkspaceData/actions/schedule/yieldToLoop';

/** A clock that stands until it is moved, and the number of times that others got their turn. */
function standingClock() {
	let time = 0;
	let sleeps = 0;
	return {
		now: () => time,
		async sleep() {
			sleeps += 1;
			await new Promise(setImmediate);
		},
		pass: (ms: number) => (time += ms),
		sleeps: () => sleeps,
	};
}

test('steps compute in their order, and the event loop is free after each 20 ms', async () => {
	const clock = standingClock();
	const yieldToLoop = createYieldToLoop(clock);
	const steps: string[] = [];
	clock.pass(1);
	await Promise.all(
		['a', 'b', 'c', 'd'].map(async (name) => {
			await yieldToLoop();
			steps.push(`${name} after ${clock.sleeps()}`);
			clock.pass(15);
		}),
	);
	expect(steps).toEqual(['a after 1', 'b after 1', 'c after 2', 'd after 2']);
});

test('a slice is over after 20 ms, not before, and the next one begins then', async () => {
	const clock = standingClock();
	const yieldToLoop = createYieldToLoop(clock);
	const turns: number[] = [];
	for (const ms of [0, 19, 1, 0, 19, 500]) {
		clock.pass(ms);
		await yieldToLoop();
		turns.push(clock.sleeps());
	}
	expect(turns).toEqual([1, 1, 2, 2, 2, 3]);
});

test('steps that come while others compute have their turn after them', async () => {
	const yieldToLoop = createYieldToLoop(standingClock());
	const steps: string[] = [];
	const step = async (name: string) => {
		await yieldToLoop();
		steps.push(name);
	};
	const first = step('a').then(async () => await step('c'));
	await Promise.all([first, step('b')]);
	await step('d');
	expect(steps).toEqual(['a', 'b', 'c', 'd']);
});

test('what all wait for: a value is handed out one step at a time, a failure passes at once', async () => {
	let start = (): void => {};
	const yieldToLoop = async () => await new Promise<void>((resolve) => (start = resolve));
	const happened: string[] = [];
	const found = yieldAfter(yieldToLoop, Promise.resolve('found')).then((value) =>
		happened.push(value),
	);
	const failed = yieldAfter(yieldToLoop, Promise.reject(new Error('failed'))).catch(
		(error: Error) => happened.push(error.message),
	);
	await failed;
	expect(happened).toEqual(['failed']);
	start();
	await found;
	expect(happened).toEqual(['failed', 'found']);
});
