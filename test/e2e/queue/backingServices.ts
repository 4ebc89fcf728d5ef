import { execa } from 'execa';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { stopAtExit } from '../../host/cleanup.ts';
import { until } from '../../host/deadline.ts';
import { freePort } from '../../host/ports.ts';

/** Redis on the loopback address that keeps its jobs over a restart, as it must in production, and a look into n8n's queue. */
export async function createRedis(folder: string) {
	const port = await freePort();
	const data = join(folder, 'redis');
	await mkdir(data, { recursive: true });
	let stop = async () => {};
	const ask = async (...commands: string[]) => {
		const input = `${commands.join('\n')}\n`;
		return (await execa('redis-cli', ['-p', String(port)], { input, reject: false })).stdout;
	};
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
			const responds = async () => (await ask('ping')) === 'PONG' || undefined;
			await until('Redis to respond (apt-get install redis-server)', responds);
		},
		/** Ends it properly; what it held is there at the next start. */
		stop: async () => await stop(),
		/** True if no job is waiting or running; false if Redis doesn't respond. */
		async hasNoJobs() {
			const waiting = ['llen bull:jobs:wait', 'llen bull:jobs:active', 'zcard bull:jobs:delayed'];
			return (await ask(...waiting)) === '0\n0\n0';
		},
	};
}

/**
 * Starts a PostgreSQL of Debian's on the loopback address that lasts as long as the command in it, whose input this process
 * holds open, with a look into the database of n8n.
 */
export async function startPostgres() {
	const settings = ['fsync=off', 'max_connections=200'].flatMap((one) => ['-o', one]);
	const command = 'createdb n8n && echo "ready $PGPORT $PGUSER $PGPASSWORD" && cat';
	const child = execa('pg_virtualenv', ['-t', ...settings, 'sh', '-c', command], {
		cwd: '/',
		reject: false,
	});
	let printed = '';
	child.stdout.on('data', (text: Buffer) => (printed += text.toString()));
	const [, PGPORT = '', PGUSER = '', PGPASSWORD = ''] = await until(
		'PostgreSQL to start (apt-get install postgresql)',
		() => /^ready (\S+) (\S+) (\S+)$/m.exec(printed) ?? undefined,
	);
	const env = { PGHOST: '127.0.0.1', PGPORT, PGUSER, PGPASSWORD, PGDATABASE: 'n8n' };
	return {
		/** How n8n connects to it. */
		environment: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: env.PGHOST,
			DB_POSTGRESDB_PORT: PGPORT,
			DB_POSTGRESDB_USER: PGUSER,
			DB_POSTGRESDB_PASSWORD: PGPASSWORD,
			DB_POSTGRESDB_DATABASE: env.PGDATABASE,
			DB_POSTGRESDB_POOL_SIZE: '10',
		},
		/** Rows of a query, columns parted by `|`. */
		async query(sql: string) {
			const { stdout } = await execa('psql', ['-At', '-c', sql], { env });
			return stdout.split('\n').filter(Boolean);
		},
		async stop() {
			child.stdin.end();
			await child;
		},
	};
}
