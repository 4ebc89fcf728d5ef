/** When failed deliveries are due again, on a clock that never steps back. */
import type { Clock } from '../foundation/clock.ts';
import type { PendingDelivery } from '../storage/deliveryQueue.ts';

/** When failed deliveries are due. */
export interface RetryTimes {
	/** Time until a delivery is due, in ms; 0 or less where it is. */
	waitOf(delivery: PendingDelivery): number;
	/** Notes a failure. @returns the time until the next try, in ms */
	failed(id: number, failures: number): number;
	/** Forgets a delivery that is done. */
	forget(id: number): void;
	/** Brings all forward to what a shorter first pause would have given; never puts one off. */
	bringForward(firstMs: number): void;
}

/** @param firstMs the pause before the first retry, in ms; doubles with each further one */
export function createRetryTimes(
	clock: Pick<Clock, 'now' | 'monotonic'>,
	firstMs: () => number,
): RetryTimes {
	const pause = (failures: number, first = firstMs()) => first * 2 ** (failures - 1);
	/** `failures` tells whether an entry still holds: a delivery that was started afresh has none. */
	const due = new Map<number, { failures: number; at: number }>();
	return {
		waitOf({ id, failures, dueAt }) {
			if (failures === 0) return 0;
			let known = due.get(id);
			if (known?.failures !== failures) {
				// The time in the database counts only after a restart.
				const left = Math.min(Math.max(dueAt - clock.now(), 0), pause(failures));
				known = { failures, at: clock.monotonic() + left };
				due.set(id, known);
			}
			return known.at - clock.monotonic();
		},
		failed(id, failures) {
			const wait = pause(failures);
			due.set(id, { failures, at: clock.monotonic() + wait });
			return wait;
		},
		forget: (id) => void due.delete(id),
		bringForward(first) {
			for (const entry of due.values()) {
				entry.at = Math.min(entry.at, clock.monotonic() + pause(entry.failures, first));
			}
		},
	};
}
