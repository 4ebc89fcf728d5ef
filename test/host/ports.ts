import getPort from 'get-port';
import { randomInt } from 'node:crypto';

import { Problem } from './problem.ts';

const host = '127.0.0.1';

/** Ports that each worker of jest has for itself. */
const portsEach = 5_000;

/** Ports below the range that systems assign themselves (from 32768 on Linux), in random order. */
function* ownPorts(): Generator<number> {
	const first = 12_000 + (Number(process.env.JEST_WORKER_ID ?? 0) % 4) * portsEach;
	for (let tries = 0; tries < portsEach; tries++) yield first + randomInt(portsEach);
}

/**
 * A port of the loopback address that is free now; a process never gets the same one twice. Nobody
 * else gets it by chance before its owner listens, or while its owner restarts.
 */
export async function freePort(): Promise<number> {
	return await getPort({ host, port: ownPorts(), reserve: true });
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
	if ((await getPort({ host, port })) === port) return;
	throw new Problem(
		`Port ${port}, wanted for ${what}, is taken. Stop what listens there (perhaps an earlier run of this command) or choose another port with ${option} <number>.`,
	);
}
