import { type Clock, machineClock } from '../foundation/clock.ts';

/** A clock that a test sets, to play a server whose clock is wrong. */
export interface ShiftedClock extends Clock {
	/** How far the clock is off, in seconds. */
	offsetSeconds: number;
}

/** A clock that follows the machine's, plus an offset. */
export function createClock(): ShiftedClock {
	return {
		offsetSeconds: 0,
		now() {
			return machineClock.now() + this.offsetSeconds * 1000;
		},
		iso() {
			return new Date(this.now()).toISOString();
		},
		monotonic: () => machineClock.monotonic(),
		steady: () => machineClock.steady(),
	};
}
