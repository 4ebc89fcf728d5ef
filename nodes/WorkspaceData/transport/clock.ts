/** Time, sleep and randomness as parameters, so that tests needn't wait. */
import { sleep } from 'n8n-workflow';

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
