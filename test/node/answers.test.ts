/** Answers beyond the variants: short ones, strange ones, and those of somebody else (B26 and B34). */
import type { IDataObject } from 'n8n-workflow';
import { byId, byName, mapEach } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { startWebServer } from '../support/webServer';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'Answers',
	[
		{ name: 'Key', type: 'text' },
		{ name: 'Amount', type: 'number' },
		{ name: 'At', type: 'datetime' },
		{ name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
	],
	(made) => ({ workspace, card } = made),
);

const { run, answer } = recordRuns(() => ({ workspace, card }));
const columns = mapEach({ Key: 'a' });

describe('answers to a create that show little', () => {
	test.each<[string, unknown]>([
		['the id', { id: 'r9' }],
		['the id under its own name', { record_id: 'r9' }],
		['the id in a wrapper', { data: { id: 'r9' } }],
		['no values', { id: 'r9', data: {} }],
	])('%s: the rest is what was sent', async (_, body) => {
		answer('POST', '/records$', body, { status: 201 });
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

describe.each(['constructor', '__proto__', 'toString'])('a field with the id %j', (id) => {
	beforeEach(() => {
		answer('GET', '/fields$', { fields: [{ id, name: 'Odd', type: 'text' }] });
		answer('GET', '/records$', {
			records: [{ id: 'r1', data: {} }, JSON.parse(`{"id":"r2","data":{"${id}":"x"}}`)],
			next_cursor: null,
		});
	});

	test.each([
		['isEmpty', undefined, 'r1'],
		['isNotEmpty', undefined, 'r2'],
		['contains', 'x', 'r2'],
	])('%s is asked of values only', async (condition, value, found) => {
		const conditions = [{ field: 'Odd', condition, value }];
		const { json, error } = await run('getAll', { filters: { conditions } });
		expect(error).toBeUndefined();
		expect(json.map((item) => item.id)).toEqual([found]);
	});

	test('without a value it matches nothing', async () => {
		const value = mapEach({ Odd: '' }, { matchingColumns: ['Odd'] });
		const { error } = await run('upsert', { columns: value, options: { emptyValues: 'ignore' } });
		expect(error?.message).toBe("Matching field 'Odd' has no value");
	});
});

test.each([
	['by time', { created_at: '2026-01-01T00:00:00Z' }, { created_at: '2026-01-02T00:00:00Z' }],
	['by id, where no time is told', {}, {}],
])('Update First takes the oldest also where the newest is listed first: %s', async (_, a, b) => {
	const data = { [card.fieldIds.Key ?? '']: 'k' };
	const records = [
		{ id: 'r2', data, ...b },
		{ id: 'r1', data, ...a },
	];
	answer('GET', '/records$', { records, next_cursor: null });
	answer('PATCH', '/records/r1$', {});
	const { json, error } = await run('upsert', {
		columns: mapEach({ Key: 'k', Amount: 1 }, { matchingColumns: ['Key'] }),
		options: { multipleMatches: 'first' },
	});
	expect(error).toBeUndefined();
	expect(json).toMatchObject([{ id: 'r1', action: 'updated' }]);
});

test.each(['get', 'update', 'delete'])(
	'%s of no field asks for no card by its name',
	async (operation) => {
		const { error } = await run(operation, {
			resource: 'field',
			cardId: byName('Answers'),
			fieldId: byId('={{ "" }}'),
			updateFields: { name: 'New' },
		});
		expect(error?.message).toBe("'Field' is empty");
		expect(workspace.requests()).toEqual([]);
	},
);

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
	test.each(['card', 'field', 'record'])('nor for the deletion of a %s', async (resource) => {
		workspace.service.control.fail({ method: 'DELETE', status: 200, body: 'html' });
		const { error } = await run('delete', {
			resource,
			fieldId: byId(card.fieldIds.Key ?? ''),
			recordId: byId('r1'),
		});
		expect(error?.message).toBe('The service returned a web page instead of data');
		expect(error?.description).toContain(`whether the ${resource} was deleted`);
	});
	test('nor for a record that does not exist', async () => {
		workspace.service.control.fail({ method: 'DELETE', status: 404, body: 'html' });
		const options = { ifNotFound: 'skip' };
		const { error } = await run('delete', { recordId: byId('r1'), options });
		expect(error?.httpCode).toBe('404');
	});
	test('nor for the API description', async () => {
		workspace.service.control.fail({ path: '/openapi', status: 200, body: 'html' });
		const { error } = await run('get', { resource: 'apiDescription', format: 'yaml' });
		expect(error?.message).toBe('The service does not publish its description as YAML');
	});
	test('nor for a card', async () => {
		workspace.service.control.fail({ method: 'GET', path: '/cards/', status: 200, body: 'html' });
		const { error } = await run('get', { resource: 'card' });
		expect(error?.message).toBe('The answer is not a card');
	});
	test.each(['create', 'update'])('nor for the card of a card’s %s', async (operation) => {
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

test('an API description in JSON is one in YAML', async () => {
	answer('GET', '/openapi', { openapi: '3.0.3' });
	const { json } = await run('get', { resource: 'apiDescription', format: 'yaml' });
	expect(json).toEqual([{ yaml: '{\n  "openapi": "3.0.3"\n}' }]);
});

test.each([
	['create', 'POST'],
	['update', 'PATCH'],
])('a plain text after a %s is no failure: the change has been made', async (operation, method) => {
	workspace.service.control.fail({ method, status: 200, body: 'plain' });
	const { json, error } = await run(operation, { columns, recordId: byId('r1') });
	expect(error).toBeUndefined();
	expect(json).toMatchObject([{ fields: { Key: 'a' } }]);
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

test('a refusal keeps its own words, also where the fields cannot be listed again', async () => {
	const { control } = workspace.service;
	control.fail({
		method: 'POST',
		path: '/records$',
		status: 422,
		json: { title: 'Invalid value' },
	});
	control.fail({ method: 'GET', path: '/fields$', status: 403, skip: 1 });
	const { error } = await run('create', { columns });
	expect(error?.message).toBe('Invalid value');
	expect(workspace.requests()).toHaveLength(3);
});

test.each(['create', 'update', 'upsert'])(
	'%s: an unknown field of the output is said before anything is written',
	async (operation) => {
		const [id = ''] = await workspace.records(card.id, [{ Key: 'there' }]);
		workspace.service.control.resetRequests();
		const { error } = await run(operation, {
			columns: mapEach({ Key: 'a' }, { matchingColumns: ['Key'] }),
			recordId: byId(id),
			options: { outputFields: ['Nope'] },
		});
		expect(error?.message).toContain("no field 'Nope'");
		expect(workspace.requests()).toEqual([`GET /cards/${card.id}/fields`]);
	},
);

test('a page size that the service refuses is halved, once only', async () => {
	const { control } = workspace.service;
	control.fillCard({ cardId: card.id, count: 1_200 });
	control.fail({
		path: '/records$',
		status: 400,
		json: { type: 'https://x.example/problems/invalid-limit', title: 'Invalid limit' },
	});
	const { json, error } = await run('getAll', { returnAll: true });
	expect(error).toBeUndefined();
	expect(json).toHaveLength(1_200);
	const limits = control
		.requests()
		.filter(({ path }) => path.endsWith('/records'))
		.map(({ query }) => new URLSearchParams(query).get('limit'));
	expect(limits).toEqual(['1000', '500', '500', '500']);
});

describe('cards and fields that come in pages', () => {
	const pages = (path: string, ...bodies: unknown[]) => {
		for (const body of bodies) answer('GET', path, body);
	};
	const one = { cards: [{ id: 'c1', name: 'One' }], next_cursor: 'n1' };
	const two = { cards: [{ id: 'c2', name: 'Two' }], next_cursor: 2 };
	const three = { cards: [{ id: 'c3', name: 'Three' }], next_cursor: null };
	const cursors = () =>
		workspace.service.control
			.requests()
			.map(({ query }) => new URLSearchParams(query).get('cursor'));
	const cards = async (more: IDataObject) =>
		await run('getAll', { resource: 'card', returnAll: true, ...more });

	test('are all read', async () => {
		pages('/cards$', one, two, three);
		expect((await cards({})).json.map(({ id }) => id)).toEqual(['c1', 'c2', 'c3']);
		expect(cursors()).toEqual([null, 'n1', '2']);
	});
	test('are read up to the limit', async () => {
		pages('/cards$', one, two);
		expect((await cards({ returnAll: false, limit: 2 })).json).toHaveLength(2);
		expect(cursors()).toEqual([null, 'n1']);
	});
	test('are read until a cursor repeats', async () => {
		pages('/cards$', one, { ...two, next_cursor: 'n1' });
		expect((await cards({})).error?.message).toContain('does not end');
		expect(cursors()).toEqual([null, 'n1']);
	});
	test('are found by name on any page', async () => {
		pages('/cards$', one, three);
		await run('getAll', { cardId: byName('Three'), returnAll: true });
		expect(workspace.requests()).toContain('GET /cards/c3/fields');
	});
	test('fields, too', async () => {
		const { Key = '', Amount = '' } = card.fieldIds;
		pages(
			'/fields$',
			{ fields: [{ id: Key, name: 'Key' }], next_cursor: 'n1' },
			{ fields: [{ id: Amount, name: 'Amount' }] },
		);
		const { json } = await run('getAll', { resource: 'field', returnAll: true });
		expect(json.map(({ name }) => name)).toEqual(['Key', 'Amount']);
	});
});

describe('listings with odd entries lose none of them', () => {
	test('records without data, and cards without a name', async () => {
		answer('GET', '/records$', {
			records: [
				{ id: 'r1', data: null },
				{ id: 'r2', data: [] },
			],
			next_cursor: null,
		});
		const records = await run('getAll', { returnAll: true });
		expect(records.json).toMatchObject([
			{ id: 'r1', fields: {} },
			{ id: 'r2', fields: {} },
		]);
		answer('GET', '/cards$', [{ id: 'c1', name: null }]);
		const cards = await run('getAll', { resource: 'card', returnAll: true });
		expect(cards.json).toEqual([{ id: 'c1', name: null }]);
	});
	test('entries of which none can be read are no listing', async () => {
		answer('GET', '/records$', { records: [{ key: 'r1' }], next_cursor: null });
		const { error } = await run('getAll', { returnAll: true });
		expect(error?.message).toBe('The answer is not a list of records');
	});
});

test('a cursor that repeats does not matter where the limit is reached', async () => {
	const page = (id: string) => ({ records: [{ id, data: {} }], next_cursor: 'same' });
	answer('GET', '/records$', page('r1'));
	answer('GET', '/records$', page('r2'));
	const { json, error } = await run('getAll', { returnAll: false, limit: 2 });
	expect(error).toBeUndefined();
	expect(json.map(({ id }) => id)).toEqual(['r1', 'r2']);
});

test('a listing that never ends is stopped (B26)', async () => {
	await workspace.records(card.id, [{ Key: 'a' }, { Key: 'b' }]);
	workspace.service.control.setPaging({ mode: 'endless' });
	const { error } = await run('getAll', { returnAll: true });
	expect(error?.message).toContain('does not end');
});

test.each<[string, IDataObject, string]>([
	['create', { columns, options: { emptyValues: 'drop' } }, "'Empty Values' cannot be 'drop'"],
	[
		'create',
		{ columns, options: { unknownFields: 'drop' } },
		"'If Field Is Unknown' cannot be 'drop'",
	],
	['getAll', { options: { fieldKeys: 'label' } }, "'Name Fields By' cannot be 'label'"],
	['getAll', { matchType: 'none' }, "'Must Match' cannot be 'none'"],
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
		{ recordId: byId('r1'), options: { maxParallel: -1 } },
		"'Max Parallel Requests' must be a number above 0",
	],
	[
		'delete',
		{ recordId: byId('r1'), options: { timeout: 'long' } },
		"'Timeout (Seconds)' must be a number above 0",
	],
])('%s with %j says so and writes nothing', async (operation, parameters, message) => {
	const { error } = await run(operation, parameters);
	expect(error?.message).toContain(message);
	expect(workspace.requests().filter((request) => !request.startsWith('GET'))).toEqual([]);
});

describe('answers in other charsets (O6)', () => {
	test.each(['iso-8859-1', 'utf-16le'] as const)('%s: texts stay as they are', async (charset) => {
		await workspace.records(card.id, [{ Key: 'Zoé', Amount: 1 }]);
		workspace.service.control.setVariants({ charset });
		const matching = mapEach({ Key: 'Zoé', Amount: 2 }, { matchingColumns: ['Key'] });
		const { json, error } = await run('upsert', { columns: matching });
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ action: 'updated', fields: { Key: 'Zoé', Amount: 2 } }]);
	});

	test('bytes that are not of the charset are refused: they would come back as other texts', async () => {
		// As a service that sends its bytes under the name of another charset.
		const server = await startWebServer((_, response) => {
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(Buffer.from('{"records":[{"id":"r1","data":{"k":"Zo\u00e9"}}]}', 'latin1'));
		});
		const { workspaceDataApi } = workspace.apiKey;
		const credentials = {
			workspaceDataApi: { ...workspaceDataApi, baseUrl: `${server.url}/api/v1` },
		};
		const { error } = await run('getAll', { returnAll: true }, [{}], { credentials });
		await server.close();
		expect(error?.message).toContain('bytes that are not UTF-8');
	});
});

describe('a problem inside of error (O21)', () => {
	beforeEach(() => void workspace.service.control.setVariants({ problems: 'nested' }));
	const missing = { recordId: byId('rec_none') };
	test('is read as the problem that it is', async () => {
		const { error } = await run('get', missing);
		expect(error?.message).toContain("has no record 'rec_none'");
		const options = { ifNotFound: 'empty' };
		expect((await run('get', { ...missing, options })).json).toEqual([{}]);
	});
});

describe('answers that do not say success (O22)', () => {
	const recordId = async () => byId((await workspace.records(card.id, [{ Key: 'a' }]))[0] ?? '');

	test.each<[string, number, unknown, string]>([
		['304', 304, {}, 'only that nothing has changed'],
		[
			'207 with a part that failed',
			207,
			{ results: [{ status: 200 }, { status: 422, detail: 'No' }] },
			'No',
		],
	])('%s', async (_, status, body, message) => {
		answer('POST', '/records$', body, { status });
		const { json, error } = await run('create', { columns });
		expect(json).toEqual([]);
		expect(`${error?.message} ${error?.description}`).toContain(message);
	});

	test('DELETE answered with false', async () => {
		const id = await recordId();
		answer('DELETE', '/records/', false);
		const { error } = await run('delete', { recordId: id });
		expect(error?.message).toBe("The service reports that the record wasn't deleted");
		answer('PATCH', '/records/', false);
		expect((await run('update', { recordId: id, columns })).error?.message).toBe(
			"The service reports that the record wasn't changed",
		);
	});
});
