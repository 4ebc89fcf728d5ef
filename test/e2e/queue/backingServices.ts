import { execa } from 'execa';
import { chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { stopAtExit } from '../../host/cleanup.ts';
import { until } from '../../host/deadline.ts';
import { freePort } from '../../host/ports.ts';
import { Problem } from '../../host/problem.ts';

/** Redis or PostgreSQL on the loopback address, with its data in a folder of the test. */
export interface BackingService {
	port: number;
	start(): Promise<void>;
	/** Ends it properly; what it held is there at the next start. */
	stop(): Promise<void>;
}

async function accepts(port: number): Promise<true | undefined> {
	return await new Promise((resolve) => {
		const socket = createConnection({ host: '127.0.0.1', port });
		socket.once('connect', () => {
			socket.destroy();
			resolve(true);
		});
		socket.once('error', () => resolve(undefined));
	});
}

/** Redis, and a look into the queue of n8n. */
export interface Redis extends BackingService {
	/** Whether no job waits or is worked on; false where Redis does not answer. */
	hasNoJobs(): Promise<boolean>;
}

/** Redis that keeps its jobs over a restart, as it must in production. */
export async function createRedis(folder: string): Promise<Redis> {
	const port = await freePort();
	const data = join(folder, 'redis');
	await mkdir(data, { recursive: true });
	let stop = async () => {};
	return {
		port,
		async start() {
			const options = ['--port', port, '--bind', '127.0.0.1', '--dir', data];
			const child = execa(
				'redis-server',
				[...options.map(String), '--appendonly', 'yes', '--save', ''],
				{ stdio: 'ignore', reject: false },
			);
			stop = async () => {
				child.kill('SIGTERM');
				await child;
			};
			stopAtExit(async () => await stop());
			await until('Redis to accept connections', async () => await accepts(port));
		},
		stop: async () => await stop(),
		async hasNoJobs() {
			const counts = ['llen bull:jobs:wait', 'llen bull:jobs:active', 'zcard bull:jobs:delayed'];
			const { stdout } = await execa('redis-cli', ['-p', String(port)], {
				input: `${counts.join('\n')}\n`,
				reject: false,
			});
			return stdout === '0\n0\n0';
		},
	};
}

/** Where Debian puts the programs of the newest PostgreSQL. */
async function postgresPrograms(): Promise<string> {
	const root = '/usr/lib/postgresql';
	const versions = (await readdir(root).catch(() => [])).sort((a, b) => Number(b) - Number(a));
	if (versions[0] === undefined) {
		throw new Problem(
			'Queue mode needs PostgreSQL and Redis: apt-get install postgresql redis-server',
		);
	}
	return join(root, versions[0], 'bin');
}

/** PostgreSQL, and a look into the database of n8n. */
export interface Database extends BackingService {
	/** Rows of a query, columns parted by `|`. */
	query(sql: string): Promise<string[]>;
}

/** PostgreSQL with an empty database `n8n`, for one start; durable enough for a test, not for a power cut. */
export async function createPostgres(): Promise<Database> {
	const port = await freePort();
	const programs = await postgresPrograms();
	// A separate folder: the test's is closed to the user that PostgreSQL runs as.
	const data = await mkdtemp(join(tmpdir(), 'workspace-data-postgres-'));
	// PostgreSQL refuses to run as root.
	const isRoot = process.getuid?.() === 0;
	const run = async (program: string, ...parameters: string[]) => {
		const command = [join(programs, program), ...parameters];
		const [file = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
		await execa(file, rest, { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
	};
	if (isRoot) {
		const id = async (option: string) => Number((await execa('id', [option, 'postgres'])).stdout);
		await chown(data, await id('-u'), await id('-g'));
	}
	await run('initdb', '-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync');
	let running = false;
	const stop = async () => {
		if (!running) return;
		running = false;
		await run('pg_ctl', '-D', data, '-m', 'fast', '-w', 'stop');
		await rm(data, { recursive: true, force: true });
	};
	return {
		port,
		async query(sql) {
			const connection = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-d', 'n8n'];
			const { stdout } = await execa(join(programs, 'psql'), [...connection, '-At', '-c', sql]);
			return stdout.split('\n').filter(Boolean);
		},
		async start() {
			const settings = [
				`-p ${port}`,
				'-c listen_addresses=127.0.0.1',
				`-c unix_socket_directories=${data}`,
				'-c max_connections=200',
				'-c fsync=off -c synchronous_commit=off',
			].join(' ');
			await run(
				'pg_ctl',
				'-D',
				data,
				'-w',
				'-l',
				join(data, 'server.log'),
				'-o',
				settings,
				'start',
			);
			running = true;
			stopAtExit(stop);
			await run('createdb', '-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', 'n8n');
		},
		stop,
	};
}
