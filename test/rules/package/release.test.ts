import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { WorkspaceDataApi } from '../../../credentials/WorkspaceDataApi.credentials';
import { WorkspaceDataServiceAccountApi } from '../../../credentials/WorkspaceDataServiceAccountApi.credentials';

const root = resolve(__dirname, '../../..');
test('the addresses that n8n shows are in the repository that package.json names', () => {
	const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
	const { homepage } = read('package.json') as { homepage: string };
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
