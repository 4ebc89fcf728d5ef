import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of this process's heap that are still in use after garbage collection. */
export function retainedBytes(): number {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	// Twice: what finalizers let go of is collected by the second.
	collect();
	collect();
	return process.memoryUsage().heapUsed;
}
