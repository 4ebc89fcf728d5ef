/** Records: the operations that delete, with expressions for each item. */
import { outputOf } from '../../host/n8nClient.ts';
import {
	byId,
	byName,
	chain,
	codeItems,
	manualTrigger,
	mapAutomatically,
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

	it('syncs: plans, then creates, updates and deletes exactly what the conditions choose', async () => {
		const { api, control, succeed } = bench();
		const card = await api.createCard('Synced', [
			['Key', 'text'],
			['Source', 'text'],
			['Pages', 'number'],
		]);
		const rows = [
			{ Key: 'kept', Source: '7', Pages: 1 },
			{ Key: 'changed', Source: '7', Pages: 2 },
			{ Key: 'gone', Source: '7', Pages: 3 },
			// Other spellings of the condition's value are other texts.
			{ Key: 'zeros', Source: '007', Pages: 4 },
			{ Key: 'decimals', Source: '7.0', Pages: 5 },
		];
		for (const row of rows) await api.createRecord(card, row);
		const source = codeItems('Source', [
			{ Key: 'kept', Source: '7', Pages: 1 },
			{ Key: 'changed', Source: '7', Pages: 20 },
			{ Key: 'new', Source: '7', Pages: 30 },
		]);
		const sync = (dryRun: boolean) =>
			record('Sync', 'sync', {
				cardId: byId(card.id),
				columns: mapAutomatically(['Key']),
				filters: { conditions: [{ field: 'Source', condition: 'equals', value: '7' }] },
				missingRecords: 'delete',
				dryRun,
			});
		const workflow = (dryRun: boolean) => chain('Sync', [manualTrigger(), source, sync(dryRun)]);
		const changes = async () =>
			(await control.requests()).map(({ method }) => method).filter((method) => method !== 'GET');

		await control.resetRequests();
		const planned = outputOf(await succeed(workflow(true)), 'Sync');
		expect(planned.map(({ json }) => json.action)).toEqual(['update', 'create', 'delete']);
		expect(await changes()).toEqual([]);

		const done = outputOf(await succeed(workflow(false)), 'Sync');
		expect(done.map(({ json }) => json.action)).toEqual([
			'unchanged',
			'updated',
			'created',
			'deleted',
		]);
		expect((await changes()).toSorted()).toEqual(['DELETE', 'PATCH', 'POST']);
		const left = (await api.records(card)).map(({ fields }) => [fields.Key, fields.Pages]);
		expect(new Map(left as Array<[string, number]>)).toEqual(
			new Map([
				['kept', 1],
				['changed', 20],
				['new', 30],
				['zeros', 4],
				['decimals', 5],
			]),
		);
	});

	it('Delete Many deletes exact text values and times only', async () => {
		const { api, succeed } = bench();
		const card = await api.createCard('Codes', [
			['Code', 'text'],
			['At', 'datetime'],
		]);
		const at = (digit: number) => `2026-03-31T15:00:00.00000${digit}Z`;
		for (const Code of ['7', '7.0', '007', '0x7']) {
			await api.createRecord(card, { Code, At: at(1) });
		}
		await api.createRecord(card, { Code: 'x', At: at(2) });
		const deleteWhere = (field: string, value: string) =>
			record(field, 'deleteMany', {
				cardId: byName('Codes'),
				filters: {
					conditions: [{ field, condition: 'equals', value: { __rl: true, mode: 'value', value } }],
				},
			});
		await succeed(
			chain('Exact', [manualTrigger(), deleteWhere('Code', '={{ 7 }}'), deleteWhere('At', at(2))]),
		);
		const left = (await api.records(card)).map(({ fields }) => fields.Code);
		expect(left).toEqual(['7.0', '007', '0x7']);
	});
});
