const ALARM_STEP_MS = 250;

/**
 * A clock that never really waits: time that stands still while anything is happening and jumps to the next sleeper when nothing is.
 *
 * @param start ms since the Unix epoch
 */
export function createTestClock(start = Date.UTC(2026, 0, 1)) {
	let now = start;
	let turning = false;
	const sleepers: Array<{ at: number; wake: () => void }> = [];

	function turn(): void {
		turning = false;
		sleepers.sort((a, b) => a.at - b.at);
		const next = sleepers.shift();
		if (!next) return;
		now = Math.max(now, next.at);
		next.wake();
		turnLater();
	}

	function turnLater(): void {
		if (turning || sleepers.length === 0) return;
		turning = true;
		setImmediate(turn);
	}

	async function sleep(ms: number): Promise<void> {
		await new Promise<void>((wake) => {
			sleepers.push({ at: now + ms, wake });
			turnLater();
		});
	}

	/** In short steps: work that waits for nothing but turns of the event loop is quicker than its time limit. */
	async function ringAfter(ms: number, ring: () => void, isOff: () => boolean): Promise<void> {
		const end = now + ms;
		while (now < end) {
			await sleep(Math.min(end - now, ALARM_STEP_MS));
			if (isOff()) return;
		}
		ring();
	}

	return {
		now: () => now,
		sleep,
		alarm(ms: number, ring: () => void) {
			let off = false;
			void ringAfter(ms, ring, () => off);
			return () => (off = true);
		},
		random: () => 0.5,
		/** Lets time pass without anybody sleeping. */
		pass(ms: number) {
			now += ms;
		},
	};
}
