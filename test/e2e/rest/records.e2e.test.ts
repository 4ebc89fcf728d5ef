/** Records: every operation, names instead of ids, expressions per item. */
import { failureOf, outputOf } from '../../host/n8nClient.ts';
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
import type { FieldDraft } from '../support/serviceApi.ts';
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
					columns: mapEach({ Pages: '={{ $json.fields.Pages + 1 }}', Bought: '={{ null }}' }),
				}),
				record('Delete', 'delete', { cardId, recordId }),
			]),
		);
		const values = (node: string) => outputOf(execution, node).map(({ json }) => json.fields);
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
		const updated = values('Update') as Array<Record<string, unknown>>;
		expect(updated.map(({ Pages, Bought }) => [Pages, Bought ?? null])).toEqual([
			[636, null],
			[1, null],
		]);
		expect(outputOf(execution, 'Delete').map(({ json }) => json.deleted)).toEqual([true, true]);
		expect(outputOf(execution, 'Delete').map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
		]);
		expect(await api.records(card)).toEqual([]);
	});

	it('maps automatically and updates existing records', async () => {
		const { api, succeed } = bench();
		const card = await api.createCard('Catalogue', fields);
		await api.createRecord(card, { Title: 'Walden', Pages: 1 });
		const execution = await succeed(
			chain('Upsert', [
				manualTrigger(),
				codeItems('Rows', [
					{ Title: 'Walden', Pages: 352, Genre: 'Essay' },
					{ Title: 'Emma', Pages: 474, Genre: 'Novel' },
					{ Title: 'Emma', Lent: true },
				]),
				record('Upsert', 'upsert', { cardId: byId(card.id), columns: mapAutomatically(['Title']) }),
			]),
		);
		expect(outputOf(execution, 'Upsert').map(({ json }) => json.action)).toEqual([
			'updated',
			'created',
			'updated',
		]);
		const stored = await api.records(card);
		expect(stored).toHaveLength(2);
		expect(stored.map((one) => one.fields)).toEqual([
			expect.objectContaining({ Title: 'Walden', Pages: 352, Genre: 'Essay' }),
			expect.objectContaining({ Title: 'Emma', Pages: 474, Genre: 'Novel', Lent: true }),
		]);
	});

	it('sorts, searches, and shows in a dry run what would change', async () => {
		const { api, succeed } = bench();
		const card = await api.createCard('Shelf', fields);
		const walden = await api.createRecord(card, { Title: 'Walden', Pages: 352, Genre: 'Essay' });
		await api.createRecord(card, { Title: 'Emma', Pages: 474, Genre: 'Novel' });
		await api.createRecord(card, { Title: 'Untitled' });
		const cardId = byId(card.id);
		const once = { executeOnce: true };
		const dryRun = { options: { dryRun: true } };
		const few = { conditions: [{ field: 'Pages', condition: 'lessThan', value: '400' }] };
		const execution = await succeed(
			chain('Shelf', [
				manualTrigger(),
				record(
					'Sorted',
					'getAll',
					{ cardId, returnAll: true, sort: { by: [{ field: 'Genre' }, { field: 'Title' }] } },
					once,
				),
				record('Found', 'getAll', { cardId, returnAll: true, search: 'NOVEL' }, once),
				record(
					'Updated',
					'updateMany',
					{ cardId, filters: few, columns: mapEach({ Lent: 'true' }), ...dryRun },
					once,
				),
				record('Deleted', 'delete', { cardId, recordId: byId(walden), ...dryRun }, once),
			]),
		);
		const titles = (node: string) =>
			outputOf(execution, node).map(({ json }) => (json.fields as Record<string, unknown>).Title);
		expect(titles('Sorted')).toEqual(['Emma', 'Walden', 'Untitled']);
		expect(titles('Found')).toEqual(['Emma']);
		const before = { Title: 'Walden', Pages: 352, Genre: 'Essay' };
		expect(outputOf(execution, 'Updated').map(({ json }) => json)).toEqual([
			{ dry_run: true, action: 'update', id: walden, before, after: { ...before, Lent: true } },
		]);
		expect(outputOf(execution, 'Deleted').map(({ json }) => json)).toEqual([
			{ dry_run: true, action: 'delete', id: walden, before, after: null },
		]);
		expect(await api.records(card)).toHaveLength(3);
		expect((await api.records(card)).map((one) => one.fields.Lent)).not.toContain(true);
	});

	it('syncs: plans, then creates, updates and deletes exactly what the conditions choose', async () => {
		const { api, control, succeed, run } = bench();
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

		const twice = codeItems('Source', [
			{ Key: 'twin', Source: '7' },
			{ Key: 'twin', Source: '7' },
		]);
		await control.resetRequests();
		const refused = await run(chain('Refused', [manualTrigger(), twice, sync(false)]));
		expect(failureOf(refused)).toMatch(/twin[\s\S]*items 0 and 1/);
		expect(await changes()).toEqual([]);
	});

	it('reads all records, a limited number, and those that meet a filter', async () => {
		const { api, control, succeed } = bench();
		const card = await api.createCard('Archive', fields);
		await control.fillCard({ cardId: card.id, count: 450 });
		const list = (name: string, parameters: object) =>
			record(name, 'getAll', { cardId: byId(card.id), ...parameters }, { executeOnce: true });
		const execution = await succeed(
			chain('Lists', [
				manualTrigger(),
				list('All', { returnAll: true }),
				list('Three', { returnAll: false, limit: 3 }),
				list('Filtered', {
					returnAll: true,
					matchType: 'allConditions',
					filters: {
						conditions: [
							{ field: 'Pages', condition: 'greaterOrEqual', value: '440' },
							{ field: 'Lent', condition: 'equals', value: 'true' },
						],
					},
				}),
				list('Raw', { returnAll: false, limit: 1, simple: false }),
			]),
		);
		expect(new Set(outputOf(execution, 'All').map(({ json }) => json.id)).size).toBe(450);
		expect(outputOf(execution, 'Three')).toHaveLength(3);
		const pages = outputOf(execution, 'Filtered').map(
			({ json }) => (json.fields as { Pages: number }).Pages,
		);
		expect(pages.sort()).toEqual([440, 442, 444, 446, 448]);
		expect(outputOf(execution, 'Raw')[0]?.json).toMatchObject({
			id: expect.any(String),
			created_at: expect.any(String),
			data: { [card.fields.Title as string]: 'Title 0' },
		});
	});

	it('works after all field ids have changed, and after a field is renamed', async () => {
		const { api, client, control, succeedAgain } = bench();
		const card = await api.createCard('Moving', [
			['Title', 'text'],
			['Pages', 'number'],
		]);
		const columns = {
			...mapEach({ Title: 'Emma', Pages: 474 }),
			// As the editor keeps what the mapper showed.
			schema: Object.entries(card.fields).map(([name, fieldId]) => ({
				id: name,
				displayName: name,
				fieldId,
				required: false,
				defaultMatch: false,
				display: true,
				type: 'string',
			})),
		};
		const saved = await client.createWorkflow(
			chain('Goes on', [
				manualTrigger(),
				record('Create', 'create', { cardId: byId(card.id), columns }),
			]),
		);
		const fieldsOfRun = async () => outputOf(await succeedAgain(saved), 'Create')[0]?.json.fields;
		await control.renameField({
			cardId: card.id,
			fieldId: card.fields.Title as string,
			name: 'Name of the book',
		});
		expect(await fieldsOfRun()).toEqual({ 'Name of the book': 'Emma', Pages: 474 });
		await control.renameField({
			cardId: card.id,
			fieldId: card.fields.Title as string,
			name: 'Title',
		});
		await control.rotateFieldIds({ cardId: card.id });
		expect(await fieldsOfRun()).toEqual({ Title: 'Emma', Pages: 474 });
	});

	it('reads card and values for each item', async () => {
		const { api, succeed } = bench();
		const cards = await Promise.all([
			api.createCard('Left', [['Title', 'text']]),
			api.createCard('Right', [['Title', 'text']]),
		]);
		await succeed(
			chain('Per item', [
				manualTrigger(),
				codeItems('Items', [
					{ card: 'Left', text: 'l1' },
					{ card: 'Right', text: 'r1' },
					{ card: 'Left', text: 'l2' },
				]),
				record('Create', 'create', {
					cardId: byName('={{ $json.card }}'),
					columns: mapEach({ Title: '={{ $json.text }}' }),
				}),
			]),
		);
		const titles = await Promise.all(
			cards.map(async (card) =>
				(await api.records(card)).map(({ fields: { Title } }) => Title).sort(),
			),
		);
		expect(titles).toEqual([['l1', 'l2'], ['r1']]);
	});

	it('works with the service account, which asks for one token', async () => {
		const { api, control, succeed } = bench();
		const card = await api.createCard('Tokens', [['Title', 'text']]);
		await control.resetRequests();
		const items = Array.from({ length: 30 }, (_, n) => ({ Title: `t${n}` }));
		await succeed(
			chain('Service account', [
				manualTrigger(),
				codeItems('Items', items),
				record('Create', 'create', {
					authentication: 'serviceAccount',
					cardId: byId(card.id),
					columns: mapAutomatically(),
				}),
			]),
		);
		expect(await api.records(card)).toHaveLength(30);
		const requests = await control.requests();
		expect(requests.filter(({ listener }) => listener === 'auth').length).toBeLessThanOrEqual(1);
		expect(requests.filter(({ status }) => status === 401)).toEqual([]);
	});
});
