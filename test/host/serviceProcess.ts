import { execa } from 'execa';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

import type { ServiceAddresses } from '../../service/parts/options.ts';
import { stopAtExit } from './cleanup.ts';
import { killGroup, lastLines } from './commands.ts';
import { repository } from './folders.ts';
import { Problem } from './problem.ts';

/** The addresses and secrets that the service prints in its first line. */
export type ServiceAccess = ServiceAddresses;

/** A running reference service. */
export type RunningService = Awaited<ReturnType<typeof startService>>;

/** The access that stays the same when a service starts again with its data. */
export type KeptAccess = Pick<
	ServiceAccess,
	'apiKey' | 'clientId' | 'clientSecret' | 'workspaceId' | 'settingsPassword'
>;

/** How to start the service, which chooses the values that are not given. */
export interface ServiceOptions {
	/** 0 (the default) for a free one. */
	port?: number;
	authPort?: number;
	/** SQLite file that keeps the data; without it they live in memory. */
	file?: string;
	/** Access to keep over restarts. */
	access?: Partial<KeptAccess>;
	/** Opens the control interface for tests. */
	control?: boolean;
	/** First pause before a failed delivery is tried again, in milliseconds. */
	backoff?: number;
}

const startSeconds = 60;
const stopSeconds = 10;

function serviceArguments(options: ServiceOptions): string[] {
	const { file, access = {}, control, backoff } = options;
	const given: Array<[string, string | undefined]> = [
		['--port', String(options.port ?? 0)],
		['--auth-port', String(options.authPort ?? 0)],
		['--file', file],
		['--api-key', access.apiKey],
		['--client-id', access.clientId],
		['--client-secret', access.clientSecret],
		['--workspace-id', access.workspaceId],
		['--settings-password', access.settingsPassword],
		['--backoff-ms', backoff === undefined ? undefined : String(backoff)],
	];
	return [
		...given.flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
		...(control ? ['--control'] : []),
		'--json',
		'--exit-with-parent',
	];
}

/**
 * Starts the reference service in a separate process.
 *
 * @throws Problem with what it printed, when it ends or says nothing for a minute
 */
export async function startService(options: ServiceOptions = {}) {
	if (options.file !== undefined) await mkdir(dirname(options.file), { recursive: true });
	const child = execa(
		process.execPath,
		[join(repository, 'service', 'main.ts'), ...serviceArguments(options)],
		{
			cwd: repository,
			buffer: false,
			// An open pipe that closes when this process dies, however it dies.
			stdin: 'pipe',
			detached: true,
			cleanup: false,
			reject: false,
		},
	);
	let printed = '';
	let first: ((line: string) => void) | undefined;
	const firstLine = new Promise<string>((resolve) => (first = resolve));
	createInterface({ input: child.stdout }).on('line', (line) => {
		if (line.startsWith('{') && first) first(line);
		else printed += `${line}\n`;
		if (line.startsWith('{')) first = undefined;
	});
	createInterface({ input: child.stderr }).on('line', (line) => (printed += `${line}\n`));

	let stopped = false;
	/** SIGTERM, then SIGKILL. Fine if it does not run. */
	async function stop(): Promise<void> {
		if (stopped || child.pid === undefined) return;
		stopped = true;
		const id = child.pid;
		child.kill('SIGTERM');
		const timer = setTimeout(() => killGroup(id, 'SIGKILL'), stopSeconds * 1000);
		await child;
		clearTimeout(timer);
		killGroup(id, 'SIGKILL');
		forget();
	}
	const forget = stopAtExit(stop);

	const timeout = new Promise<never>((_, reject) => {
		setTimeout(() => reject(new Problem('it said nothing')), startSeconds * 1000).unref();
	});
	const early = child.then(() => {
		throw new Problem('it ended');
	});
	early.catch(() => undefined);
	try {
		const access = JSON.parse(await Promise.race([firstLine, timeout, early])) as ServiceAccess;
		return {
			...access,
			stop,
			/** All that it printed after the first line. */
			log: () => printed,
			/** Settles when it is over, by whatever cause. */
			ended: child as Promise<unknown>,
		};
	} catch (error) {
		await stop();
		const reason = error instanceof Error ? error.message : String(error);
		throw new Problem(`The service did not start: ${reason}.\n${lastLines(printed)}`);
	}
}
