/** Time: waiting and timeouts. */
import { sleep } from 'n8n-workflow';
import { Cancelled, NetworkFailure } from '../failure/failures';

/**
 * Waits for a task until a signal. The task continues to its end even if nobody waits for it any longer.
 *
 * @returns the result of the task
 * @throws Cancelled at the signal
 */
export async function wait<T>(task: Promise<T>, signal?: AbortSignal): Promise<T> {
	if (!signal) return await task;
	const stops = stopsOf(signal);
	let stop = (): void => {};
	return await new Promise<T>((resolve, reject) => {
		stop = () => reject(new Cancelled());
		stops.add(stop);
		if (signal.aborted) stop();
		task.then(resolve, reject);
	}).finally(() => stops.delete(stop));
}

/** Waits this many milliseconds, or until a signal. Leaves no timer behind. @throws Cancelled at the signal */
export async function waitMs(
	ms: number,
	clock: Pick<Clock, 'alarm'>,
	signal: AbortSignal,
): Promise<void> {
	let turnOff = (): void => {};
	const ringing = new Promise<void>((ring) => (turnOff = clock.alarm(ms, ring)));
	await wait(ringing, signal).finally(turnOff);
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

/** What ends the waits for each signal. They share one listener, because Node 20 warns about more than ten. */
const stopsBySignal = new WeakMap<AbortSignal, Set<() => void>>();

function stopsOf(signal: AbortSignal): Set<() => void> {
	const known = stopsBySignal.get(signal);
	if (known) return known;
	const stops = new Set<() => void>();
	stopsBySignal.set(signal, stops);
	signal.addEventListener('abort', () => stops.forEach((stop) => stop()));
	return stops;
}

const TIMED_OUT = { httpCode: 'ETIMEDOUT', transient: true, sent: 'maybe' } as const;

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
