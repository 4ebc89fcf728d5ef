/** Works with a time limit, until it is canceled. */
import type { Clock } from './clock';
import { Cancelled } from './errors';

/**
 * Waits for work until its time is over or a signal is aborted. Leaves no timer and no listener.
 *
 * @param ms Infinity for no limit
 * @param work receives a signal that ends it
 * @throws Error with the code ETIMEDOUT, or Cancelled
 */
export async function within<T>(
	ms: number,
	clock: Pick<Clock, 'alarm'>,
	work: (signal: AbortSignal) => Promise<T>,
	signals: readonly AbortSignal[] = [],
): Promise<T> {
	const controller = new AbortController();
	let cancel = (): void => {};
	let turnOff = (): void => {};
	return await new Promise<T>((resolve, reject) => {
		const stop = (reason: Error) => {
			reject(reason);
			// The default reason would collect a stack.
			controller.abort('over');
		};
		const timeOut = () => stop(Object.assign(new Error('No response'), { code: 'ETIMEDOUT' }));
		cancel = () => stop(new Cancelled());
		if (ms < Infinity) turnOff = clock.alarm(ms, timeOut);
		for (const signal of signals) signal.addEventListener('abort', cancel);
		if (signals.some(({ aborted }) => aborted)) return cancel();
		void work(controller.signal).then(resolve, reject);
	}).finally(() => {
		turnOff();
		for (const signal of signals) signal.removeEventListener('abort', cancel);
	});
}
