import { systemClock, type Clock } from './clock';

/** Runs tasks in parallel, up to a limit, in the order in which they came. */
export type Limiter = <T>(maxParallel: number, task: () => Promise<T>) => Promise<T>;

/**
 * After this time, in ms, a task no longer counts towards what executions share: it hangs, and must not keep
 * the others waiting. It still counts towards its execution's limit.
 */
const HANGS_AFTER_MS = 30_000;

interface Task {
	maxParallel: number;
	start(): void;
	next: Task | undefined;
}

/** The tasks of one execution that wait: a linked list, as there may be a hundred thousand. */
interface Queue {
	running: number;
	first: Task | undefined;
	last: Task | undefined;
}

/**
 * Creates what several executions share: so many of their tasks run at once altogether. Executions take
 * turns, so that a long one does not keep a short one waiting.
 *
 * @param atOnce how many; asked again before each start
 * @returns opens the limiter of one execution. The limit of the execution comes with each task, as items may
 * have different ones: a task starts when fewer tasks than its own limit are running.
 */
export function createSharedLimiter(
	atOnce: () => number,
	clock: Clock = systemClock,
): () => Limiter {
	let running = 0;
	/** The executions that have tasks waiting, the one whose turn it is first. */
	const waiting: Queue[] = [];

	/** Starts the first task of an execution. @returns whether its own limit let it */
	function startFirst(queue: Queue): boolean {
		const task = queue.first;
		if (!task || queue.running >= task.maxParallel) return false;
		queue.first = task.next;
		queue.running += 1;
		running += 1;
		task.start();
		return true;
	}

	function startNext(): void {
		// Until nobody in a whole round has started a task.
		for (let idle = 0; idle < waiting.length && running < atOnce(); ) {
			const queue = waiting.shift() as Queue;
			idle = startFirst(queue) ? 0 : idle + 1;
			if (queue.first) waiting.push(queue);
		}
	}

	return () => {
		const queue: Queue = { running: 0, first: undefined, last: undefined };
		return async (maxParallel, work) => {
			await new Promise<void>((start) => {
				const task = { maxParallel: Math.max(1, maxParallel), start, next: undefined };
				if (queue.first && queue.last) queue.last.next = task;
				else {
					queue.first = task;
					waiting.push(queue);
				}
				queue.last = task;
				startNext();
			});
			let counts = true;
			const leave = (): void => {
				if (counts) running -= 1;
				counts = false;
			};
			const turnOff = clock.alarm(HANGS_AFTER_MS, () => {
				leave();
				startNext();
			});
			try {
				return await work();
			} finally {
				turnOff();
				leave();
				queue.running -= 1;
				startNext();
			}
		};
	};
}
