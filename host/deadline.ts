import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until there is an answer.
 *
 * @param what what is waited for, for the message
 * @param ask gives the answer, or undefined when it is not there yet; what it throws ends the wait
 * @param milliseconds how long to go on asking
 * @param pause milliseconds between two questions
 * @throws Error naming `what` when the time is up
 */
export async function until<Answer>(
	what: string,
	ask: () => Promise<Answer | undefined> | Answer | undefined,
	milliseconds = 90_000,
	pause = 150,
): Promise<Answer> {
	const end = Date.now() + milliseconds;
	for (;;) {
		const answer = await ask();
		if (answer !== undefined) return answer;
		if (Date.now() > end) throw new Error(`Waited ${milliseconds / 1000} s in vain for ${what}`);
		await sleep(pause);
	}
}
