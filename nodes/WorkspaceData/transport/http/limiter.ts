/** Runs the requests of several executions in parallel, up to a limit that they share. */
import { systemClock, type Clock } from './clock';
import type { Kind } from './adaptiveLimit';

/** The properties of a request that matter here. */
export interface Work extends Kind {
	/** Whether it starts at once, whatever the limit. It still counts for the others. */
	ahead?: boolean | undefined;
}

/** Runs a task when the limits allow it, in the order in which the tasks came. */
export type Limiter = <T>(work: Work, run: () => Promise<T>) => Promise<T>;

/**
 * After this time, in ms, a task no longer counts for other executions: it hangs, and must not keep them waiting. It
 * still counts for its own.
 */
const HANGS_AFTER_MS = 30_000;

interface Task {
	work: Work;
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
 * Creates what several executions share: so many of their tasks run at once altogether. Executions alternate, so
 * that a long one does not keep a short one waiting.
 *
 * @param atOnce how many tasks may run at once with one of this kind among them; asked again before each start. So
 * as long as a task that cannot be repeated waits or runs, no more run than it allows.
 * @param spacing how long nothing else starts after a task, in ms, if so many may run at once
 * @returns opens the limiter of one execution. Its own limit comes with each task, as items may have different
 * ones: a task starts when fewer tasks of the execution than that are running.
 */
export function createSharedLimiter(
	atOnce: (kind: Kind) => number,
	clock: Clock = systemClock,
	spacing: (kind: Kind, atOnce: number) => number = () => 0,
): () => Limiter {
	const running = new Set<object>();
	/** Of those, the ones that cannot be repeated. */
	const unrepeatable = new Map<object, Work>();
	/** The executions that have tasks waiting, the next one first. */
	const waiting: Queue[] = [];
	let isSpacing = false;

	/** Whether the execution's own limit lets its first task start. */
	const isReady = ({ first, running: own }: Queue): boolean =>
		first !== undefined && own < Math.max(1, first.work.maxParallel ?? Infinity);

	function mostAtOnce(): number {
		const ready = waiting.filter(isReady).flatMap(({ first }) => first?.work ?? []);
		const kinds = [...ready, ...unrepeatable.values()];
		return Math.min(...kinds.map(atOnce));
	}

	function startNext(): void {
		while (!isSpacing) {
			const place = waiting.findIndex(isReady);
			const queue = waiting[place];
			const task = queue?.first;
			const most = mostAtOnce();
			if (!queue || !task || running.size >= most) return;
			waiting.splice(place, 1);
			queue.first = task.next;
			if (queue.first) waiting.push(queue);
			count(queue, task);
			task.start();
			const ms = spacing(task.work, most);
			if (ms >= 1) void keepSpace(ms);
		}
	}

	async function keepSpace(ms: number): Promise<void> {
		isSpacing = true;
		await clock.sleep(ms);
		isSpacing = false;
		startNext();
	}

	function count(queue: Queue, task: Pick<Task, 'work'>): void {
		queue.running += 1;
		running.add(task);
		if (!task.work.repeatable) unrepeatable.set(task, task.work);
	}

	function forget(task: object): void {
		running.delete(task);
		unrepeatable.delete(task);
	}

	return () => {
		const queue: Queue = { running: 0, first: undefined, last: undefined };

		/** Resolves when the task may run. */
		async function toStart(work: Work): Promise<object> {
			if (work.ahead) {
				const task = { work };
				count(queue, task);
				return task;
			}
			return await new Promise<object>((resolve) => {
				const task: Task = { work, start: () => resolve(task), next: undefined };
				if (queue.first && queue.last) queue.last.next = task;
				else {
					queue.first = task;
					waiting.push(queue);
				}
				queue.last = task;
				startNext();
			});
		}

		return async (work, run) => {
			const task = await toStart(work);
			const turnOff = clock.alarm(HANGS_AFTER_MS, () => {
				forget(task);
				startNext();
			});
			try {
				return await run();
			} finally {
				turnOff();
				forget(task);
				queue.running -= 1;
				startNext();
			}
		};
	};
}

/** Keeps requests back until the caller has decided whether the run continues. */
export interface Pause {
	/**
	 * Keeps back all requests that have not been sent yet.
	 *
	 * @returns releases them on the next tick, so that whoever sees the failure first can stop them
	 */
	begin(): () => void;
	/** Resolves when no pause lasts any more. */
	ended(): Promise<void>;
}

/** Creates a pause that has not begun. */
export function createPause({ sleep }: Pick<Clock, 'sleep'>): Pause {
	let pauses = 0;
	const waiting: Array<() => void> = [];
	const end = () => {
		pauses -= 1;
		if (pauses > 0) return;
		for (const go of waiting.splice(0)) go();
	};
	return {
		begin() {
			pauses += 1;
			let lasts = true;
			return () => {
				if (lasts) void sleep(0).then(end);
				lasts = false;
			};
		},
		async ended() {
			while (pauses > 0) await new Promise<void>((go) => waiting.push(go));
		},
	};
}
