/** Answers beyond the variants: short ones, strange ones, and those of somebody else (FAULTS.md, B26 and B34). */
import type { IDataObject } from 'n8n-workflow';
import { runAction } from '../support/n8n';
import { byId, mapAutomatically, mapEach } from '../support/parameters';
import { startWorkspace, type TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let card: { id: string; fieldIds: Record<string, string> };

beforeAll(async () => {
	workspace = await startWorkspace();
});
beforeEach(async () => {
	card = await workspace.card('Answers', [
		{ name: 'Key', type: 'text' },
		{ name: 'Amount', type: 'number' },
		{ name: 'At', type: 'datetime' },
		{ name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
	]);
	workspace.service.control.resetRequests();
});
afterEach(() => workspace.service.control.reset());
afterAll(async () => await workspace.close());

const run = async (operation: string, parameters: IDataObject = {}, items?: IDataObject[]) =>
	await runAction({
		credentials: workspace.apiKey,
		parameters: { resource: 'record', operation, cardId: byId(card.id), ...parameters },
		...(items && { items }),
	});
const columns = mapEach({ Key: 'a' });
/** Answers the next request of this kind in place of the service. */
const answer = (method: string, path: string, json: unknown, status = 200) =>
	workspace.service.control.fail({ method, path, mode: 'answer', status, body: 'json', json });

describe('answers to a create that show little', () => {
	test.each<[string, unknown]>([
		['the id', { id: 'r9' }],
		['the id under its own name', { record_id: 'r9' }],
		['the id in a wrapper', { data: { id: 'r9' } }],
	])('%s: the rest is what was sent', async (_, body) => {
		answer('POST', '/records$', body, 201);
		const { json, error } = await run('create', { columns });
		expect(error).toBeUndefined();
		expect(json).toEqual([{ id: 'r9', created_at: null, fields: { Key: 'a' } }]);
	});
	test('nothing: the id is null, not an invention', async () => {
		workspace.service.control.setVariants({ createStatus: 204 });
		expect((await run('create', { columns })).json).toEqual([
			{ id: null, created_at: null, fields: { Key: 'a' } },
		]);
	});
});

describe('a page of somebody else with status 200 is not taken for success (B34)', () => {
	test.each<[string, string, string, IDataObject, string]>([
		['create', 'POST', '/records$', { columns }, 'The answer is not a record'],
		[
			'update',
			'PATCH',
			'/records/',
			{ columns, recordId: byId('r1') },
			'The answer is not a record',
		],
		['getAll', 'GET', '/records$', { returnAll: true }, 'The answer is not a list of records'],
		['get', 'GET', '/fields$', { recordId: byId('r1') }, 'The answer is not a list of fields'],
	])('%s', async (operation, method, path, parameters, message) => {
		workspace.service.control.fail({ method, path, status: 200, body: 'html' });
		const { error } = await run(operation, parameters);
		expect(error?.message).toBe(message);
		expect(error?.description).toContain("'Base URL'");
	});
	test('nor for a card', async () => {
		workspace.service.control.fail({ method: 'GET', path: '/cards/', status: 200, body: 'html' });
		const { error } = await run('get', { resource: 'card' });
		expect(error?.message).toBe('The answer is not a card');
	});
	test.each(['create', 'update'])('nor for what a card’s %s wrote', async (operation) => {
		workspace.service.control.fail({
			method: operation === 'create' ? 'POST' : 'PATCH',
			status: 200,
			body: 'html',
		});
		const { error } = await run(operation, {
			resource: 'card',
			name: 'x',
			updateFields: { name: 'y' },
		});
		expect(error?.message).toBe('The answer is not a card');
	});
});

test('problem details with members of their own are shown (B34)', async () => {
	workspace.service.control.fail({
		method: 'POST',
		path: '/records$',
		status: 422,
		json: {
			type: 'https://x.example/problems/quota-reached',
			title: 'Quota reached',
			detail: `Field "${card.fieldIds.Key}" is full.`,
			errors: [{ pointer: '/data', detail: 'at most 5' }],
			balance: 30,
		},
	});
	const { error } = await run('create', { columns });
	expect(error?.message).toBe('Quota reached');
	expect(error?.description).toContain("Field 'Key' is full.");
	expect(error?.description).toContain('/data: at most 5');
	expect(error?.context?.kind).toBe('quota-reached');
});

test('a page size that the service refuses is left to the service, and refused once only', async () => {
	const { control } = workspace.service;
	control.fillCard({ cardId: card.id, count: 120 });
	control.fail({
		path: '/records$',
		status: 400,
		json: { type: 'https://x.example/problems/invalid-limit', title: 'Invalid limit' },
	});
	const { json, error } = await run('getAll', { returnAll: true });
	expect(error).toBeUndefined();
	expect(json).toHaveLength(120);
	const queries = control
		.requests()
		.filter(({ path }) => path.endsWith('/records'))
		.map(({ query }) => query.includes('limit='));
	expect(queries).toEqual([true, false, false, false]);
});

test('a listing that never ends is stopped (B26)', async () => {
	await workspace.records(card.id, [{ Key: 'a' }, { Key: 'b' }]);
	workspace.service.control.setPaging({ mode: 'endless' });
	const { error } = await run('getAll', { returnAll: true });
	expect(error?.message).toContain('does not end');
});

describe('upsert finds its record', () => {
	const upsert = async (items: IDataObject[], matching: string[]) =>
		await run('upsert', { columns: mapAutomatically(matching) }, items);

	test('also right after a create that was answered without an id', async () => {
		workspace.service.control.setVariants({ createStatus: 204 });
		const items = ['a', 'b', 'a', 'b', 'a'].map((Key, Amount) => ({ Key, Amount }));
		const { json, error } = await upsert(items, ['Key']);
		expect(error).toBeUndefined();
		expect(json.map(({ action }) => action)).toEqual([
			'created',
			'created',
			'updated',
			'updated',
			'updated',
		]);
		expect(await workspace.rows(card.id)).toEqual(
			expect.arrayContaining([
				{ Key: 'a', Amount: 4 },
				{ Key: 'b', Amount: 3 },
			]),
		);
		expect(await workspace.rows(card.id)).toHaveLength(2);
	});

	test.each<[string, IDataObject, IDataObject, string]>([
		[
			'a point in time in another spelling',
			{ At: '2026-03-31T12:00:00Z' },
			{ At: '2026-03-31T14:00:00+02:00' },
			'At',
		],
		['a choice in another case', { Status: 'Done' }, { Status: 'done' }, 'Status'],
		['a number as text', { Amount: 5 }, { Amount: ' 5.0 ' }, 'Amount'],
	])('by %s', async (_, record, item, key) => {
		await workspace.records(card.id, [record]);
		const { json, error } = await upsert([item], [key]);
		expect(error).toBeUndefined();
		expect(json.map(({ action }) => action)).toEqual(['updated']);
	});

	test('by a choice under its id', async () => {
		workspace.service.control.setVariants({ fieldOptions: 'idName' });
		const { fields } = (await workspace.send('GET', `/cards/${card.id}/fields`)) as {
			fields: Array<{ name: string; options: Array<{ id: string; name: string }> }>;
		};
		const choice = fields.find(({ name }) => name === 'Status')?.options[1];
		await workspace.records(card.id, [{ Status: 'Done' }]);
		const { json } = await upsert([{ Status: choice?.id }], ['Status']);
		expect(json.map(({ action }) => action)).toEqual(['updated']);
	});

	test('and says when there is none to update, unless told otherwise', async () => {
		const updateOnly = async (ifNotFound?: string) =>
			await run('upsert', {
				columns: mapEach({ Key: 'none' }, { matchingColumns: ['Key'] }),
				options: { upsertMode: 'updateOnly', ...(ifNotFound && { ifNotFound }) },
			});
		expect((await updateOnly()).error?.message).toBe(`No record of card '${card.id}' matches`);
		expect((await updateOnly('skip')).json).toEqual([]);
		expect((await updateOnly('empty')).json).toEqual([{}]);
	});
});

test.each<[string, IDataObject, string]>([
	['create', { columns, options: { emptyValues: 'drop' } }, "'Empty Values' cannot be 'drop'"],
	['create', { columns, options: { unknownFields: 'drop' } }, "'Unknown Fields' cannot be 'drop'"],
	['getAll', { options: { fieldKeys: 'label' } }, "'Field Keys' cannot be 'label'"],
	['getAll', { matchType: 'none' }, "'Match' cannot be 'none'"],
	[
		'delete',
		{ recordId: byId('r1'), options: { ifNotFound: 'ignore' } },
		"'If Not Found' cannot be 'ignore'",
	],
	[
		'update',
		{ columns, recordId: byId('r1'), options: { ifNotFound: 'ignore' } },
		"'If Not Found' cannot be 'ignore'",
	],
	['upsert', { columns, options: { upsertMode: 'replace' } }, "'Upsert Mode' cannot be 'replace'"],
	[
		'upsert',
		{ columns, options: { multipleMatches: 'last' } },
		"'Multiple Matches' cannot be 'last'",
	],
	[
		'delete',
		{ recordId: byId('r1'), options: { maxParallel: 0 } },
		"'Max Parallel Requests' has to be a number above 0",
	],
	[
		'delete',
		{ recordId: byId('r1'), options: { timeout: 'long' } },
		"'Timeout' has to be a number above 0",
	],
])('%s with %j says so and writes nothing', async (operation, parameters, message) => {
	const { error } = await run(operation, parameters);
	expect(error?.message).toContain(message);
	expect(workspace.requests().filter((request) => !request.startsWith('GET'))).toEqual([]);
});
