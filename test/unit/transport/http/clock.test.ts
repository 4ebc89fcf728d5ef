/** The clock of the process, and what waits by it. */
import { getEventListeners } from 'node:events';
import {
	systemClock,
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

describe('a wait for a task', () => {
	const clock = createTestClock();
	const never = new Promise<never>(() => {});

	test('has its result or its failure, without a signal, too', async () => {
		const { signal } = new AbortController();
		expect(await wait(Promise.resolve(7), clock)).toBe(7);
		expect(await wait(Promise.resolve(7), clock, signal)).toBe(7);
		await expect(wait(Promise.reject(new Error('mine')), clock, signal)).rejects.toThrow('mine');
	});

	test('ends at the signal, and at once after it', async () => {
		const cancel = new AbortController();
		const waits = [wait(never, clock, cancel.signal), wait(never, clock, cancel.signal)];
		cancel.abort();
		for (const one of [...waits, wait(never, clock, cancel.signal)]) {
			await expect(one).rejects.toBeInstanceOf(Cancelled);
		}
	});

	test('leaves no listener, and never has more than one, however many wait and however they end', async () => {
		const cancel = new AbortController();
		const { signal } = cancel;
		let most = 0;
		const counted = () => {
			most = Math.max(most, getEventListeners(signal, 'abort').length);
			return getEventListeners(signal, 'abort').length;
		};
		let fail = (_: Error): void => {};
		const failing = new Promise<never>((_, reject) => (fail = reject));
		const waits = Array.from({ length: 20 }, async (_, n) =>
			wait(n < 10 ? Promise.resolve(n) : failing, clock, signal),
		);
		counted();
		await Promise.all(waits.slice(0, 10));
		counted();
		fail(new Error('lost'));
		await Promise.allSettled(waits);
		expect([counted(), most]).toEqual([0, 1]);
		const given = Array.from({ length: 20 }, async () => await wait(never, clock, signal));
		expect(counted()).toBe(1);
		cancel.abort();
		await Promise.allSettled(given);
		expect(counted()).toBe(0);
	});

	test('a hundred thousand that have ended are forgotten', async () => {
		const { signal } = new AbortController();
		const before = retainedBytes();
		for (let n = 0; n < 100_000; n += 1) await wait(Promise.resolve(), clock, signal);
		expect(retainedBytes() - before).toBeLessThan(2_000_000);
	});
});

describe('a pause', () => {
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
			sent: 'maybe',
			transient: true,
		});
		expect(clock.now() - start).toBe(1_000);
		expect(signal?.aborted).toBe(true);
	});
});
