/** Time: waiting and timeouts. */
import { sleep } from 'n8n-workflow';
import { Cancelled, NetworkFailure } from '../failure/failureKinds';

/**
 * Ends waits, now and later. An AbortSignal would do, but would have a listener for each wait, and Node 20 warns about
 * more than ten.
 */
export class Stop {
	/** True if it has ended all waits. */
	isOver = false;
	private readonly waits = new Set<() => void>();

	end(): void {
		this.isOver = true;
		for (const end of this.waits) end();
	}

	/**
	 * Waits for a task. The task continues to its end even if nobody waits for it any longer.
	 *
	 * @returns the result of the task
	 * @throws Cancelled at the end of all waits
	 */
	async wait<T>(task: Promise<T>): Promise<T> {
		let end = (): void => {};
		return await new Promise<T>((resolve, reject) => {
			end = () => reject(new Cancelled());
			this.waits.add(end);
			if (this.isOver) end();
			task.then(resolve, reject);
		}).finally(() => this.waits.delete(end));
	}
}

/** Time, sleep and randomness as parameters, so that tests needn't wait. */
export interface Clock {
	/** Milliseconds since the Unix epoch. */
	now(): number;
	sleep(ms: number): Promise<void>;
	/**
	 * Calls back once after this many milliseconds. Doesn't keep the process alive.
	 *
	 * @returns a function that turns it off
	 */
	alarm(ms: number, ring: () => void): () => void;
	/** A number from 0 up to, but not including, 1. */
	random(): number;
}

export const systemClock: Clock = {
	now: () => Date.now(),
	sleep,
	alarm(ms, ring) {
		// AbortSignal.timeout accepts whole milliseconds only.
		const due = AbortSignal.timeout(Math.max(0, Math.ceil(ms)));
		due.addEventListener('abort', ring);
		return () => due.removeEventListener('abort', ring);
	},
	random: () => Math.random(),
};

const TIMED_OUT = { httpCode: 'ETIMEDOUT', transient: true, sent: true } as const;

/**
 * Waits for a response with a total timeout. The HTTP client's own timeout isn't enough, because it starts again
 * with every byte. Uses one timer, which is turned off at the end.
 *
 * @param send receives a signal that ends the request and its connection
 * @throws NetworkFailure if the time is over
 */
export async function withTimeLimit<T>(
	ms: number,
	clock: Pick<Clock, 'alarm'>,
	send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const controller = new AbortController();
	return await new Promise<T>((resolve, reject) => {
		function stop(reason: unknown): void {
			// Not after a response: the client would turn it into an error. The default reason would collect a stack.
			controller.abort('over');
			reject(reason);
		}
		const turnOff = clock.alarm(ms, () =>
			stop(new NetworkFailure('no response came in time', TIMED_OUT)),
		);
		void send(controller.signal).then(resolve, stop).finally(turnOff);
	});
}
