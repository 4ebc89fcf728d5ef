/** Who may use how many sockets for deliveries. */
import type { Quotas } from '../foundation/quotas.ts';

/** Shares the sockets of deliveries among workspaces, so that nobody's hanging targets stop the others. */
export interface SocketShares {
	/** Waits for a socket. @returns gives it back; to be called once */
	acquire(workspaceId: string, target: string): Promise<() => void>;
}

/**
 * Makes the shares. A workspace gets a socket while it has fewer than its cap in all and to the target, and
 * fewer than are free: so it never takes the last ones, and a newcomer finds one. Waiting deliveries are served
 * workspace by workspace, each in the order of its asking.
 */
export function createSocketShares(
	quotas: Pick<Quotas, 'sockets' | 'socketsPerWorkspace' | 'socketsPerTarget'>,
): SocketShares {
	let free = quotas.sockets;
	const running = new Map<string, number>();
	/** By workspace, least lately served first. */
	const waiting = new Map<string, Array<{ target: string; start: () => void }>>();

	const change = (key: string, by: number) => {
		const count = (running.get(key) ?? 0) + by;
		if (count === 0) running.delete(key);
		else running.set(key, count);
	};
	const laneOf = (workspaceId: string, target: string) => `${workspaceId} ${target}`;
	const isFree = (workspaceId: string, target: string) => {
		const ofWorkspace = running.get(workspaceId) ?? 0;
		return (
			ofWorkspace < Math.min(free, quotas.socketsPerWorkspace) &&
			(running.get(laneOf(workspaceId, target)) ?? 0) < quotas.socketsPerTarget
		);
	};
	const begin = (workspaceId: string, target: string) => {
		free -= 1;
		change(workspaceId, 1);
		change(laneOf(workspaceId, target), 1);
	};
	/** Starts the deliveries that have a socket now. */
	const serve = () => {
		for (const [workspaceId, queue] of [...waiting]) {
			const next = queue.findIndex(({ target }) => isFree(workspaceId, target));
			const [served] = next < 0 ? [] : queue.splice(next, 1);
			if (!served) continue;
			waiting.delete(workspaceId);
			if (queue.length > 0) waiting.set(workspaceId, queue);
			begin(workspaceId, served.target);
			served.start();
		}
	};

	return {
		async acquire(workspaceId, target) {
			const queue = waiting.get(workspaceId) ?? [];
			const first = !queue.some((other) => other.target === target);
			if (first && isFree(workspaceId, target)) begin(workspaceId, target);
			else {
				await new Promise<void>((start) => {
					queue.push({ target, start });
					waiting.set(workspaceId, queue);
				});
			}
			return () => {
				free += 1;
				change(workspaceId, -1);
				change(laneOf(workspaceId, target), -1);
				serve();
			};
		},
	};
}
