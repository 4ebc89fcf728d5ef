/** Waiting for a task until an end: ends at once, and leaves nothing behind. */
import { Stop, withTimeLimit } from '../../../nodes/WorkspaceData/transport/http/clock';
import { Cancelled } from '../../../nodes/WorkspaceData/transport/failure/failures';
import { createTestClock } from '../../support/clock';

const never = new Promise<never>(() => {});

test('a wait for a task has its result or failure, and ends at the end of all waits', async () => {
	const stop = new Stop();
	expect(await stop.wait(Promise.resolve(7))).toBe(7);
	await expect(stop.wait(Promise.reject(new Error('mine')))).rejects.toThrow('mine');
	const waits = [stop.wait(never), stop.wait(never)];
	stop.end();
	for (const each of [...waits, stop.wait(never)]) {
		await expect(each).rejects.toBeInstanceOf(Cancelled);
	}
});

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
