/** How often it looks, in ms, and the most that it counts for the time between two looks. */
const EVERY_MS = 10;
const AT_MOST_MS = 20;

/**
 * Measures how long something waits, in ms. A machine that stops for seconds, or has this process wait
 * for its turn, adds next to nothing: a bound on the code under test holds there as well.
 *
 * @returns stops it and gives the time
 */
export function startStopwatch(): () => number {
	let passed = 0;
	let last = performance.now();
	const look = () => {
		const now = performance.now();
		passed += Math.min(now - last, AT_MOST_MS);
		last = now;
	};
	const timer = setInterval(look, EVERY_MS);
	return () => {
		clearInterval(timer);
		look();
		return passed;
	};
}
