import { explain } from './problem.ts';

/** Stops everything that must end before this process does, newest last. */
const stops: Array<() => Promise<void>> = [];
let stopping: Promise<void> | undefined;

/**
 * Remembers how to stop something that was started.
 *
 * @param stop stops it; may be called although it has stopped already
 * @returns forgets it again (when it was stopped by other means)
 */
export function stopAtExit(stop: () => Promise<void>): () => void {
	stops.push(stop);
	return () => {
		const index = stops.indexOf(stop);
		if (index >= 0) stops.splice(index, 1);
	};
}

/** Stops everything, what was started last first. Callable many times: there is one stop only. */
export async function stopEverything(): Promise<void> {
	stopping ??= (async () => {
		for (let stop = stops.pop(); stop; stop = stops.pop()) await stop().catch(() => undefined);
	})();
	await stopping;
	stopping = undefined;
}

/**
 * Ends the process cleanly when it is told to. A terminal signals the whole foreground group and npm
 * hands the signal on as well, so the same signal may arrive several times: only the first counts.
 *
 * @param onSignal called once with the first signal; gives the exit code
 */
export function stopOnSignals(onSignal: (signal: NodeJS.Signals) => number): void {
	let told = false;
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(signal, () => {
			if (told) return;
			told = true;
			const code = onSignal(signal);
			void stopEverything().finally(() => process.exit(code));
		});
	}
}

/**
 * Runs a program: explains what ended it early, stops everything that it started, and ends the process.
 *
 * @param main gives the exit code
 */
export async function runProgram(main: () => Promise<number>): Promise<never> {
	stopOnSignals(() => 130);
	let code = 1;
	try {
		code = await main();
	} catch (error) {
		process.stderr.write(`${explain(error)}\n`);
	} finally {
		await stopEverything();
	}
	process.exit(code);
}
