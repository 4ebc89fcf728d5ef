/** Keeps garbage from holding requests up, and gives back the memory that large requests have left. */
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Time between two looks, in ms: what was left is given back within two of them. */
const everyMs = 15_000;
/** The share of its time that an idle event loop works at most. */
const idleShare = 0.1;
/** Work since the last collection that is worth a pause of some 30 ms, in ms. */
const worthwhileMs = 100;

/**
 * Gives the memory of a buffer back at once, where nothing else shares it: as garbage, it would wait for a collection, and
 * bring it about. The buffer is empty afterwards.
 */
export function free({ buffer, byteLength }: Buffer): void {
	if (byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/**
 * Keeps the space for new objects as small as V8 makes it at first. A collection of it holds everybody up for as long as it
 * takes to copy what is in use, 5 to 15 ms when it has grown, and 0.5 to 2 ms while it is small. A collection of all
 * objects takes 5 to 20 ms, so those are rare: the heap may grow to three times what the last one left.
 * @see https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function keepCollectionsShort(): void {
	setFlagsFromString('--semi-space-growth-factor=1');
	setFlagsFromString('--heap-growing-percent=200');
}

/**
 * Collects garbage when the event loop has been idle since the last look, and has worked since the last collection. The
 * size of the heap would not say whether it is worthwhile: what was in use at the last collection is garbage by now.
 * For a process that is the service alone: the flag that it needs is the whole process's.
 * @see https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function collectWhenIdle(lookEveryMs = everyMs): void {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as (options: object) => void;
	let before = performance.eventLoopUtilization();
	let collected = { active: 0 };
	setInterval(() => {
		const now = performance.eventLoopUtilization();
		const { utilization } = performance.eventLoopUtilization(now, before);
		before = now;
		if (utilization > idleShare || now.active - collected.active < worthwhileMs) return;
		// Any other collection keeps the freed pages in a pool of V8's.
		collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
		collected = performance.eventLoopUtilization();
	}, lookEveryMs).unref();
}
