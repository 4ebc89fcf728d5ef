/** Time: waiting, and time limits. */
import { sleep } from 'n8n-workflow';
import { Cancelled, NetworkFailure } from '../failure/failures';

/** Time, sleep and chance as parameters, so that tests need not wait. */
export interface Clock {
	/** Milliseconds since the Unix epoch. */
	now(): number;
	/** Resolves after this many milliseconds. */
	sleep(ms: number): Promise<void>;
	/**
	 * Calls back once after this many milliseconds. Keeps no process alive.
	 *
	 * @returns turns it off
	 */
	alarm(ms: number, ring: () => void): () => void;
	/** A number from 0 up to, but not including, 1. */
	random(): number;
}

export const systemClock: Clock = {
	now: () => Date.now(),
	sleep,
	alarm(ms, ring) {
		// Whole milliseconds only.
		const due = AbortSignal.timeout(Math.max(0, Math.ceil(ms)));
		due.addEventListener('abort', ring);
		return () => due.removeEventListener('abort', ring);
	},
	random: () => Math.random(),
};

/** Waits for a task, but only until the execution is cancelled. @throws Cancelled */
export type UnlessCancelled = <T>(task: Promise<T>) => Promise<T>;

/**
 * Creates the wait for the tasks of one execution. A task that nobody waits for any more still runs to its end:
 * others may be waiting for it, too. All share one listener, as Node 20 warns of more than ten.
 */
export function createUnlessCancelled(signal?: AbortSignal): UnlessCancelled {
	const stops = new Set<() => void>();
	const stopAll = () => stops.forEach((stop) => stop());
	signal?.addEventListener('abort', stopAll);
	return async (task) =>
		await new Promise((resolve, reject) => {
			const stop = () => reject(new Cancelled());
			stops.add(stop);
			if (signal?.aborted) stop();
			void task.then(resolve, reject).finally(() => stops.delete(stop));
		});
}

/**
 * Waits for a task that needs to queue. Once it has begun, it is waited for even if the execution is cancelled: its
 * requests end with the execution, and its result says what was sent.
 *
 * @param enqueue begins the task it is given, sooner or later
 * @throws Cancelled if the execution is cancelled before the task has begun
 */
export async function unlessCancelledBefore<T>(
	unlessCancelled: UnlessCancelled,
	enqueue: (begin: () => Promise<T>) => Promise<T>,
	task: () => Promise<T>,
): Promise<T> {
	let begun: Promise<T> | undefined;
	const done = enqueue(async () => await (begun = task()));
	return await unlessCancelled(done).catch(
		async (error: unknown) => await (begun ?? Promise.reject(error as Error)),
	);
}

/** The longest time until a cancelled wait ends, in ms. */
const SLICE_MS = 250;

/**
 * Waits, but not longer than a moment once the execution is cancelled. n8n aborts requests by
 * itself; our waits must look.
 *
 * @param ms how long, in milliseconds
 * @throws Cancelled
 */
export async function wait(
	ms: number,
	clock: Clock,
	signal?: Pick<AbortSignal, 'aborted'>,
): Promise<void> {
	const end = clock.now() + ms;
	for (let left = ms; left > 0; left = end - clock.now()) {
		if (signal?.aborted) throw new Cancelled();
		await clock.sleep(Math.min(left, SLICE_MS));
	}
	if (signal?.aborted) throw new Cancelled();
}

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
