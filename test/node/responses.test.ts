/** Responses in other shapes, refusals under other statuses, and responses of other servers. */
import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import type { IDataObject } from 'n8n-workflow';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createTestClock } from '../support/clock';
import { pressTest } from '../support/editor';
import { hintsOf, n8nMajor, runAction, succeeded } from '../support/n8n';
import { byId, byName, mapAutomatically, mapEach, where } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { startWebServer, type WebServer } from '../support/webServer';
import { type TestCard, type TestWorkspace, useCardsFor } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
const useNewCard = useCardsFor((made) => ({ workspace, card } = made));
const { run, answer } = recordRuns(() => ({ workspace, card }));

describe('short and unusual responses', () => {
	useNewCard('Answers', {
		Key: 'text',
		Amount: 'number',
		At: 'datetime',
		Status: { type: 'single_select', options: ['Open', 'Done'] },
	});
	const columns = mapEach({ Key: 'a' });

	describe('responses to a create that show little', () => {
		/** A new record has nothing but what was sent. */
		const created = { Key: 'a', Amount: null, At: null, Status: null };
		test.each<[string, unknown]>([
			['the id', { id: 'r9' }],
			['no values', { id: 'r9', data: {} }],
		])('%s: the rest is what was sent', async (_, body) => {
			answer('POST', '/records$', body, { status: 201 });
			const { json } = succeeded(await run('create', { columns }));
			expect(json).toEqual([{ ...created, id: 'r9', created_at: null }]);
		});
		test('nothing: the id is null, not an invention', async () => {
			workspace.service.control.setVariants({ createStatus: 204 });
			const { json } = await run('create', { columns });
			expect(json).toEqual([{ ...created, id: null, created_at: null }]);
		});
	});

	test.each(['constructor', '__proto__', 'toString'])(
		'a field with the id %j: conditions are asked of values only',
		async (id) => {
			answer('GET', '/fields$', { fields: [{ id, name: 'Odd', type: 'text' }] }, { times: 4 });
			const records = [{ id: 'r1', data: {} }, JSON.parse(`{"id":"r2","data":{"${id}":"x"}}`)];
			answer('GET', '/records$', { records, next_cursor: null }, { times: 2 });
			const found = async (condition: string, value: string) =>
				succeeded(await run('getAll', where('Odd', condition, value))).json.map((item) => item.id);
			expect(await found('isEmpty', '')).toEqual(['r1']);
			expect(await found('contains', 'x')).toEqual(['r2']);
		},
	);

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
		const matching = mapEach({ Key: 'k', Amount: 1 }, { matchingColumns: ['Key'] });
		const options = { multipleMatches: 'first' };
		const { json } = succeeded(await run('upsert', { columns: matching, options }));
		expect(json).toMatchObject([{ id: 'r1', action: 'updated' }]);
	});

	describe("a page of somebody else with status 200 isn't taken for success", () => {
		const ofCard = { resource: 'card', name: 'x', updateFields: { name: 'y' } };
		test.each<[string, string, string, IDataObject, string]>([
			['create', 'POST', '/records$', { columns }, 'a record'],
			['update', 'PATCH', '/records/', { columns, recordId: byId('r1') }, 'a record'],
			['getAll', 'GET', '/records$', { returnAll: true }, 'a list of records'],
			['get', 'GET', '/fields$', { recordId: byId('r1') }, 'a list of fields'],
			['get', 'GET', '/cards/', ofCard, 'a card'],
			['create', 'POST', '/cards$', ofCard, 'a card'],
			['update', 'PATCH', '/cards/', ofCard, 'a card'],
		])('%s', async (operation, method, path, parameters, thing) => {
			workspace.fail(method, path, { status: 200, body: 'html' });
			const { error } = await run(operation, parameters);
			expect(error?.message).toBe(`The response isn't ${thing}`);
			expect(error?.description).toContain("'Base URL'");
		});
		test.each(['card', 'field', 'record'])('nor for the deletion of a %s', async (resource) => {
			workspace.fail('DELETE', '', { status: 200, body: 'html' });
			const fieldId = byId(card.fieldIds.Key ?? '');
			const { error } = await run('delete', { resource, fieldId, recordId: byId('r1') });
			expect(error?.message).toBe('The service returned a web page instead of data');
			expect(error?.description).toContain(`whether the ${resource} was deleted`);
		});
		test('nor for the API description', async () => {
			workspace.fail('GET', '/openapi', { status: 200, body: 'html' });
			const { error } = await run('get', { resource: 'apiDescription', format: 'yaml' });
			expect(error?.message).toBe("The service doesn't publish its description as YAML");
		});
	});

	test('an API description in JSON is one in YAML', async () => {
		answer('GET', '/openapi', { openapi: '3.0.3' });
		const { json } = await run('get', { resource: 'apiDescription', format: 'yaml' });
		expect(json).toEqual([{ yaml: '{\n  "openapi": "3.0.3"\n}' }]);
	});

	test('problem details with members of their own are shown', async () => {
		const json = {
			type: 'https://x.example/problems/quota-reached',
			title: 'Quota reached',
			detail: `Field "${card.fieldIds.Key}" is full.`,
			errors: [{ pointer: '/data', detail: 'at most 5' }],
		};
		workspace.fail('POST', '/records$', { status: 422, json });
		const { error } = await run('create', { columns });
		expect(error).toMatchObject({
			...{ name: 'NodeApiError', message: 'Quota reached', httpCode: '422' },
			context: { itemIndex: 0, kind: 'quota-reached' },
		});
		expect(error?.description).toContain("Field 'Key' is full.");
		expect(error?.description).toContain('/data: at most 5');
	});

	test("a refusal keeps its own words, also where the fields can't be listed again", async () => {
		workspace.fail('POST', '/records$', { status: 422, json: { title: 'Invalid value' } });
		workspace.fail('GET', '/fields$', { status: 403, skip: 1 });
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

	test('cards in pages are read up to the limit, and found by name on any page', async () => {
		const list = (id: string, next_cursor: string | number | null) =>
			answer('GET', '/cards$', { cards: [{ id, name: `Card ${id}` }], next_cursor });
		list('c1', 'n1');
		list('c2', 2);
		const { json } = await run('getAll', { resource: 'card', returnAll: false, limit: 2 });
		expect(json).toHaveLength(2);
		const queries = workspace.service.control.requests().map(({ query }) => query);
		expect(queries.map((query) => new URLSearchParams(query).get('cursor'))).toEqual([null, 'n1']);
		list('c1', 'n1');
		list('c3', null);
		await run('getAll', { cardId: byName('Card c3'), returnAll: true });
		expect(workspace.requests()).toContain('GET /cards/c3/fields');
	});

	test("a cursor that repeats doesn't matter where the limit is reached", async () => {
		const page = (id: string) => ({ records: [{ id, data: {} }], next_cursor: 'same' });
		answer('GET', '/records$', page('r1'));
		answer('GET', '/records$', page('r2'));
		const { json } = succeeded(await run('getAll', { returnAll: false, limit: 2 }));
		expect(json.map(({ id }) => id)).toEqual(['r1', 'r2']);
	});

	const recordId = byId('r1');
	test.each<[string, IDataObject, string]>([
		['create', { columns, options: { emptyValues: 'drop' } }, "'Empty Values' can't be 'drop'"],
		['create', { columns, options: { unknownFields: 'drop' } }, "'If Field Is Unknown' can't be"],
		['getAll', { options: { fieldKeys: 'label' } }, "'Name Fields By' can't be 'label'"],
		['getAll', { options: { ifNotFound: 'skip' } }, "'If Not Found' can't be 'skip'"],
		['delete', { recordId, options: { ifNotFound: 'no' } }, "'If Not Found' can't be 'no'"],
		['update', { columns, recordId, options: { ifNotFound: 'no' } }, "'If Not Found' can't be"],
		['upsert', { columns, options: { upsertMode: 'replace' } }, "'Upsert Mode' can't be 'replace'"],
		['upsert', { columns, options: { multipleMatches: 'last' } }, "'Multiple Matches' can't be"],
		['upsert', { columns, options: { unchanged: 'no' } }, "'If Nothing Changed' can't be 'no'"],
		['update', { columns, recordId, options: { oldValues: 'no' } }, "'Return Old Values' can't be"],
		['delete', { recordId, options: { maxParallel: -1 } }, "'Max Parallel Requests' must be a"],
		['delete', { recordId, options: { timeout: 'long' } }, "'Timeout (Seconds)' must be a number"],
	])('%s with %j says so and writes nothing', async (operation, parameters, message) => {
		const { error } = await run(operation, parameters);
		expect(error?.message).toContain(message);
		expect(workspace.changes()).toEqual([]);
	});

	describe('responses in other charsets', () => {
		test.each(['iso-8859-1', 'utf-16le'] as const)('%s: text stays unchanged', async (charset) => {
			await workspace.records(card.id, [{ Key: 'Zoé', Amount: 1 }]);
			workspace.service.control.setVariants({ charset });
			const matching = mapEach({ Key: 'Zoé', Amount: 2 }, { matchingColumns: ['Key'] });
			const { json } = succeeded(await run('upsert', { columns: matching }));
			expect(json).toMatchObject([{ action: 'updated', Key: 'Zoé', Amount: 2 }]);
		});

		test("bytes that aren't of the charset are refused: they would come back as other text", async () => {
			// As a service that sends its bytes under the name of another charset.
			const server = await startWebServer((_, response) => {
				response.writeHead(200, { 'content-type': 'application/json' });
				response.end(Buffer.from('{"records":[{"id":"r1","data":{"k":"Zo\u00e9"}}]}', 'latin1'));
			});
			const baseUrl = `${server.url}/api/v1`;
			const credentials = { workspaceDataApi: { ...workspace.apiKey.workspaceDataApi, baseUrl } };
			const { error } = await run('getAll', { returnAll: true }, [{}], { credentials });
			await server.close();
			expect(error?.message).toContain("bytes that aren't UTF-8");
		});
	});

	test('a problem inside of error is read as the problem that it is', async () => {
		workspace.service.control.setVariants({ problems: 'nested' });
		const missing = { recordId: byId('rec_none') };
		const { error } = await run('get', missing);
		expect(error?.message).toContain("has no record 'rec_none'");
		expect((await run('get', { ...missing, options: { ifNotFound: 'empty' } })).json).toEqual([{}]);
	});

	describe("answers that don't say success", () => {
		test('304', async () => {
			answer('POST', '/records$', {}, { status: 304 });
			const { json, error } = await run('create', { columns });
			expect(json).toEqual([]);
			expect(error?.message).toContain('only that nothing has changed');
		});

		test('DELETE responded with false', async () => {
			answer('DELETE', '/records/', false);
			answer('PATCH', '/records/', false);
			for (const [operation, verb] of [
				['delete', 'deleted'],
				['update', 'changed'],
			] as const) {
				const { error } = await run(operation, { recordId, columns });
				expect(error?.message).toBe(`The service reports that the record wasn't ${verb}`);
			}
		});
	});
});

describe('services with other ideas', () => {
	interface Answer {
		status?: number;
		body?: string;
		location?: string;
		type?: string;
	}

	let server: WebServer;
	/** Answers a request in place of the usual answer; undefined: as usual. */
	let answer: (method: string, path: string) => Answer | undefined;
	/** Answers without an end. */
	let trickles = false;
	let sent: string[];
	/** The node remembers what it wrote at an address, tokens and the pace. */
	let tests = 0;

	const writesSent = () => sent.filter((request) => !request.startsWith('GET'));
	const toWrites = (given: Answer) => (answer = (method) => (method === 'GET' ? undefined : given));
	const toPosts = (given: Answer) => (answer = (method) => (method === 'POST' ? given : undefined));

	const field = { field_id: 'f1', name: 'Key', type: 'text' };
	const whole = { id: 'r1', data: { f1: 'a' }, created_at: null };
	const records = { records: [whole], next_cursor: null };

	/** A service that is right in all that is not asked of it here. */
	function usual(method: string, path: string): Answer {
		if (method === 'DELETE') return { status: 204 };
		if (method !== 'GET') return { body: JSON.stringify({ id: 'new', data: {} }) };
		if (path.endsWith('/records')) return { body: JSON.stringify(records) };
		if (path.endsWith('/fields')) return { body: JSON.stringify([field]) };
		return { body: JSON.stringify(path.endsWith('/cards') ? [] : { id: 'c1', name: 'Card' }) };
	}

	function respond({ method = '', url = '' }: IncomingMessage, response: ServerResponse): void {
		const [path = ''] = url.split('?');
		sent.push(`${method} ${path.replace(/^.*\/workspaces\/w1/, '')}`);
		if (trickles) {
			response.writeHead(200, { 'content-type': 'application/json' });
			const timer = setInterval(() => response.write(' '), 20);
			response.once('close', () => clearInterval(timer));
			return;
		}
		const { status = 200, body = '', location, type } = answer(method, path) ?? usual(method, path);
		const root = 'https://data.example.com/api/v1/workspaces/w1';
		const headers = { 'content-type': type ?? 'application/json' };
		response.writeHead(status, { ...headers, ...(location && { location: `${root}${location}` }) });
		response.end(body);
	}

	beforeAll(async () => void (server = await startWebServer(respond)));
	beforeEach(() => {
		tests += 1;
		sent = [];
		trickles = false;
		answer = () => undefined;
	});
	afterAll(async () => await server.close());

	const address = () => ({ baseUrl: `${server.url}/${tests}/api/v1`, workspaceId: 'w1' });
	const credential = () => ({ ...address(), apiKey: 'key-of-w1' });
	const run = async (
		name: string,
		parameters: IDataObject = {},
		more: Partial<Parameters<typeof runAction>[0]> = {},
	) => {
		const [resource, operation] = name.split(' ');
		return await runAction({
			credentials: { workspaceDataApi: credential() },
			parameters: { resource, operation, cardId: byId('c1'), ...parameters },
			items: [{ Key: 'b' }],
			...more,
		});
	};

	const columns = mapEach({ Key: 'b' });
	const create = async (thing: string) =>
		await run(`${thing} create`, { name: 'New', type: 'text', columns });
	const some = where('Key', 'equals', 'a');
	/** Answers requests for records with this. */
	const list = (listing: unknown) => {
		answer = (method, path) =>
			method === 'GET' && path.endsWith('/records') ? { body: JSON.stringify(listing) } : undefined;
	};
	const writes: Array<[string, IDataObject]> = [
		['card create', { name: 'New' }],
		['card createFromItems', { name: 'New' }],
		['card update', { updateFields: { name: 'New' } }],
		['card delete', {}],
		['field create', { name: 'New', type: 'text' }],
		['field update', { fieldId: byId('f1'), updateFields: { name: 'New' } }],
		['field delete', { fieldId: byId('f1') }],
		['record create', { columns }],
		['record upsert', { columns: mapAutomatically(['Key']) }],
		['record update', { recordId: byId('r1'), columns }],
		['record delete', { recordId: byId('r1') }],
		['record updateMany', { ...some, columns }],
		['record deleteMany', some],
	];

	describe('a refusal under status 200 is no success', () => {
		test.each(writes)('%s', async (name, parameters) => {
			const refusal = { success: false, error: { message: 'Read-only: key-of-w1' }, data: null };
			toWrites({ body: JSON.stringify(refusal) });
			const { error, json } = await run(name, parameters);
			expect(json).toEqual([]);
			expect(error?.message).toBe('The service refused the request');
			expect(error?.description).toMatch(/^Read-only: \*\*\*/);
			expect(writesSent()).toHaveLength(1);
		});
		test("its own status counts: a record that doesn't exist is skipped", async () => {
			const problem = { type: 'https://x.example/record-not-found', title: 'Gone', status: 404 };
			toWrites({ body: JSON.stringify(problem) });
			const skipping = { recordId: byId('r1'), options: { ifNotFound: 'skip' } };
			expect(succeeded(await run('record delete', skipping)).json).toEqual([]);
		});
		test('it is no empty listing: nothing is created', async () => {
			list({ ok: false, message: 'Maintenance', details: [] });
			const { error } = await run('record upsert', { columns: mapAutomatically(['Key']) });
			expect(error?.description).toContain('Maintenance');
			expect(writesSent()).toEqual([]);
		});
		test('nor is problem details, whatever is in them: the message says what came', async () => {
			answer = (_, path) =>
				path.endsWith('/records')
					? { body: JSON.stringify(records), type: 'application/problem+json' }
					: undefined;
			const { error } = await run('record getAll', { returnAll: true });
			expect(error?.message).toBe('The service refused the request');
			expect(error?.description).toMatch(/status 200 .* application\/problem\+json/);
		});
		test('the test of a credential tells it', async () => {
			answer = () => ({ body: '{"success":false,"error":"Maintenance","errors":[]}' });
			const message = 'The service refused the request. The service responded: Maintenance.';
			expect(await testCredential()).toEqual({ status: 'Error', message });
		});
	});

	const testCredential = async () =>
		await pressTest({ workspaceDataApi: credential() }, createTestClock());

	const NOT_OWN: Array<[string, string]> = [
		['JSON without a problem type', '{"message":"no Route matched with those values"}'],
		['JSON with a title only', '{"title":"Not Found","status":404}'],
		['problem details without a kind', '{"type":"about:blank","title":"Not Found","status":404}'],
		['a web page', '<html></html>'],
		['nothing', ''],
	];
	test.each(NOT_OWN)("a 404 that isn't the service’s own, but %s: not skipped", async (_, body) => {
		toWrites({ status: 404, body });
		for (const [operation, ifNotFound] of [
			['delete', 'skip'],
			['update', 'empty'],
		]) {
			const parameters = { recordId: byId('r1'), columns, options: { ifNotFound } };
			const { error, json } = await run(`record ${operation}`, parameters);
			expect(error?.httpCode).toBe('404');
			expect(json).toEqual([]);
		}
	});

	describe('a listing that is known to lack records', () => {
		const listings: Array<[string, unknown]> = [
			['an empty list of errors with a message', { errors: [], message: 'shard offline' }],
			['the same, wrapped', { data: { errors: [], message: 'shard offline' } }],
			['records next to errors', { ...records, errors: ['shard 3 offline'] }],
			['records next to an error', { ...records, error: { message: 'shard 3 offline' } }],
			['an entry without an ID', { records: [whole, { data: { f1: 'b' } }], next_cursor: null }],
			['an entry with an empty ID', { records: [whole, { id: '', data: {} }], next_cursor: null }],
			['an entry that is null', { records: [whole, null], next_cursor: null }],
			['an entry that is a text', { records: ['r1', whole], next_cursor: null }],
		];
		const operations: Array<[string, IDataObject]> = [
			['record upsert', { columns: mapAutomatically(['Key']) }],
			['record deleteMany', some],
			['record updateMany', { ...some, columns }],
			['record count', {}],
			['record getAll', { returnAll: true }],
			['record ifNotExists', some],
			['record sync', { columns: mapAutomatically(['Key']), missingRecords: 'delete' }],
		];
		const expectRefused = async (name: string, parameters: IDataObject) => {
			const { error, json } = await run(name, parameters);
			expect(error?.message).toMatch(/is incomplete|isn't a list of records/);
			expect(json).toEqual([]);
			expect(writesSent()).toEqual([]);
		};
		test.each(listings)('%s: an error, and nothing is changed', async (_, listing) => {
			list(listing);
			await expectRefused('record upsert', { columns: mapAutomatically(['Key']) });
		});
		test.each(operations)('%s: an error, and nothing is changed', async (name, parameters) => {
			list({ ...records, errors: ['shard 3 offline'] });
			await expectRefused(name, parameters);
		});
		test('other properties next to the records say nothing', async () => {
			list({ ...records, errors: [], error: null, message: 'ok', total: 1 });
			expect((await run('record count')).json).toEqual([{ count: 1 }]);
		});
	});

	test.each([
		['card', '/cards/c%2F9', 'c/9'],
		['field', '/cards/c1/fields/f9', 'f9'],
		['record', '/cards/c1/records/r9/?v=1', 'r9'],
		// The address of something else tells no identifier.
		['record', '/cards/c1/jobs/r9', null],
	])('%s: 201 without a body, with the address %j', async (thing, location, id) => {
		toPosts({ status: 201, location });
		const { json } = succeeded(await create(thing));
		expect(json).toMatchObject([{ id }]);
	});

	describe("a change is responded with JSON that can't be read", () => {
		const changes = writes.filter(([name]) => /update|delete/.test(name));

		test.each(changes)('%s: it may be a refusal, and is no success', async (name, parameters) => {
			toWrites({ body: '{"success": false, "er' });
			const { error, json } = await run(name, parameters);
			const [thing, operation = ''] = name.split(' ');
			const change = operation.startsWith('delete') ? 'deleted' : 'changed';
			expect(json).toEqual([]);
			expect(error?.message).toBe(
				`The ${thing} may not have been ${change}: the response isn't valid JSON`,
			);
			expect(error?.description).toContain(`Look at the ${thing} in the service`);
			expect(writesSent()).toHaveLength(1);
		});
		test.each(changes)('%s: any other answer is fine', async (name, parameters) => {
			for (const body of ['', 'OK', '{}']) {
				toWrites({ body });
				succeeded(await run(name, parameters));
			}
		});
	});

	describe("a create is responded with JSON that can't be read", () => {
		const body = '{"id": "rec';
		const creates: Array<[string, IDataObject, string]> = [
			['card', { name: 'New' }, '/cards/x9'],
			['field', { name: 'New', type: 'text' }, '/cards/c1/fields/x9'],
			['record', { Key: 'b', id: null, created_at: null }, '/cards/c1/records/x9'],
		];
		test.each(creates)('%s, status 201: created, the ID is unknown', async (thing, output) => {
			toPosts({ status: 201, body });
			const result = succeeded(await create(thing));
			expect(result.json).toEqual([output]);
			expect(hintsOf(result)).toEqual([
				`The service created a ${thing}, but its response shows no ID, so the output has none. Don't create the ${thing} again: look for it in the service.`,
			]);
		});
		test.each(creates)('%s, the ID is in Location: nothing is missing', async (...row) => {
			const [thing, output, location] = row;
			toPosts({ body, location });
			const result = succeeded(await create(thing));
			expect(result.json).toEqual([{ ...output, id: 'x9' }]);
			expect(hintsOf(result)).toEqual([]);
		});
		test.each(creates)('%s, status 200: it may be a refusal as well', async (thing) => {
			toPosts({ body: '{"success": false, "er' });
			const { error, json } = await create(thing);
			expect(json).toEqual([]);
			const message = `The ${thing} may have been created: the response isn't valid JSON`;
			expect(error?.message).toBe(message);
			const advice = 'check before you run the workflow again with this item';
			expect(error?.description).toContain(advice);
			expect(writesSent()).toHaveLength(1);
		});
		test('a card that the listing shows afterwards is the one', async () => {
			let listed = false;
			answer = (method, path) => {
				if (method === 'GET' && path.endsWith('/cards') && listed) {
					return { body: '[{"id":"x9","name":"New"}]' };
				}
				if (method !== 'POST' || !path.endsWith('/cards')) return undefined;
				listed = true;
				return { body };
			};
			const additionalFields = { ifExists: 'reuse' };
			const { json } = succeeded(await run('card create', { name: 'New', additionalFields }));
			expect(json).toEqual([{ id: 'x9', name: 'New' }]);
		});
	});

	test("a response of 20,000 levels, which n8n couldn't store, is refused", async () => {
		const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
		answer = (_, path) =>
			path.endsWith('/cards/c1') ? { body: `{"id":"c1","name":"Card","x":${deep}}` } : undefined;
		const { error } = await run('card get');
		expect(error?.message).toBe(
			'The service responded, but the response is nested more than 500 levels deep',
		);
		expect(sent).toHaveLength(1);
	});

	test('the test of a credential ends, although its response trickles', async () => {
		trickles = true;
		const told = await testCredential();
		expect(told.message).toContain('no response came in time');
	});

	describe('web pages in place of the service', () => {
		const title = 'Sign in to Corp Proxy';
		const body = `<!doctype html><html><head><title>${title}</title></head></html>`;
		const page = (status: number) => (answer = () => ({ status, body, type: 'text/html' }));
		const BLAMES =
			/API key|'API Key'|role|account|Client|Secret|revoked|Workspace ID|doesn't allow/i;
		const list = async (more = {}) => {
			const { error } = await run('card getAll', { returnAll: true }, more);
			return `${error?.message} ${error?.description}`;
		};

		test.each([401, 403, 407])('%d of a proxy: node and Test button say so', async (status) => {
			page(status);
			const { error } = await create('record');
			const created = `${error?.message} ${error?.description}`;
			for (const told of [await list(), created, (await testCredential()).message]) {
				expect(told).toContain('A web page responded, not the service');
				expect(told).toContain("'Base URL'");
				expect(told).toContain(title);
				expect(told).not.toMatch(BLAMES);
			}
		});

		test.each([403, 200])('%d in place of a token blames no account', async (status) => {
			page(status);
			const client = { clientId: `client-${tests}`, clientSecret: 'secret-of-the-account' };
			const account = { ...address(), authUrl: server.url, realm: 'r', ...client };
			const credentials = { workspaceDataServiceAccountApi: account };
			for (const told of [await list({ credentials }), (await pressTest(credentials)).message]) {
				expect(told).toContain('A web page responded, not the auth server');
				expect(told).toContain("'Auth URL'");
				expect(told).not.toMatch(BLAMES);
			}
		});

		if (n8nMajor === 2) {
			test('an address that n8n’s SSRF protection blocks: n8n’s own advice is kept', async () => {
				const settings = Container.get(SsrfProtectionConfig);
				settings.enabled = true;
				const both = Promise.all([list(), testCredential()]);
				const [words, { message }] = await both.finally(() => (settings.enabled = false));
				for (const told of [words, message]) {
					expect(told).toMatch(/blocked because/);
					expect(told).toContain('ask your n8n administrator');
					expect(told).not.toMatch(BLAMES);
				}
			});
		}
	});
});
