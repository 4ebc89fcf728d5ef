/** Virtual time for a whole test file: it stands still while anything happens, and jumps to the next timer. */

/** Turns of the event loop without news after which nothing is happening: streams and message channels need a few. */
const QUIET_TURNS = 4;
/** Virtual time after which a world hangs, in ms: the longest wait for a rate limit is minutes. */
const LONGEST_MS = 4 * 3_600_000;
/** Turns without a timer after which a world hangs. */
const LAST_TURNS = 2_000;

const turn = setImmediate;
const timeOfDay = Date.UTC(2026, 2, 31, 14, 0, 0);
const originalTimeout = AbortSignal.timeout.bind(AbortSignal);

const turnOfLoop = async (): Promise<void> => await new Promise((resolve) => turn(resolve));

/** Makes all timers of this process virtual. Call once, before anything is played. */
export function startVirtualTime(): void {
	jest.useFakeTimers({
		doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask'],
		now: timeOfDay,
	});
	// As Node's: whole milliseconds, and never none.
	const virtual = globalThis.setTimeout;
	const likeNode = (callBack: (...given: unknown[]) => void, ms = 1, ...given: unknown[]) =>
		virtual(() => callBack(...given), ms >= 1 ? Math.trunc(ms) : 1);
	globalThis.setTimeout = Object.assign(likeNode, virtual);
	AbortSignal.timeout = (ms) => {
		const controller = new AbortController();
		setTimeout(() => controller.abort(new DOMException('timed out', 'TimeoutError')), ms);
		return controller.signal;
	};
}

/** Gives the process its real time back. */
export function endVirtualTime(): void {
	AbortSignal.timeout = originalTimeout;
	jest.useRealTimers();
}

/** Sets the virtual time of day, so that a world finds the same one each time. */
export function setTimeOfDay(): void {
	jest.setSystemTime(timeOfDay);
}

/**
 * Waits for work in virtual time.
 *
 * @returns the outcome, or undefined where it hangs
 */
export async function inVirtualTime<Result>(work: Promise<Result>): Promise<Result | undefined> {
	let settled = false;
	const settle = (): void => {
		settled = true;
	};
	work.then(settle, settle);
	const start = performance.now();
	let idle = 0;
	while (performance.now() - start <= LONGEST_MS) {
		for (let turns = 0; turns < QUIET_TURNS && !settled; turns += 1) await turnOfLoop();
		if (settled) return await work;
		if (jest.getTimerCount() > 0) {
			idle = 0;
			jest.advanceTimersToNextTimer();
		} else if ((idle += 1) > LAST_TURNS) break;
	}
	return undefined;
}

/** Lets all remaining timers ring, so that the next world begins without them. */
export async function runOut(): Promise<void> {
	for (let rounds = 0; rounds < 10_000 && jest.getTimerCount() > 0; rounds += 1) {
		jest.advanceTimersToNextTimer();
		await turnOfLoop();
	}
}

/** Waits in virtual time. */
export const pause = async (ms: number): Promise<void> => {
	if (ms > 0) await new Promise<void>((resolve) => void setTimeout(resolve, ms));
};
