/** Waiting for a task or a time, until a signal: ends at once, and leaves nothing behind. */
import { getEventListeners } from 'node:events';
import { wait, waitMs, withTimeLimit } from '../../../nodes/WorkspaceData/transport/http/clock';
import { Cancelled } from '../../../nodes/WorkspaceData/transport/failure/failures';
import { createTestClock } from '../../support/clock';

const never = new Promise<never>(() => {});

test('a wait for a task has its result or failure, and ends at the signal', async () => {
	const cancel = new AbortController();
	const { signal } = cancel;
	expect(await wait(Promise.resolve(7))).toBe(7);
	expect(await wait(Promise.resolve(7), signal)).toBe(7);
	await expect(wait(Promise.reject(new Error('mine')), signal)).rejects.toThrow('mine');
	const waiting = wait(never, signal);
	cancel.abort();
	await expect(waiting).rejects.toBeInstanceOf(Cancelled);
	await expect(wait(never, signal)).rejects.toBeInstanceOf(Cancelled);
});

test('any number of waits have one listener together, and end together', async () => {
	const cancel = new AbortController();
	await wait(Promise.resolve(), cancel.signal);
	const waits = Array.from({ length: 20 }, async () => await wait(never, cancel.signal));
	expect(getEventListeners(cancel.signal, 'abort')).toHaveLength(1);
	cancel.abort();
	for (const each of await Promise.allSettled(waits)) {
		expect(each).toMatchObject({ reason: expect.any(Cancelled) });
	}
});

test.each([0, 100, 60_000])(
	'a pause of %d ms of a cancelled execution ends in a moment',
	async (ms) => {
		const clock = createTestClock();
		const start = clock.now();
		await waitMs(777, clock, new AbortController().signal);
		expect(clock.now() - start).toBe(777);
		await expect(waitMs(ms, clock, AbortSignal.abort())).rejects.toBeInstanceOf(Cancelled);
		const cancel = new AbortController();
		const waiting = waitMs(60_000, clock, cancel.signal);
		void clock.sleep(1_000).then(() => cancel.abort());
		await expect(waiting).rejects.toBeInstanceOf(Cancelled);
		expect(clock.now() - start).toBeLessThanOrEqual(777 + 1_250);
	},
);

test.each([
	['a response in time', async () => await Promise.resolve('response'), 'response', false],
	['a failure in time', async () => await Promise.reject(new Error('mine')), 'mine', true],
	['silence', async () => await never, 'no response came in time', true],
])('a time limit and %s: whether the request is ended', async (_, send, result, isEnded) => {
	const clock = createTestClock();
	const start = clock.now();
	let signal: AbortSignal | undefined;
	const limited = withTimeLimit(1_000, clock, async (given) => {
		signal = given;
		return await send();
	});
	expect(await limited.catch((error: Error) => error.message)).toBe(result);
	expect(clock.now() - start).toBeLessThanOrEqual(1_000);
	await clock.sleep(5_000);
	expect(signal?.aborted).toBe(isEnded);
});
