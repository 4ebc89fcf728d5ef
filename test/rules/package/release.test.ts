import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { WorkspaceDataApi } from '../../../credentials/WorkspaceDataApi.credentials';
import { WorkspaceDataServiceAccountApi } from '../../../credentials/WorkspaceDataServiceAccountApi.credentials';
import { type Manifest, releaseObstacles } from '../../../scripts/releaseCheck';

const root = resolve(__dirname, '../../..');
const changelog = '# Changelog\n\n## 1.2.3\n\nText.\n';
const pages = new Map([['CHANGELOG.md', changelog]]);

/** A manifest that may be released, with changes. */
const manifest = (changes: Partial<Manifest> = {}): Manifest => ({
	name: 'n8n-nodes-workspace-data',
	version: '1.2.3',
	author: { name: 'Ada Lovelace', email: 'ada@analytical.engine' },
	homepage: 'https://github.com/ada/nodes#readme',
	bugs: 'https://github.com/ada/nodes/issues',
	repository: { url: 'git+https://github.com/ada/nodes.git' },
	...changes,
});

describe('a release', () => {
	test('may run when nothing is a placeholder', () => {
		const run = { repository: 'ada/nodes', tag: 'v1.2.3' };
		expect(releaseObstacles(manifest(), pages, run)).toEqual([]);
		expect(releaseObstacles(manifest(), pages)).toEqual([]);
	});

	const repository = "'repository.url'";
	const named = 'https://github.com/n8n-nodes-workspace-data/n8n-nodes-workspace-data';
	const anon = { name: 'The n8n-nodes-workspace-data authors', email: 'a@b.org' };
	const noAddress = { name: 'Ada', email: 'maintainers@example.com' };
	const placeholder = { homepage: named, bugs: `${named}/issues` };
	test.each<[string, Partial<Manifest>, string[]]>([
		["the author's name", { author: anon }, ["'author.name'"]],
		["the author's address", { author: noAddress }, ["'author.email'"]],
		['the repository', { repository: { url: `${named}.git` }, ...placeholder }, [repository]],
		['no repository', { repository: { url: '' } }, [repository, "'homepage'", "'bugs'"]],
		['another homepage', { homepage: 'https://github.com/adam/nodes' }, ["'homepage'"]],
		['another page for bugs', { bugs: 'https://github.com/ada/nodes2/issues' }, ["'bugs'"]],
		['a version that the changelog lacks', { version: '1.2.4' }, ["'## 1.2.4'"]],
	])('is refused for %s', (_name, changes, parts) => {
		expect(releaseObstacles(manifest(changes), pages)).toEqual(
			parts.map((part) => expect.stringContaining(part)),
		);
	});
});

test('the addresses that n8n shows are in the repository that package.json names', () => {
	const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
	const { homepage } = read('package.json') as Manifest;
	const ofNodes = ['WorkspaceData', 'WorkspaceDataTrigger'].flatMap((name) => {
		const { resources } = read(`nodes/WorkspaceData/${name}.node.json`) as {
			resources: Record<string, Array<{ url: string }>>;
		};
		return Object.values(resources).flatMap((links) => links.map(({ url }) => url));
	});
	const ofCredentials = [new WorkspaceDataApi(), new WorkspaceDataServiceAccountApi()].map(
		({ documentationUrl }) => documentationUrl,
	);
	const addresses = [...ofNodes, ...ofCredentials];
	expect(addresses.length).toBeGreaterThanOrEqual(6);
	const isOurs = (url: string) =>
		/^(#\w+|\/blob\/main\/docs\/\w+\.md)$/.test(url.replace(homepage, ''));
	expect(addresses.filter((url) => !isOurs(url))).toEqual([]);
});
