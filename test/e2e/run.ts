/**
 * `npm run test:e2e`: builds and packs the package, installs both n8n where needed, and runs the
 * tests of this folder in them.
 */
import { execa } from 'execa';
import { glob, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { parseArgs } from 'node:util';

import { runProgram, stopAtExit } from '../host/cleanup.ts';
import { killGroup } from '../host/commands.ts';
import { type Major, repository } from '../host/folders.ts';
import { installHost } from '../host/installHost.ts';
import { N8nClient } from '../host/n8nClient.ts';
import { createN8nHost, processFileEnding } from '../host/n8nProcess.ts';
import { buildPackage, installPackage, packPackage } from '../host/packageInstall.ts';
import { Problem } from '../host/problem.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);

const tests = join(repository, 'test', 'e2e');

const usage = `npm run test:e2e -- [options] [-- options of jest]

  --only <part>   rest, browser, …: files whose path has the part; may be given several times
  --major <1|2>   one major of n8n only
  --install       install both n8n, and nothing else
  --pictures      take the pictures of docs/pictures again (browser, n8n 2)`;

function readOptions() {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			only: { type: 'string', multiple: true, default: [] },
			major: { type: 'string', multiple: true, default: ['1', '2'] },
			install: { type: 'boolean', default: false },
			pictures: { type: 'boolean', default: false },
			help: { type: 'boolean', short: 'h', default: false },
		},
	});
	const wrong = values.major.find((major) => major !== '1' && major !== '2');
	if (wrong !== undefined) throw new Problem(`--major wants 1 or 2, not '${wrong}'.\n\n${usage}`);
	return { ...values, majors: values.major.map(Number) as Major[], positionals };
}

/** One call of jest: projects of jest.config.cjs, the files for them, and the n8n that they need. */
interface Run {
	projects: string[];
	files: string[];
	majors: Major[];
}

/** The runs, one after the other: first queue mode with its seven processes, then all tests that bear company. */
async function planRuns({ only, majors }: ReturnType<typeof readOptions>): Promise<Run[]> {
	const files: string[] = [];
	for await (const file of glob('*/**/*.e2e.test.ts', { cwd: tests, exclude: ['n8n-1x/**'] })) {
		if (only.length === 0 || only.some((part) => file.includes(part))) files.push(file);
	}
	if (files.length === 0) throw new Problem(`No file has that in its path.\n\n${usage}`);
	const isQueue = (file: string) => file.startsWith(`queue${sep}`);
	const inN8n = majors.map((major) => `n8n ${major}`);
	const runs: Run[] = [
		{ projects: ['queue mode'], files: files.filter(isQueue), majors: [2] },
		{ projects: inN8n, files: files.filter((file) => !isQueue(file)), majors },
	];
	return runs
		.filter((run) => run.files.length > 0 && run.majors.every((major) => majors.includes(major)))
		.map((run) => ({ ...run, files: run.files.map((file) => join(tests, file)) }));
}

/** Stops every n8n of this run that a test left behind, because its process was killed. */
async function stopLeftovers(folder: string): Promise<void> {
	for (const name of await readdir(folder, { recursive: true })) {
		if (!name.endsWith(processFileEnding)) continue;
		const id = Number(await readFile(join(folder, name), 'utf8').catch(() => '0'));
		if (id > 0) killGroup(id, 'SIGKILL');
	}
}

/** Calls `useSharedBench`. */
const SHARES = /useSharedBench\(/;

/** Starts the n8n that files share, one for each major; to start one takes longer than most of the files. */
async function startShared({ files, majors }: Run, tarball: string, folder: string) {
	const texts = await Promise.all(files.map(async (file) => await readFile(file, 'utf8')));
	const isWanted = texts.some((text) => SHARES.test(text));
	const hosts = await Promise.all(
		(isWanted ? majors : []).map(async (major) => {
			const userFolder = join(folder, `n8n-${major}-shared`);
			await mkdir(userFolder);
			await installPackage(tarball, userFolder);
			const host = await createN8nHost({ major, userFolder });
			await host.start();
			// Sets up the owner, before several sign in at once.
			await new N8nClient(host.baseUrl, major).signIn();
			return host;
		}),
	);
	return {
		addresses: Object.fromEntries(hosts.map((host) => [`E2E_N8N_${host.major}`, host.baseUrl])),
		stop: async () => void (await Promise.all(hosts.map(async (host) => await host.stop()))),
	};
}

async function main(): Promise<number> {
	const options = readOptions();
	const { majors, positionals } = options;
	if (options.help) {
		say(usage);
		return 0;
	}
	// n8n 2 first: more waits for it, and queue mode runs while somebody else installs n8n 1.
	const install = async (wanted: Major[]) => {
		for (const major of wanted.toSorted((a, b) => b - a)) await installHost(major, say);
	};
	if (options.install) {
		await install(majors);
		return 0;
	}
	const runs = await planRuns(options);
	say('Building and packing the package …');
	await buildPackage();
	const tarball = await packPackage();

	const folder = await mkdtemp(join(tmpdir(), 'workspace-data-e2e-'));
	stopAtExit(async () => {
		await stopLeftovers(folder);
		await rm(folder, { recursive: true, force: true });
	});
	for (const run of runs) {
		await install(run.majors);
		const shared = await startShared(run, tarball, folder);
		const jest = execa(
			process.execPath,
			[
				join(repository, 'node_modules', 'jest', 'bin', 'jest.js'),
				'--config',
				join(tests, 'jest.config.cjs'),
				...positionals,
				'--selectProjects',
				...run.projects,
				'--runTestsByPath',
				...run.files,
			],
			{
				cwd: repository,
				env: {
					E2E_TARBALL: tarball,
					E2E_FOLDER: folder,
					E2E_PICTURES: String(options.pictures),
					...shared.addresses,
				},
				stdio: 'inherit',
				reject: false,
			},
		);
		stopAtExit(async () => {
			jest.kill();
			await jest;
		});
		const { exitCode = 1 } = await jest;
		await shared.stop();
		if (exitCode !== 0) return exitCode;
	}
	return 0;
}

await runProgram(main);
