/** The service's clock, as far as this process knows it. */

/** For how long the difference between the clocks is believed, in ms: either may be put right. */
const BELIEVED_MS = 60_000;

/** Tells the time at the service. Times are ms since the epoch. */
export interface ServiceClock {
	/** The service's time at a local time; `fallbackAheadMs` where nothing was learned yet. */
	at(now: number, fallbackAheadMs: number): number;
	/** Whether the difference was learned so long ago that it should be learned again. */
	isStale(now: number): boolean;
	/** Learns from an answer of the service; one without a date teaches nothing. */
	learn(serviceTime: number | undefined, now: number): void;
}

/** Creates a clock that has learned nothing. */
export function createServiceClock(): ServiceClock {
	let aheadMs: number | undefined;
	let learnedAt = -Infinity;
	return {
		at: (now, fallbackAheadMs) => now + (aheadMs ?? fallbackAheadMs),
		// A local clock that was put back makes the moment of learning a future one.
		isStale: (now) => now - learnedAt > BELIEVED_MS || now < learnedAt,
		learn(serviceTime, now) {
			if (serviceTime === undefined) return;
			aheadMs = serviceTime - now;
			learnedAt = now;
		},
	};
}
