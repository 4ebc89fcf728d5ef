import { createUnlessCancelled } from '../../transport/http/clock';
import type { Run } from '../run/run';

/** The last task for each thing of each workspace, of all executions of this process. */
const queues = new Map<string, Promise<unknown>>();

/**
 * Runs a task after all earlier tasks on the same thing, those of other executions of this process
 * included: two tasks that look for something and then create it would both create it. Other
 * processes do not wait. A task waits as long as those before it send requests, each with its time-out.
 *
 * @param thing the part of the workspace that it changes, for example `fields of crd_1`
 * @throws Cancelled while it waits
 */
export async function exclusively<T>(
	{ api, context }: Pick<Run, 'api' | 'context'>,
	thing: string,
	task: () => Promise<T>,
): Promise<T> {
	const key = JSON.stringify([api.baseUrl, api.workspaceId, thing]);
	const earlier = queues.get(key) ?? Promise.resolve();
	const result = earlier.then(task, task);
	queues.set(key, result);
	const forget = (): void => {
		if (queues.get(key) === result) queues.delete(key);
	};
	result.then(forget, forget);
	return await createUnlessCancelled(context.getExecutionCancelSignal())(result);
}
