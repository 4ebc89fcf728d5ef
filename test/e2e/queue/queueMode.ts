import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';

import { storeCredentials } from '../../host/credentials.ts';
import { N8nClient } from '../../host/n8nClient.ts';
import { createN8nHost, type Role } from '../../host/n8nProcess.ts';
import { installPackage } from '../../host/packageInstall.ts';
import { until } from '../../host/deadline.ts';
import { freePort } from '../../host/ports.ts';
import { startService } from '../../host/serviceProcess.ts';
import { equip } from '../../host/workbench.ts';
import { createClockOfN8n } from '../support/clockOfN8n.ts';
import { runFolder, tarball } from '../support/settings.ts';
import { createRedis, startPostgres } from './backingServices.ts';
import { startBalancer } from './balancer.ts';

/** n8n in queue mode: one main process, two workers, two webhook processors behind a balancer. */
export type QueueMode = Awaited<ReturnType<typeof openQueueMode>>;

/** Executions that one worker runs at once. */
export const WORKER_CONCURRENCY = 5;

/** Starts everything; takes about half a minute. */
export async function openQueueMode() {
	const userFolder = await mkdtemp(join(runFolder(), 'n8n-queue-'));
	await installPackage(tarball(), userFolder);
	const postgres = await startPostgres();
	const redis = await createRedis(userFolder);
	await redis.start();

	const webhookPorts = [await freePort(), await freePort()];
	const balancer = await startBalancer(webhookPorts);
	const environment = {
		N8N_ENCRYPTION_KEY: 'queue-mode-encryption-key-0123456789',
		EXECUTIONS_MODE: 'queue',
		...postgres.environment,
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redis.port),
		// A worker that was killed is found out, and its jobs run again, within seconds. A busy machine
		// makes workers look dead that are not: such a job may be taken up more often than once.
		QUEUE_WORKER_LOCK_DURATION: '15000',
		QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
		QUEUE_WORKER_STALLED_INTERVAL: '5000',
		QUEUE_WORKER_MAX_STALLED_COUNT: '10',
		// Processes of n8n end themselves 10 s after they lost Redis, unless told otherwise.
		QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD: '120000',
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
		// With the default, each webhook and each execution gets an isolate for expressions: most of the CPU time of
		// seven processes on two cores. No workflow here has an expression.
		N8N_EXPRESSION_ENGINE: 'legacy',
		// Nothing but our nodes is loaded: seven processes share this machine.
		NODES_INCLUDE: '["n8n-nodes-workspace-data.workspaceDataTrigger"]',
		N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		N8N_CONCURRENCY_PRODUCTION_LIMIT: String(WORKER_CONCURRENCY),
	};
	const clock = createClockOfN8n('queue-mode');
	const host = async (role: Role, port?: number) =>
		await createN8nHost({
			major: 2,
			userFolder,
			role,
			...(port !== undefined && { port }),
			publicUrl: balancer.url,
			extra: {
				...environment,
				...(role === 'start' && clock.environment),
			},
		});
	const main = await host('start');
	await main.start();
	const workers = [await host('worker'), await host('worker')];
	const webhooks = await Promise.all(webhookPorts.map(async (port) => await host('webhook', port)));
	for (const one of [...workers, ...webhooks]) await one.start();

	const service = await startService({ control: true, backoff: 1_000 });
	const client = new N8nClient(main.baseUrl, 2);
	await client.signIn();
	return equip({
		service,
		client,
		credentials: await storeCredentials(client, service),
		main,
		workers,
		/** Kills a webhook processor and starts it again. */
		async restartWebhook(place: number) {
			const [host, port] = [webhooks[place], webhookPorts[place]];
			if (!host || port === undefined) throw new Error(`There is no processor ${place}`);
			await host.kill();
			await balancer.without(port, async () => {
				await host.start();
				// It is ready before it serves webhooks, and responds 200 until then.
				await until('webhooks to be served', async () => {
					const { status } = await fetch(`${host.baseUrl}/webhook/none`);
					return status === 404 ? true : undefined;
				});
			});
		},
		redis,
		database: postgres,
		/** Minutes pass for the main process, in which `trigger()` runs. */
		pass: (minutes: number) => clock.pass(main, minutes),
		async close() {
			await Promise.all([...workers, ...webhooks].map(async (one) => await one.stop()));
			await main.stop();
			await service.stop();
			await balancer.close();
			await redis.stop();
			await postgres.stop();
		},
	});
}
