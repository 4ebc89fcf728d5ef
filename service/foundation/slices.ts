/** Long work, in slices that let others be served. */
import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { sliceMs } from './quotas.ts';

/**
 * Runs a long piece of work in slices, and yields to the event loop after each.
 * @param work does a small step; false when all is done
 * @param signal ends it early, between two slices
 */
export async function inSlices(work: () => boolean, signal?: AbortSignal): Promise<void> {
	for (;;) {
		const until = performance.now() + sliceMs;
		while (performance.now() < until) if (!work()) return;
		await yieldToLoop();
		if (signal?.aborted === true) return;
	}
}
