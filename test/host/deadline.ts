import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks repeatedly until there is an answer.
 *
 * @param what what is waited for, for the message
 * @param ask gives the answer, or undefined while there is none; what it throws ends the wait
 * @param milliseconds how long to keep asking
 * @param pause milliseconds between two questions
 * @throws Error naming `what` when the time is up
 */
export async function until<Answer>(
	what: string,
	ask: () => Promise<Answer | undefined> | Answer | undefined,
	milliseconds = 90_000,
	pause = 150,
): Promise<Answer> {
	const end = performance.now() + milliseconds;
	for (;;) {
		const answer = await ask();
		if (answer !== undefined) return answer;
		if (performance.now() > end)
			throw new Error(`Waited ${milliseconds / 1000} s for ${what}, which did not come`);
		await sleep(pause);
	}
}
