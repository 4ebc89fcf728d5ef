import getPort from 'get-port';
import { execa, type ResultPromise } from 'execa';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { until } from '../host/deadline.ts';
import { repository } from '../host/folders.ts';
import { installTools, toolsFolder } from './install.ts';

let folder = '';
let clone = '';
let registry = '';
let server: ResultPromise | undefined;

/** A registry that lets everybody publish, with nothing behind it. */
const config = (storage: string) => `
storage: ${storage}
packages:
  '**':
    access: $all
    publish: $all
max_body_size: 10mb
log: { type: stdout, level: warn }
`;

/** Runs a command in the clone, as a person or the publish workflow would. @returns its exit code and output */
async function inClone(command: string, ...args: string[]) {
	const env = { npm_config_registry: registry, npm_config_update_notifier: 'false' };
	const { exitCode, all } = await execa(command, args, {
		all: true,
		cwd: clone,
		env,
		reject: false,
		stdin: 'ignore',
	});
	return { exitCode, output: all };
}

const publish = async () =>
	await inClone(
		'npm',
		...['publish', '--ignore-scripts=false', '--loglevel=error'],
		`--${registry.replace('http:', '')}:_authToken=anybody`,
	);

/** Changes a file of the clone. */
async function edit(file: string, change: (text: string) => string): Promise<void> {
	const path = join(clone, file);
	await writeFile(path, change(await readFile(path, 'utf8')));
}

beforeAll(async () => {
	await installTools();
	folder = await mkdtemp(join(tmpdir(), 'workspace-data-publication-'));
	const configFile = join(folder, 'verdaccio.yaml');
	await writeFile(configFile, config(join(folder, 'storage')));
	const port = await getPort();
	registry = `http://localhost:${port}/`;
	const verdaccio = join(toolsFolder, 'verdaccio', 'bin', 'verdaccio');
	server = execa(process.execPath, [verdaccio, '--config', configFile, '--listen', `${port}`], {
		reject: false,
		all: true,
	});
	clone = join(folder, 'clone');
	await execa('git', ['clone', '--quiet', '--depth', '1', `file://${repository}`, clone]);
	await symlink(join(repository, 'node_modules'), join(clone, 'node_modules'), 'dir');
	await until(
		'the registry',
		async () =>
			await fetch(`${registry}-/ping`).then(
				({ ok }) => ok || undefined,
				() => undefined,
			),
	);
}, 600_000);
afterAll(async () => {
	server?.kill();
	await server;
	await rm(folder, { recursive: true, force: true });
});

describe('the first publication, from a fresh clone, step by step as docs/publishing.md lists it', () => {
	test('is refused while the author and the repository are placeholders', async () => {
		const { exitCode, output } = await inClone('npm', 'run', 'release:check');
		expect(exitCode).toBe(1);
		expect(output).toContain("'author.name' in package.json is a placeholder");
		expect(output).toContain("'repository.url' in package.json is a placeholder");
	});

	test("n8n's own lint accepts the unchanged configuration for ESLint (strict mode)", async () => {
		const bare = join(folder, 'bare');
		await mkdir(bare);
		for (const file of ['package.json', 'eslint.config.mjs', 'node_modules']) {
			await symlink(join(clone, file), join(bare, file));
		}
		const options = { all: true, cwd: bare, reject: false };
		const { exitCode, all } = await execa('npx', ['n8n-node', 'lint'], options);
		expect({ exitCode, all }).toMatchObject({ exitCode: 0 });
	});

	test('is refused without a build, although npm would publish an empty package', async () => {
		const [owner, email] = ['ada', 'ada@analytical.engine'];
		for (const file of [
			...['package.json', 'README.md', '.github/ISSUE_TEMPLATE/config.yml'],
			...['nodes/WorkspaceData/WorkspaceData.node.json'],
			...['nodes/WorkspaceData/WorkspaceDataTrigger.node.json'],
			...['credentials/WorkspaceDataApi.credentials.ts'],
			...['credentials/WorkspaceDataServiceAccountApi.credentials.ts'],
		]) {
			await edit(file, (text) =>
				text
					.replaceAll('github.com/n8n-nodes-workspace-data/', `github.com/${owner}/`)
					.replace('The n8n-nodes-workspace-data authors', 'Ada Lovelace')
					.replace('maintainers@example.com', email),
			);
		}
		const { version } = JSON.parse(await readFile(join(clone, 'package.json'), 'utf8'));
		await edit('CHANGELOG.md', (text) =>
			text.split('\n').includes(`## ${version}`) ? text : `${text}\n## ${version}\n`,
		);
		const { exitCode, output } = await publish();
		expect({ exitCode, output }).toEqual({
			exitCode: 1,
			output: expect.stringContaining("is missing: run 'npm run build'"),
		});
	});

	test('succeeds once it is built; the registry has what n8n installs', async () => {
		expect(await inClone('npm', 'run', 'build')).toMatchObject({ exitCode: 0 });
		expect(await publish()).toMatchObject({ exitCode: 0 });
		const answer = await fetch(`${registry}n8n-nodes-workspace-data`);
		const { versions } = (await answer.json()) as {
			versions: Record<string, { keywords: string[]; dist: { tarball: string } }>;
		};
		const [published, ...others] = Object.values(versions);
		expect(others).toEqual([]);
		expect(published?.keywords).toContain('n8n-community-node-package');
		const tarball = join(folder, 'published.tgz');
		const download = await fetch(published?.dist.tarball ?? '');
		await writeFile(tarball, new Uint8Array(await download.arrayBuffer()));
		const { stdout } = await execa('tar', ['-tzf', tarball]);
		expect(stdout.split('\n')).toEqual(
			expect.arrayContaining([
				'package/dist/icons/workspaceData.svg',
				'package/dist/nodes/WorkspaceData/WorkspaceData.node.js',
				'package/dist/nodes/WorkspaceData/WorkspaceDataTrigger.node.js',
				'package/dist/credentials/WorkspaceDataApi.credentials.js',
			]),
		);
	});
});
