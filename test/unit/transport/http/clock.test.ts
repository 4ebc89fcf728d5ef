/** The clock of the process, and what waits by it. */
import {
	createUnlessCancelled,
	systemClock,
	unlessCancelledBefore,
	wait,
	withTimeLimit,
} from '../../../../nodes/WorkspaceData/transport/http/clock';
import { Cancelled } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import { createTestClock } from '../../../support/clock';
import { retainedBytes } from '../../../support/heap';

test('an alarm rings once, after its time; one that is turned off does not', async () => {
	const rung: string[] = [];
	const started = performance.now();
	const turnOff = systemClock.alarm(5, () => rung.push('off'));
	turnOff();
	await new Promise<void>((resolve) => {
		systemClock.alarm(20, () => {
			rung.push('on');
			resolve();
		});
	});
	// Node may be a millisecond early.
	expect(performance.now() - started).toBeGreaterThanOrEqual(19);
	expect(rung).toEqual(['on']);
});

test.each([0, -5, 0.4])('an alarm of %d ms rings soon', async (ms) => {
	await new Promise<void>((resolve) => void systemClock.alarm(ms, resolve));
});

describe('tasks of an execution that may be cancelled', () => {
	const never = new Promise<never>(() => {});

	test('those under way are no longer waited for, and neither are later ones', async () => {
		const cancel = new AbortController();
		const unlessCancelled = createUnlessCancelled(cancel.signal);
		expect(await unlessCancelled(Promise.resolve(7))).toBe(7);
		await expect(unlessCancelled(Promise.reject(new Error('mine')))).rejects.toThrow('mine');
		const underWay = unlessCancelled(never);
		cancel.abort();
		await expect(underWay).rejects.toBeInstanceOf(Cancelled);
		await expect(unlessCancelled(never)).rejects.toBeInstanceOf(Cancelled);
	});

	test('without a signal they are waited for', async () => {
		expect(await createUnlessCancelled()(Promise.resolve(7))).toBe(7);
	});

	test('a hundred thousand that have ended are forgotten', async () => {
		const unlessCancelled = createUnlessCancelled(new AbortController().signal);
		const before = retainedBytes();
		for (let n = 0; n < 100_000; n += 1) await unlessCancelled(Promise.resolve());
		expect(retainedBytes() - before).toBeLessThan(2_000_000);
	});

	test('one that waits in a queue is given up, one that has begun is waited for', async () => {
		const cancel = new AbortController();
		const unlessCancelled = createUnlessCancelled(cancel.signal);
		let finish = () => {};
		const begun = unlessCancelledBefore(
			unlessCancelled,
			async (begin) => await begin(),
			async () => await new Promise<string>((resolve) => (finish = () => resolve('done'))),
		);
		const queued = unlessCancelledBefore(
			unlessCancelled,
			async () => await never,
			async () => await Promise.resolve('never'),
		);
		cancel.abort();
		await expect(queued).rejects.toBeInstanceOf(Cancelled);
		finish();
		expect(await begun).toBe('done');
	});
});

describe('a wait', () => {
	test('ends to the millisecond, and at once where there is nothing to wait for', async () => {
		const clock = createTestClock();
		const start = clock.now();
		await wait(0, clock);
		await wait(-5, clock);
		expect(clock.now() - start).toBe(0);
		await wait(777, clock, new AbortController().signal);
		expect(clock.now() - start).toBe(777);
	});

	test.each([0, 100, 60_000])('of %d ms of a cancelled execution ends in a moment', async (ms) => {
		const clock = createTestClock();
		const start = clock.now();
		await expect(wait(ms, clock, AbortSignal.abort())).rejects.toBeInstanceOf(Cancelled);
		const cancel = new AbortController();
		const waiting = wait(60_000, clock, cancel.signal);
		void clock.sleep(1_000).then(() => cancel.abort());
		await expect(waiting).rejects.toBeInstanceOf(Cancelled);
		expect(clock.now() - start).toBeLessThanOrEqual(1_250);
	});
});

describe('a time limit', () => {
	test('passes on an answer or a failure in time, whose signal then stays quiet', async () => {
		const clock = createTestClock();
		let signal: AbortSignal | undefined;
		const answered = await withTimeLimit(1_000, clock, async (given) => {
			signal = given;
			await clock.sleep(999);
			return 'answer';
		});
		expect(answered).toBe('answer');
		await clock.sleep(5_000);
		expect(signal?.aborted).toBe(false);
	});

	test('a failure ends what is still open of the request', async () => {
		const clock = createTestClock();
		let signal: AbortSignal | undefined;
		const failing = withTimeLimit(1_000, clock, async (given) => {
			signal = given;
			return await Promise.reject(new Error('mine'));
		});
		await expect(failing).rejects.toThrow('mine');
		expect(signal?.aborted).toBe(true);
	});

	test('then says that no answer came, and ends the request', async () => {
		const clock = createTestClock();
		const start = clock.now();
		let signal: AbortSignal | undefined;
		const silent = withTimeLimit(1_000, clock, async (given) => {
			signal = given;
			return await new Promise<never>(() => {});
		});
		await expect(silent).rejects.toMatchObject({
			code: 'ETIMEDOUT',
			mayHaveArrived: true,
			transient: true,
		});
		expect(clock.now() - start).toBe(1_000);
		expect(signal?.aborted).toBe(true);
	});
});
