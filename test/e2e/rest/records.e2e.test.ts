/** Records through a whole workflow: expressions for each item, values there and back, pairing. */
import { outputOf } from '../../host/n8nClient.ts';
import {
	byId,
	byName,
	chain,
	codeItems,
	manualTrigger,
	mapEach,
} from '../../host/workflowBuilder.ts';
import { useSharedBench } from '../support/bench.ts';
import type { FieldDraft } from '../../host/serviceApi.ts';
import { major } from '../support/settings.ts';

const fields: FieldDraft[] = [
	['Title', 'text'],
	['Pages', 'number'],
	['Lent', 'boolean'],
	['Bought', 'date'],
	['Genre', 'single_select', ['Novel', 'Essay']],
	['Keywords', 'multi_select', ['sea', 'war']],
];

describe(`records in n8n ${major}`, () => {
	const bench = useSharedBench(major);
	const record = (name: string, operation: string, parameters = {}, extra = {}) =>
		bench().action(name, { resource: 'record', operation, ...parameters }, extra);

	it('creates, gets, updates and deletes records', async () => {
		const { api, succeed } = bench();
		const card = await api.createCard('Books', fields);
		const cardId = byName('Books');
		const recordId = byId("={{ $('Create').item.json.id }}");
		const execution = await succeed(
			chain('Records', [
				manualTrigger(),
				codeItems('Books', [
					{ title: 'Moby-Dick', pages: 635, lent: false, keywords: ['sea'] },
					{ title: 'Walden', pages: 0, lent: true, keywords: [] },
				]),
				record('Create', 'create', {
					cardId,
					columns: mapEach({
						Title: '={{ $json.title }}',
						Pages: '={{ $json.pages }}',
						Lent: '={{ $json.lent }}',
						Bought: '2024-02-29',
						Genre: '={{ $json.lent ? "Essay" : "Novel" }}',
						Keywords: '={{ $json.keywords }}',
					}),
				}),
				record('Get', 'get', { cardId, recordId }),
				record('Update', 'update', {
					cardId,
					recordId,
					columns: mapEach({ Pages: '={{ $json.Pages + 1 }}', Bought: '={{ null }}' }),
				}),
				record('Delete', 'delete', { cardId, recordId }),
			]),
		);
		const values = (node: string) =>
			outputOf(execution, node).map(({ json: { id, created_at, ...values } }) => {
				expect([id, created_at]).toEqual([expect.any(String), expect.any(String)]);
				return values;
			});
		const [moby, walden] = [
			{
				Title: 'Moby-Dick',
				Pages: 635,
				Lent: false,
				Bought: '2024-02-29',
				Genre: 'Novel',
				Keywords: ['sea'],
			},
			{ Title: 'Walden', Pages: 0, Lent: true, Bought: '2024-02-29', Genre: 'Essay', Keywords: [] },
		];
		expect(values('Create')).toEqual([moby, walden]);
		expect(values('Get')).toEqual([moby, walden]);
		const updated = outputOf(execution, 'Update').map(({ json }) => json);
		expect(updated).toMatchObject([
			{ Pages: 636, Bought: null },
			{ Pages: 1, Bought: null },
		]);
		expect(outputOf(execution, 'Delete').map(({ json }) => json.deleted)).toEqual([true, true]);
		expect(outputOf(execution, 'Delete').map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
		]);
		expect(await api.records(card)).toEqual([]);
	});
});
