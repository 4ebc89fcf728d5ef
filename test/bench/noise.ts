/** A worker that plays a noisy tenant: sends one kind of request over and over, and counts the answers by status. */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';

/** The requests of a noisy tenant. */
export interface Noise {
	origin: string;
	path: string;
	method: 'GET' | 'POST';
	headers: Record<string, string>;
	body?: string;
	connections: number;
}

// This thread’s, on Linux: otherwise, the quiet tenant would wait for a core, not for the service.
setPriority(19);

const { origin, connections, ...request } = workerData as Noise;
const pool = new Pool(origin, { connections, pipelining: 1 });
const statuses: Record<string, number> = {};
let isOver = false;
parentPort?.once('message', () => (isOver = true));

async function lane() {
	while (!isOver) {
		let status = 'broken';
		try {
			const answer = await pool.request(request);
			await answer.body.dump({ limit: Infinity });
			status = String(answer.statusCode);
		} catch {
			// Counted as broken: the service may close the connection of a body that it does not read.
		}
		statuses[status] = (statuses[status] ?? 0) + 1;
	}
}

await Promise.all(Array.from({ length: connections }, lane));
await pool.destroy();
parentPort?.postMessage(statuses);
