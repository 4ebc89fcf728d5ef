/** Gives memory back that large requests have left: V8 collects nothing while a process has nothing to do. */
import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Time between two looks, in ms: what was left is given back within two of them. */
const everyMs = 15_000;
/** The share of its time that an idle event loop works at most. */
const idleShare = 0.1;
/** Growth of the heap since the last look that is worth a pause of some 30 ms, in bytes. */
const worthwhile = 32 * 1024 * 1024;

/**
 * Collects garbage when the event loop has been idle since the last look and the heap has grown. For a process that
 * is the service alone: the flag that it needs is the whole process's.
 * @see https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function collectWhenIdle(lookEveryMs = everyMs): void {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	let before = performance.eventLoopUtilization();
	let kept = 0;
	setInterval(() => {
		const now = performance.eventLoopUtilization();
		const { utilization } = performance.eventLoopUtilization(now, before);
		before = now;
		if (utilization > idleShare) return;
		if (getHeapStatistics().total_heap_size - kept < worthwhile) return;
		collect();
		kept = getHeapStatistics().total_heap_size;
	}, lookEveryMs).unref();
}
