/**
 * What computing costs, as CPU time of this thread: a machine that gives its time to others adds nothing. For the
 * tests and the benchmarks.
 */

/** The CPU time of this thread; of the process on a Node older than 23.9. */
const usage = (process.threadCpuUsage ?? process.cpuUsage).bind(process);

/** CPU time of this thread since then, or since it began, in ms. */
function cpuMs(since?: NodeJS.CpuUsage): number {
	const { user, system } = usage(since);
	return (user + system) / 1_000;
}

/** The CPU time that some work takes, in ms; of asynchronous work also what other tasks use meanwhile. */
export async function workMs(work: () => unknown): Promise<number> {
	const begun = usage();
	await work();
	return cpuMs(begun);
}

/** Does some work. @returns its result, and the longest time without a turn of the event loop, in ms of CPU time */
export async function longestTurn<Result>(work: () => Promise<Result>) {
	let longest = 0;
	let last = usage();
	let isRunning = true;
	const look = () => {
		longest = Math.max(longest, cpuMs(last));
		last = usage();
		if (isRunning) setImmediate(look);
	};
	setImmediate(look);
	try {
		const result = await work();
		look();
		return { result, longest };
	} finally {
		isRunning = false;
	}
}
