import pWaitFor from 'p-wait-for';

/**
 * Asks repeatedly until there is an answer.
 *
 * @param what what is waited for, for the message; a function can tell how far it came
 * @param ask gives the answer, or undefined while there is none; what it throws ends the wait
 * @param milliseconds how long to keep asking
 * @param pause milliseconds between two questions
 * @throws Error naming `what` when the time is up
 */
export async function until<Answer>(
	what: string | (() => string),
	ask: () => Promise<Answer | undefined> | Answer | undefined,
	milliseconds = 90_000,
	pause = 150,
): Promise<Answer> {
	const fallback = () => {
		const awaited = typeof what === 'string' ? what : what();
		throw new Error(`Waited ${milliseconds / 1000} s for ${awaited}, which did not come`);
	};
	return await pWaitFor<Answer>(
		async () => {
			const answer = await ask();
			return answer !== undefined && pWaitFor.resolveWith(answer);
		},
		{ interval: pause, timeout: { milliseconds, fallback } },
	);
}
