/** Waits with a time limit and for cancellation. */
import type { Clock } from './clock';
import { Cancelled } from './errors';

/**
 * Waits for work until its time is over or a signal is aborted. Leaves no timer and no listener.
 *
 * @param ms Infinity for no limit
 * @throws Error with the code ETIMEDOUT, or Cancelled
 */
export async function within<T>(
	ms: number,
	clock: Clock,
	work: Promise<T>,
	signals: readonly AbortSignal[] = [],
): Promise<T> {
	let cancel = (): void => {};
	let turnOff = (): void => {};
	return await new Promise<T>((resolve, reject) => {
		cancel = () => reject(new Cancelled());
		const stop = () => reject(Object.assign(new Error('No response'), { code: 'ETIMEDOUT' }));
		if (ms < Infinity) turnOff = clock.alarm(ms, stop);
		for (const signal of signals) signal.addEventListener('abort', cancel);
		work.then(resolve, reject);
	}).finally(() => {
		turnOff();
		for (const signal of signals) signal.removeEventListener('abort', cancel);
	});
}
