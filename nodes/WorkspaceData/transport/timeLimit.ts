import { wait, type Clock } from './clock';
import { NetworkFailure } from './failures';

/**
 * Waits for an answer, but not longer than so many milliseconds altogether. The HTTP client's own time-out
 * does not suffice: it starts again with every byte that comes.
 *
 * @param send gets a signal that ends the request and its connection
 * @throws NetworkFailure when the time is over
 */
export async function withTimeLimit<T>(
	ms: number,
	clock: Clock,
	send: (end: AbortSignal) => Promise<T>,
): Promise<T> {
	const end = new AbortController();
	const tooLate = wait(ms, clock, end.signal).then(() => {
		throw new NetworkFailure('ETIMEDOUT', 'no answer came in time', true, true);
	});
	try {
		return await Promise.race([send(end.signal), tooLate]);
	} finally {
		// With a reason: the default one collects a stack, for every request.
		end.abort('over');
	}
}
