/** How a run ends. */

/** The end of a run: with a failure, or with the last steps of its success. */
export interface Ending {
	/** Adds a step to the end of a run that succeeds. */
	whenDone(step: () => void): void;
	/** Takes the steps that `whenDone` added: all items have succeeded, or their errors are output. */
	done(): void;
	/** Starts nothing more: an item has failed, and the run ends with it. */
	stop(): void;
	/** Whether `stop` was called. */
	readonly isStopped: boolean;
}

/** @param stopRequests sends nothing more */
export function createEnding(stopRequests: () => void): Ending {
	const steps: Array<() => void> = [];
	let isStopped = false;
	return {
		whenDone(step) {
			steps.push(step);
		},
		done() {
			for (const step of steps) step();
		},
		stop() {
			isStopped = true;
			stopRequests();
		},
		get isStopped() {
			return isStopped;
		},
	};
}
