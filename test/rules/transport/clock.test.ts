/** A request with a time limit. */
import { withTimeLimit } from '../../../nodes/WorkspaceData/transport/http/clock';
import { createTestClock } from '../../support/clock';

const never = new Promise<never>(() => {});

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
