import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

describe('package.json', () => {
	test('has the facts that n8n and its users rely on', () => {
		expect(manifest).toMatchObject({
			keywords: expect.arrayContaining(['n8n-community-node-package']),
			files: ['dist'],
			n8n: { n8nNodesApiVersion: 1, strict: true },
			peerDependencies: { 'n8n-workflow': '*' },
		});
		expect(Object.keys(manifest.peerDependencies)).toEqual(['n8n-workflow']);
	});
	test.each([
		...['dependencies', 'bundledDependencies', 'bundleDependencies', 'optionalDependencies'],
		...['overrides', 'resolutions', 'bin'],
	])('has no %s', (key) => expect(manifest).not.toHaveProperty(key));
	test('runs nothing when it is installed, and the check of a release before it is published', () => {
		const lifecycle = /^(?:pre|post)?install$|^prepare$|^prepublish$|^prepack$|^postpack$/;
		expect(Object.keys(manifest.scripts).filter((name) => lifecycle.test(name))).toEqual([]);
		expect(manifest.scripts.prepublishOnly).toBe('node scripts/release.ts --built');
	});
	test('names a source file for each node and credential, and all of them', () => {
		const named: string[] = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
		const sources = named.map((path) => path.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
		const all = globSync('{nodes,credentials}/**/*.{node,credentials}.ts', { cwd: root });
		expect(sources.sort()).toEqual(all.sort());
	});
});

test('the licence is there', () => {
	expect(readFileSync(join(root, 'LICENSE.md'), 'utf8')).toContain('MIT');
});

test('what would be published is dist, and what npm always adds; no tests, no fixtures, no sources', () => {
	const pack = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
	const output = execFileSync('npm', pack, { cwd: root, encoding: 'utf8' });
	const [{ files }] = JSON.parse(output) as [{ files: Array<{ path: string }> }];
	const paths = files.map(({ path }) => path);
	const outside = paths.filter((path) => !path.startsWith('dist/'));
	expect(outside.sort()).toEqual(['LICENSE.md', 'README.md', 'package.json']);
	const strange =
		/(test|spec|fixture|vectors|service|demo|host|bench)[/.]|\.tsbuildinfo$|(?<!\.d)\.ts$/;
	const below = paths.map((path) => path.replace(/^dist\/nodes\/WorkspaceData\/model\//, ''));
	expect(below.filter((path) => strange.test(path))).toEqual([]);
});
