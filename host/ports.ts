import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

import { Problem } from './problem.ts';

const loopback = '127.0.0.1';

/** Listens for a moment; gives the port, or undefined where somebody else has it. */
async function tryPort(port: number): Promise<number | undefined> {
	return await new Promise((resolve, reject) => {
		const server = createServer();
		server.once('error', (error: NodeJS.ErrnoException) => {
			if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined);
			else reject(error);
		});
		server.listen({ host: loopback, port }, () => {
			const address = server.address();
			server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
		});
	});
}

const givenAway = new Set<number>();

/** Ports that each worker of jest has for itself. */
const portsEach = 5_000;

/**
 * A port of the loopback address that is free now; the same one is not given twice in a process. It is
 * below those that systems hand out (from 32768 on Linux): nobody gets it by chance before it is
 * listened on, or while what listened there restarts.
 */
export async function freePort(): Promise<number> {
	const first = 12_000 + (Number(process.env.JEST_WORKER_ID ?? 0) % 4) * portsEach;
	for (;;) {
		const port = first + randomInt(portsEach);
		if (givenAway.has(port) || (await tryPort(port)) === undefined) continue;
		givenAway.add(port);
		return port;
	}
}

/**
 * Makes sure that nobody listens on a port yet.
 *
 * @param port the port
 * @param what what wants it, for the message
 * @param option the option that chooses another one, for the message
 * @throws Problem when the port is taken
 */
export async function requireFreePort(port: number, what: string, option: string): Promise<void> {
	if ((await tryPort(port)) !== undefined) return;
	throw new Problem(
		`Port ${port}, wanted for ${what}, is taken. Stop what listens there (perhaps an earlier run of this command) or choose another port with ${option} <number>.`,
	);
}
