/** The editor's requests for lists, as n8n passes them to the nodes. */
import type { Json } from '../../host/n8nClient.ts';
import { ourTypes } from '../../host/workbench.ts';
import { byId } from '../../host/workflowBuilder.ts';
import { useSharedBench } from '../support/bench.ts';
import { major } from '../support/settings.ts';

describe(`lists in n8n ${major}`, () => {
	const bench = useSharedBench(major);

	it('lists the cards for the service account and for the trigger', async () => {
		const { api, client, credentials } = bench();
		await api.createCard('Books');
		const { workspaceDataServiceAccountApi } = credentials;
		const { results } = await client.locatorResults({
			nodeType: ourTypes.trigger,
			methodName: 'searchCards',
			path: 'parameters.cardId',
			credentials: { workspaceDataServiceAccountApi },
			parameters: { authentication: 'serviceAccount' },
		});
		expect(results.map(({ name }) => name)).toContain('Books');
	});

	it('lists all records page by page', async () => {
		const { api, client, control, credentials } = bench();
		const { id: cardId } = await api.createCard('Shelf', [['Title', 'text']]);
		await control.fillCard({ cardId, count: 230 });
		const found: Json[] = [];
		let pages = 0;
		let paginationToken: Json | undefined;
		do {
			const page = await client.locatorResults({
				nodeType: ourTypes.action,
				methodName: 'searchRecords',
				path: 'parameters.recordId',
				credentials: { workspaceDataApi: credentials.workspaceDataApi },
				parameters: {
					authentication: 'apiKey',
					resource: 'record',
					operation: 'get',
					cardId: byId(cardId),
				},
				paginationToken,
			});
			found.push(...page.results.map(({ value }) => value));
			({ paginationToken } = page);
			pages += 1;
		} while (paginationToken && pages < 100);
		expect(new Set(found).size).toBe(230);
		expect(pages).toBeGreaterThan(1);
	});
});
