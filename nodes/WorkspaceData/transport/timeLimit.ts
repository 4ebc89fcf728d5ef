import type { Clock } from './clock';
import { NetworkFailure } from './failures';

/**
 * Waits for an answer, but not longer than a number of milliseconds in total. The HTTP client's own time-out
 * does not suffice: it starts again with every byte that comes. Costs one timer, turned off at the end.
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
	let turnOff = () => {};
	const tooLate = new Promise<never>((_, reject) => {
		turnOff = clock.alarm(ms, () =>
			reject(new NetworkFailure('ETIMEDOUT', 'no answer came in time', true, true)),
		);
	});
	let answered = false;
	try {
		const answer = await Promise.race([send(end.signal), tooLate]);
		answered = true;
		return answer;
	} finally {
		turnOff();
		// After an answer, the client would make an error of it. With a reason: the default one collects a stack.
		if (!answered) end.abort('over');
	}
}
