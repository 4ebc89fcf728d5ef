import type { Clock } from '../foundation/clock.ts';
import { messageOf } from '../foundation/messageOf.ts';
import type { Quotas } from '../foundation/quotas.ts';
import { inSlices } from '../foundation/slices.ts';
import type { Store } from './store.ts';

/** Clears away what was deleted and what the log may no longer keep, in slices, in the background. */
export interface Upkeep {
	/** Looks for work now. Safe to call at any time, also while it works. */
	start(): void;
	/** Stops between two slices; the next start of the service continues. */
	close(): Promise<void>;
}

/** Time between two looks at the log of deliveries, in ms. */
const everyMs = 10_000;

/**
 * Makes the upkeep. It does nothing until it is started.
 * @param report told about failures of the database, in words without secrets
 */
export function createUpkeep(
	store: Store,
	clock: Clock,
	quotas: Quotas,
	report: (message: string) => void,
): Upkeep {
	const closing = new AbortController();
	let running: Promise<void> | undefined;
	let asked = false;

	const someWork = () => {
		const since = new Date(clock.now() - quotas.logAgeMs).toISOString();
		const kept = { deliveries: quotas.logDeliveries, bytes: quotas.logBytes, since };
		return store.leftovers.clearSome() || store.deliveries.pruneSome(kept);
	};
	const work = async () => {
		while (asked && !closing.signal.aborted) {
			asked = false;
			await inSlices(someWork, closing.signal);
		}
	};
	const start = () => {
		if (closing.signal.aborted) return;
		asked = true;
		running ??= new Promise<void>((resolve) => setImmediate(resolve))
			.then(work)
			.catch((error: unknown) => report(`the upkeep has to wait: ${messageOf(error)}`))
			.finally(() => (running = undefined));
	};
	const timer = setInterval(start, everyMs).unref();

	return {
		start,
		async close() {
			closing.abort();
			clearInterval(timer);
			await running;
		},
	};
}
