/** Time: waiting, and time limits. */
import { sleep } from 'n8n-workflow';
import { Cancelled, NetworkFailure } from '../failure/failures';

/** The longest time until a cancelled pause ends, in ms. */
const SLICE_MS = 250;

/**
 * Waits, but no longer than until a signal. Leaves nothing behind: no timer, no listener. A task that nobody waits for any
 * more still runs to its end.
 *
 * @param what how long, in milliseconds, or for which task
 * @returns the result of the task
 * @throws Cancelled at the signal: at once from a task, within a quarter of a second from a pause
 */
export async function wait<T = void>(
	what: number | Promise<T>,
	clock: Pick<Clock, 'sleep'>,
	signal?: AbortSignal,
): Promise<T> {
	if (typeof what !== 'number') return await unlessAborted(what, signal);
	for (let left = what; left > 0 && !signal?.aborted; left -= SLICE_MS) {
		await clock.sleep(Math.min(left, SLICE_MS));
	}
	if (signal?.aborted) throw new Cancelled();
	return undefined as T;
}

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

/** Those who wait for tasks until a signal: they share one listener, as Node 20 warns of more than ten. */
class Waiters {
	private static readonly bySignal = new WeakMap<AbortSignal, Waiters>();
	private readonly stops = new Set<() => void>();
	private readonly signal: AbortSignal;

	private constructor(signal: AbortSignal) {
		this.signal = signal;
		Waiters.bySignal.set(signal, this);
	}

	static of(signal: AbortSignal): Waiters {
		return Waiters.bySignal.get(signal) ?? new Waiters(signal);
	}

	add(stop: () => void): void {
		if (this.stops.size === 0) this.signal.addEventListener('abort', this.stopAll);
		this.stops.add(stop);
	}

	delete(stop: () => void): void {
		this.stops.delete(stop);
		if (this.stops.size === 0) this.signal.removeEventListener('abort', this.stopAll);
	}

	private readonly stopAll = (): void => this.stops.forEach((stop) => stop());
}

async function unlessAborted<T>(task: Promise<T>, signal?: AbortSignal): Promise<T> {
	if (!signal) return await task;
	const waiters = Waiters.of(signal);
	let stop = (): void => {};
	return await new Promise<T>((resolve, reject) => {
		stop = () => reject(new Cancelled());
		waiters.add(stop);
		if (signal.aborted) stop();
		task.then(resolve, reject);
	}).finally(() => waiters.delete(stop));
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
	clock: Pick<Clock, 'alarm'>,
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
			stop(new NetworkFailure('ETIMEDOUT', 'no response came in time', 'maybe', true)),
		);
		void send(controller.signal).then(resolve, stop).finally(turnOff);
	});
}
