/** Time and randomness as parameters, so that tests needn't wait; and waits that end early. */
import { sleep } from 'n8n-workflow';
import { Cancelled } from './errors';

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
	// AbortSignal.timeout accepts whole milliseconds only.
	alarm: (ms, ring) => onAbort([AbortSignal.timeout(Math.max(0, Math.ceil(ms)))], ring),
	random: () => Math.random(),
};

/** The signals that end a wait; those that aren't there never do. */
export type Signals = ReadonlyArray<AbortSignal | undefined>;

/**
 * Calls back when a signal is aborted; at once if one is already.
 *
 * @returns a function that turns it off, and leaves no listener
 */
export function onAbort(signals: Signals, callback: () => void): () => void {
	for (const signal of signals) signal?.addEventListener('abort', callback);
	if (signals.some((signal) => signal?.aborted)) callback();
	return () => signals.forEach((signal) => signal?.removeEventListener('abort', callback));
}

/** What ends a wait: a time limit in ms, and signals. */
export interface Bounds {
	ms?: number;
	clock?: Pick<Clock, 'alarm'>;
	signals?: Signals;
}

/**
 * Waits for work until its time is over or a signal is aborted. Leaves no timer and no listener.
 *
 * @param work receives a signal that ends it
 * @throws Error with the code ETIMEDOUT, or Cancelled
 */
export async function within<T>(
	work: (end: AbortSignal) => Promise<T>,
	{ ms = Infinity, clock = systemClock, signals = [] }: Bounds,
): Promise<T> {
	const end = new AbortController();
	const turnOff: Array<() => void> = [];
	return await new Promise<T>((resolve, reject) => {
		const stop = (reason: Error) => {
			reject(reason);
			end.abort(reason);
		};
		const late = () => stop(Object.assign(new Error('No response'), { code: 'ETIMEDOUT' }));
		if (ms < Infinity) turnOff.push(clock.alarm(ms, late));
		turnOff.push(onAbort(signals, () => stop(new Cancelled())));
		if (!end.signal.aborted) void work(end.signal).then(resolve, reject);
	}).finally(() => turnOff.forEach((off) => off()));
}
