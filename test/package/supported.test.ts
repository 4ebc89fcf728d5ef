import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runCommand } from '../host/commands.ts';
import { repository } from '../host/folders.ts';
import { packPackage } from '../host/packageInstall.ts';
import { installTools, toolsFolder } from './install.ts';

/** The oldest Node of each line that an n8n with this package runs on, and the newest. */
const NODES = [
	['20.19', join(toolsFolder, 'node-20', 'bin', 'node')],
	['22.16', join(toolsFolder, 'node-22', 'bin', 'node')],
	['24', process.execPath],
] as const;

const ZODS = [
	['3.25', 'zod'],
	['4', 'zod-4'],
] as const;

/** What a person reads of the loaded package, and a stack of it; runs where only n8n's modules can be found. */
const LOAD = `
	const { n8n } = require('n8n-nodes-workspace-data/package.json');
	const types = [...n8n.nodes, ...n8n.credentials].flatMap((path) =>
		Object.values(require('n8n-nodes-workspace-data/' + path)).map((Type) => new Type()),
	);
	const node = types.find(({ description }) => description?.name === 'workspaceData');
	const context = { getInputData: () => [{ json: {} }], getNodeParameter: () => { throw new Error('reached'); } };
	node.execute.call(new Proxy(context, { get: (target, name) => target[name] ?? (() => undefined) })).then(
		(result) => print({ result }),
		({ stack }) => print({ stack }),
	);
	const print = (outcome) => process.stdout.write(JSON.stringify({
		node: process.versions.node,
		zod: require('zod/package.json').version,
		names: types.map(({ name, description }) => description?.displayName ?? name),
		parameters: types.map(({ properties, description }) => (properties ?? description.properties).length),
		...outcome,
	}));`;

let folder = '';
let tarball = '';

beforeAll(async () => {
	await installTools();
	folder = await mkdtemp(join(tmpdir(), 'workspace-data-package-'));
	tarball = await packPackage();
}, 600_000);
afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** A folder that has the packed package and n8n's modules, with a zod of that version. */
async function installed(zod: string): Promise<string> {
	const home = join(folder, zod);
	const target = join(home, 'node_modules', 'n8n-nodes-workspace-data');
	await mkdir(target, { recursive: true });
	await runCommand('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'], {
		cwd: home,
		purpose: 'Unpacking the package',
	});
	for (const [name, source] of [
		['n8n-workflow', 'n8n-workflow'],
		['luxon', 'luxon'],
		['zod', zod],
	] as const) {
		const from = join(repository, 'node_modules', source);
		await symlink(from, join(home, 'node_modules', name), 'dir');
	}
	return home;
}

test('the package is dist, and what npm always adds; no tests, no fixtures, no sources', async () => {
	const list = await runCommand('tar', ['-tzf', tarball], { cwd: folder, purpose: 'Listing it' });
	const paths = list.trim().split('\n');
	const outside = paths.filter((path) => !path.startsWith('package/dist/'));
	expect(outside.sort()).toEqual([
		'package/LICENSE.md',
		'package/README.md',
		'package/package.json',
	]);
	const strange = paths.filter((path) =>
		/(tests?|fixtures?|vectors|service|demo|host|bench)\/|\.(test|spec)\.|\.tsbuildinfo$|\.ts$/.test(
			path,
		),
	);
	expect(strange).toEqual([]);
});

describe.each(ZODS)('with zod %s', (version, zod) => {
	let home = '';
	beforeAll(async () => {
		home = await installed(zod);
	});

	test.each(NODES)(
		'the packed package loads on Node %s, and a stack has the names of the sources',
		async (line, binary) => {
			const output = await runCommand(binary, ['-e', LOAD], { cwd: home, purpose: 'Loading it' });
			const loaded = JSON.parse(output) as {
				node: string;
				zod: string;
				names: string[];
				parameters: number[];
				stack?: string;
			};
			expect(loaded.node).toMatch(new RegExp(`^${line.replace('.', '\\.')}(?:\\.|$)`));
			expect(loaded.zod).toMatch(new RegExp(`^${version.replace('.', '\\.')}\\.`));
			expect(loaded.names).toEqual([
				'Workspace Data',
				'Workspace Data Trigger',
				'workspaceDataApi',
				'workspaceDataServiceAccountApi',
			]);
			expect(Math.min(...loaded.parameters)).toBeGreaterThan(2);
			// Names that the sources have, for whoever reads the stack of an error.
			expect(loaded.stack).toMatch(/^ +at route .*\n +at .*execute /m);
		},
	);
});

/** Tests of the published code's rules, most of those with shared vectors, that need nothing of n8n. */
const RULES = 'rules/values/(?!time)|/rateLimit';

test.each(NODES.slice(0, 2))(
	'the rules of the nodes and the shared vectors hold on Node %s',
	async (line, binary) => {
		const jest = join(repository, 'node_modules', 'jest', 'bin', 'jest.js');
		const outputFile = join(folder, `${line}.json`);
		await runCommand(
			binary,
			[
				...[jest, '--selectProjects', 'rules', '--testPathPatterns', RULES],
				...['--reporters', 'default', '--json', '--outputFile', outputFile],
			],
			{ cwd: repository, purpose: 'Testing the rules' },
		);
		const { numFailedTests, numPassedTests } = JSON.parse(await readFile(outputFile, 'utf8'));
		expect(numFailedTests).toBe(0);
		expect(numPassedTests).toBeGreaterThan(300);
	},
);
