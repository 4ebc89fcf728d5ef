import { execa } from 'execa';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { stopAtExit } from './cleanup.ts';
import { killGroup, lastLines } from './commands.ts';
import { until } from './deadline.ts';
import { hostFolders, type Major } from './folders.ts';
import { n8nEnvironment, type N8nSettings } from './n8nEnvironment.ts';
import { freePort } from './ports.ts';
import { Problem } from './problem.ts';

/** An n8n that can be started, stopped, killed and started again with what it had. */
export type N8nHost = Awaited<ReturnType<typeof createN8nHost>>;

/** The role of a process of n8n; in queue mode several processes share a user folder. */
export type Role = 'start' | 'worker' | 'webhook';

/** The choices for an n8n; ports that are not given are found. */
export interface HostOptions {
	major: Major;
	userFolder: string;
	/** `start` (the default) is the whole of n8n, or the main process in queue mode. */
	role?: Role;
	port?: number;
	publicUrl?: string;
	extra?: Record<string, string>;
}

/** Ends the names of files in the user folder that hold, while n8n runs, the id of its process. */
export const processFileEnding = '.pid';

/** What a process that is ready responds: paths and statuses, in this order. */
const readiness: Record<Role, Array<[string, number]>> = {
	// It is healthy during migrations already. 401, nobody is signed in, comes with the last module.
	start: [
		['/healthz/readiness', 200],
		['/rest/login', 401],
	],
	worker: [['/healthz/readiness', 200]],
	webhook: [['/healthz/readiness', 200]],
};

const startSeconds = 180;
const stopSeconds = 20;

async function responds(address: string, status: number): Promise<true | undefined> {
	try {
		const response = await fetch(address, { signal: AbortSignal.timeout(5_000) });
		await response.arrayBuffer();
		return response.status === status ? true : undefined;
	} catch {
		return undefined;
	}
}

/** Prepares an n8n that is installed already; nothing runs before `start()`. */
export async function createN8nHost(options: HostOptions) {
	const settings: N8nSettings = {
		...options,
		port: options.port ?? (await freePort()),
		brokerPort: await freePort(),
	};
	const folder = hostFolders[settings.major];
	const baseUrl = `http://127.0.0.1:${settings.port}`;
	const role = options.role ?? 'start';
	const fileName = role === 'start' ? 'n8n' : `${role}-${settings.port}`;
	const logFile = join(settings.userFolder, `${fileName}.log`);
	const processFile = join(settings.userFolder, `${fileName}${processFileEnding}`);
	let child: ReturnType<typeof launch> | undefined;
	let forget = () => {};

	function launch(output: WriteStream, extra: Record<string, string>) {
		return execa(process.execPath, [join(folder, 'node_modules', 'n8n', 'bin', 'n8n'), role], {
			cwd: settings.userFolder,
			env: n8nEnvironment({ ...settings, extra: { ...settings.extra, ...extra } }),
			extendEnv: false,
			stdin: 'ignore',
			stdout: output,
			stderr: output,
			detached: true,
			cleanup: false,
			reject: false,
		});
	}

	async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
		const running = child;
		if (running?.pid === undefined) return;
		if (signal === 'SIGTERM') {
			// n8n ends its own children (task runners) when it is asked to.
			running.kill('SIGTERM');
			const timer = setTimeout(
				() => killGroup(running.pid as number, 'SIGKILL'),
				stopSeconds * 1000,
			);
			await running;
			clearTimeout(timer);
		}
		killGroup(running.pid, 'SIGKILL');
		await running;
		if (child === running) child = undefined;
		await rm(processFile, { force: true });
		forget();
	}

	/** All that n8n printed, over all starts. */
	async function log(): Promise<string> {
		return await readFile(logFile, 'utf8').catch(() => '');
	}

	/**
	 * Starts n8n. Resolves once it responds to requests and deliveries.
	 *
	 * @param extra variables for this start
	 */
	async function start(extra: Record<string, string> = {}): Promise<void> {
		if (child) throw new Error('n8n runs already');
		await mkdir(settings.userFolder, { recursive: true });
		// Straight into the file: what n8n says is there although this process is busy or gone.
		const output = createWriteStream(logFile, { flags: 'a' });
		await once(output, 'open');
		const started = launch(output, extra);
		output.destroy();
		child = started;
		forget = stopAtExit(() => end('SIGTERM'));
		await writeFile(processFile, String(started.pid));
		let ended = false;
		void started.then(() => (ended = true));
		for (const [path, status] of readiness[role]) {
			await until(
				`n8n to respond to ${path}`,
				async () => {
					if (ended) {
						child = undefined;
						forget();
						throw new Problem(`n8n ended while starting:\n${lastLines(await log())}`);
					}
					return await responds(baseUrl + path, status);
				},
				startSeconds * 1000,
				200,
			).catch(async (error: unknown) => {
				await end('SIGKILL');
				throw error;
			});
		}
	}

	return {
		major: settings.major,
		/** Address of the editor and of REST, without a final slash. */
		baseUrl,
		userFolder: settings.userFolder,
		/** The process while it runs. */
		get processId() {
			return child?.pid;
		},
		start,
		/** SIGTERM, and SIGKILL for processes that remain after some seconds. Fine if it does not run. */
		stop: async () => await end('SIGTERM'),
		/** SIGKILL for n8n and its children, as in a crash. */
		kill: async () => await end('SIGKILL'),
		log,
		/** Settles when the n8n that runs now is over, by whatever cause. */
		ended: async () => await child,
	};
}
