import type { Clock } from './clock';
import { NetworkFailure } from '../failure/failures';

/**
 * Waits for an answer, but not longer than a number of milliseconds in total. The HTTP client's own time-out
 * does not suffice: it starts again with every byte that comes. Costs one alarm, turned off at the end.
 *
 * @param send gets a signal that ends the request and its connection
 * @throws NetworkFailure when the time is over
 */
export async function withTimeLimit<T>(
	ms: number,
	clock: Clock,
	send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const controller = new AbortController();
	return await new Promise<T>((resolve, reject) => {
		function stop(reason: unknown): void {
			// Not after an answer: the client would make an error of it. With a reason: the default one collects a stack.
			controller.abort('over');
			reject(reason);
		}
		const turnOff = clock.alarm(ms, () =>
			stop(new NetworkFailure('ETIMEDOUT', 'no answer came in time', true, true)),
		);
		void send(controller.signal).then(resolve, stop).finally(turnOff);
	});
}
