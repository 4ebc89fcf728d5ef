import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ServiceAddresses } from '../parts/options.ts';

/** Every process that was started here and has not ended. */
const running = new Set<{ child: ChildProcess; ended: Promise<unknown> }>();

/** Kills what a test left behind; belongs into `afterEach`, as a failed test leaves its processes. */
export async function killServices(): Promise<void> {
	for (const { child, ended } of [...running]) {
		child.kill('SIGKILL');
		await ended;
	}
}

/** Runs `service/main.ts` to its end. */
export async function runService(args: string[]) {
	const { ended, output } = spawnService(args);
	const result = await ended;
	return { ...result, ...output() };
}

function spawnService(args: string[]) {
	const main = join(__dirname, '../main.ts');
	const child = spawn(process.execPath, [main, ...args], { stdio: 'pipe', env: process.env });
	let stdout = '';
	let stderr = '';
	child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
	child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
	/** Exit code and signal, once it has ended. */
	const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
		child.once('close', (code, signal) => resolve({ code, signal })),
	);
	const entry = { child, ended };
	running.add(entry);
	void ended.then(() => running.delete(entry));
	return { child, ended, output: () => ({ stdout, stderr }) };
}

/** Starts `service/main.ts --port 0 --json` and waits for its addresses. */
export async function startServiceProcess(args: string[]) {
	const { child, ended, output } = spawnService(['--port', '0', '--json', ...args]);
	const line = await new Promise<string>((resolve, reject) => {
		if (child.stdout) createInterface(child.stdout).once('line', resolve);
		void ended.then(({ code }) =>
			reject(new Error(`The service ended with ${code}:\n${output().stderr}`)),
		);
	});
	return { child, addresses: JSON.parse(line) as ServiceAddresses, ended };
}
