/** A service that breaks each sentence of docs/interface.md (O1 to O20) once, and what the nodes take in each. */
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { IDataObject } from 'n8n-workflow';
import { openApi } from '../../nodes/WorkspaceData/transport/api';
import { executeContext, runAction, succeeded, type ActionRun } from '../support/n8n';
import { byId, byName, mapEach, where } from '../support/parameters';
import { startWebServer, type WebServer } from '../support/webServer';

/** A response of the scripted service: a body as JSON, or as it is if it is text. */
interface Answer {
	status?: number;
	body?: unknown;
	headers?: Record<string, string>;
}

type Script = Record<string, Answer | Answer[]>;

const FIELDS = [
	{ id: 'f1', name: 'Name', type: 'text' },
	{ id: 'f2', name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
];
const record = (id: unknown, more: object = {}) => ({
	id,
	data: { f1: `name of ${String(id)}` },
	created_at: '2026-01-01T00:00:00.000Z',
	...more,
});
const RECORDS = ['r0', 'r1', 'r2', 'r3'].map((id) => record(id));

/** What the service says unless a test changes it. */
const USUAL: Script = {
	'GET /cards': { body: { cards: [{ id: 'c1', name: 'Orders' }] } },
	'GET /cards/c1': { body: { id: 'c1', name: 'Orders' } },
	'GET /cards/c1/fields': { body: { fields: FIELDS } },
	'GET /cards/c1/records': { body: { records: RECORDS, next_cursor: null } },
	'POST /cards/c1/records': { status: 201, body: record('r9') },
	'PATCH /cards/c1/records/r0': { body: record('r0') },
	'DELETE /cards/c1/records/r0': { status: 204 },
	'POST /webhooks': { status: 201, body: { webhook_id: 'w1', secret: 'the secret' } },
	'GET /openapi.json': { body: { openapi: '3.0.3' } },
	'POST /token': { body: { access_token: 'the token', expires_in: 300 } },
};

let server: WebServer;
let script: Script;
/** Requests as `METHOD /path?query`, with their bodies. */
let requests: Array<{ line: string; body: string }>;
let keys = 0;

beforeAll(async () => {
	server = await startWebServer(async (request, response) => {
		const [path = '', query] = (request.url ?? '').split('?');
		const short = path
			.replace(/^\/api\/v1(\/workspaces\/w)?/, '')
			.replace(/^\/realms\/.*/, '/token');
		const line = `${request.method} ${short}`;
		requests.push({ line: query ? `${line}?${query}` : line, body: await text(request) });
		const scripted = script[line];
		const answer = Array.isArray(scripted) ? scripted.shift() : scripted;
		const { status = 200, body, headers } = answer ?? { status: 404 };
		response.writeHead(status, { 'content-type': 'application/json', ...headers });
		response.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
	});
});
afterAll(async () => await server.close());
beforeEach(() => {
	script = { ...USUAL };
	requests = [];
	keys += 1;
});

const credentials = () => ({
	workspaceDataApi: {
		baseUrl: `${server.url}/api/v1`,
		workspaceId: 'w',
		apiKey: `key-${keys}-of-this-test`,
	},
});
const account = () => ({
	workspaceDataServiceAccountApi: {
		...credentials().workspaceDataApi,
		authUrl: server.url,
		realm: 'r',
		clientId: `client-${keys}`,
		clientSecret: 'the-secret-of-the-client',
	},
});

const run = async (parameters: IDataObject, more: Partial<ActionRun> = {}) =>
	await runAction({ credentials: credentials(), parameters, ...more });
const changes = () => requests.filter(({ line }) => !/^GET|token/.test(line));

/** Each reads cards by name, fields and records before it writes. */
const UPSERT: IDataObject = {
	resource: 'record',
	operation: 'upsert',
	cardId: byName('Orders'),
	columns: mapEach({ Name: 'name of r9' }, { matchingColumns: ['Name'] }),
};
const GET_ALL: IDataObject = {
	resource: 'record',
	operation: 'getAll',
	cardId: byId('c1'),
	returnAll: true,
};
const CREATE: IDataObject = {
	resource: 'record',
	operation: 'create',
	cardId: byId('c1'),
	columns: mapEach({ Name: 'new' }),
};

const list = (name: string, entries: unknown, more: object = {}) => ({
	body: { [name]: entries, ...more },
});
const cards = (card: unknown) => ({ 'GET /cards': list('cards', [card]) });
const fields = (field: unknown) => ({ 'GET /cards/c1/fields': list('fields', [...FIELDS, field]) });
const records = (one: unknown) => ({
	'GET /cards/c1/records': list('records', [...RECORDS.slice(0, 3), one], { next_cursor: null }),
});

describe('what breaks a sentence is an error that names the place and what came; nothing is written', () => {
	const typeless = { id: 'x', name: 'X' };
	const marked = { ...typeless, type: 'text', read_only: 'yes' };
	const recordPage = (next_cursor: unknown) => ({
		'GET /cards/c1/records': list('records', RECORDS, { next_cursor }),
	});
	const fieldList = (listed: unknown, more?: object) => ({
		'GET /cards/c1/fields': list('fields', listed, more),
	});

	test.each<[string, string, Script]>([
		['O1', "'cards[0].id' is missing", cards({ name: 'Orders' })],
		['O1', "'cards[0].name' is missing", cards({ id: 'c1' })],
		['O2', "'fields[2].id' is missing", fields({ name: 'X', type: 'text' })],
		['O2', "'fields[2].name' is missing", fields({ id: 'x', type: 'text' })],
		['O2', "'fields[2].type' is 5", fields({ ...typeless, type: 5 })],
		['O2', `'fields[2].read_only' is "yes"`, fields(marked)],
		['O5', "'records[3].data' is missing", records({ id: 'r3' })],
		['O5', "'records[3].data' is []", records(record('r3', { data: [] }))],
		['O5', "'records[3].created_at' is 5", records(record('r3', { created_at: 5 }))],
		['O7', "'next_cursor' is 7", recordPage(7)],
		['O9', `'records[3].id' is ""`, records(record(''))],
		['O9', "'records[3].id' is null", records(record(null))],
		['O9', "'records[3].id' is 1.5", records(record(1.5))],
		['O9', `'records[3].id' is {"$oid":"r3"}`, records(record({ $oid: 'r3' }))],
		['O10', "'cards' is missing", { 'GET /cards': list('items', []) }],
		['O10', "'fields' is {}", fieldList({})],
		['O10', `'fields[2]' is "X"`, fields('X')],
		['O11', "'next_cursor' is 'again' again", recordPage('again')],
		['O11', "'next_cursor' is 'again' again", fieldList(FIELDS, { next_cursor: 'again' })],
		['O13', `'body' is "<html>Sign in"`, { 'GET /cards': { body: '<html>Sign in' } }],
		['O13', `'body' is "{\\"records"`, { 'GET /cards/c1/records': { body: '{"records' } }],
		['O13', "'fields' is missing", { 'GET /cards/c1/fields': { status: 204 } }],
	])('%s: %s', async (_sentence, message, broken) => {
		Object.assign(script, broken);
		const { error, items } = await run(UPSERT);
		expect(error?.message).toContain(message);
		expect(error?.description).toContain('ell the operator of the service.');
		expect(items).toEqual([]);
		expect(changes()).toEqual([]);
	});

	test.each<[string, string, unknown]>([
		['O1', "'name' is missing", { id: 'c1' }],
		['O12', "'id' is missing", { item: {} }],
	])('%s: a card with %s', async (_sentence, message, body) => {
		script['GET /cards/c1'] = { body };
		const { error } = await run({ resource: 'card', operation: 'get', cardId: byId('c1') });
		expect(error?.message).toContain(message);
	});

	test('O16: a description that is a web page', async () => {
		script['GET /openapi.json'] = { body: '<html>' };
		const { error } = await run({ resource: 'apiDescription', operation: 'get', format: 'json' });
		expect(error?.message).toContain(`'body' is "<html>"`);
	});

	test.each([
		['no token', { token: 'x' }],
		['a sign-in page', '<html>'],
	])('O17: %s', async (_what, body) => {
		script['POST /token'] = { body };
		const { error } = await run(CREATE, { credentials: account() });
		expect(error?.message).toBe(`${new URL(server.url).host} didn't return an access token`);
		expect(error?.description).toContain("Check 'Auth URL' and 'Realm'");
		expect(changes()).toEqual([]);
	});
});

describe('what breaks a sentence in the response to a change: it may have been carried out', () => {
	test.each<[string, string, unknown, string]>([
		['O12', 'a record under another name', { item: record('r9') }, "'id' is missing"],
		['O13', 'a web page', '<html>', `'body' is "<html>"`],
		['O9', 'no identifier', { record: { data: {} } }, "'id' is missing"],
		['O5', 'values in a list', record('r9', { data: [] }), "'data' is []"],
	])('%s: %s, sent once', async (_sentence, _what, body, message) => {
		script['POST /cards/c1/records'] = { body };
		const { error } = await run(CREATE);
		expect(error?.message).toMatch(/^The record may have been created: /);
		expect(error?.message).toContain(message);
		expect(changes()).toHaveLength(1);
	});

	const subscribe = async () => {
		const api = await openApi(executeContext(credentials()), 'apiKey');
		return await api.subscribe({ target_url: 'https://n8n.example.com', events: [] });
	};

	test.each([{ id: 5, secret: 'x' }, { webhook: { webhook_id: '5', secret: 'x' } }])(
		'O8: %j is a subscription',
		async (body) => {
			script['POST /webhooks'] = { status: 201, body };
			expect(await subscribe()).toMatchObject({ id: '5', secret: 'x' });
		},
	);
});

describe('what the nodes take', () => {
	const names = async (more: Partial<ActionRun> = {}) =>
		succeeded(await run(GET_ALL, more)).json.map(({ Name }) => Name);
	const usual = RECORDS.map(({ data }) => data.f1);

	const [Name, Status] = FIELDS;
	const byFieldId = { ...Name, id: undefined, field_id: 'f1' };
	const lastPage = list('records', RECORDS, { next_cursor: '' });
	const twoPages = [
		list('fields', [Status], { next_cursor: 'more' }),
		list('fields', [Name], { next_cursor: '' }),
	];
	test.each<[string, string, string, Answer | Answer[]]>([
		['O2', 'field_id', 'GET /cards/c1/fields', list('fields', [byFieldId])],
		['O10', 'a bare list of fields', 'GET /cards/c1/fields', { body: FIELDS }],
		['O10', 'fields in pages', 'GET /cards/c1/fields', twoPages],
		['O7', 'no cursor', 'GET /cards/c1/records', list('records', RECORDS)],
		['O7', 'an empty cursor', 'GET /cards/c1/records', lastPage],
		['O17', 'a token without a lifetime', 'POST /token', { body: { access_token: 'it' } }],
	])('%s: %s', async (_sentence, _what, request, taken) => {
		script[request] = taken;
		const more = request === 'POST /token' ? { credentials: account() } : {};
		expect(await names(more)).toEqual(usual);
	});

	test('O15: the second request has no limit', async () => {
		script['GET /cards/c1/records'] = [{ status: 400 }, USUAL['GET /cards/c1/records'] as Answer];
		expect(await names()).toEqual(usual);
		const asked = requests.map(({ line }) => line).filter((line) => line.includes('/records'));
		expect(asked).toEqual(['GET /cards/c1/records?limit=1000', 'GET /cards/c1/records']);
	});

	test('O15: so does Create From Items, which says how many records a card has', async () => {
		script['GET /cards/c1/records'] = [{ status: 422 }, USUAL['GET /cards/c1/records'] as Answer];
		const fromItems = { resource: 'card', operation: 'createFromItems', name: 'Orders' };
		const { error } = await run(fromItems, { items: [{ Name: 'x' }] });
		expect(error?.description).toContain("Card 'Orders' (c1) has 4 records");
	});

	test('O15: what is refused without a limit as well is told in the words of the first refusal', async () => {
		const refusals = ['first', 'second'].map((title) => ({ status: 422, body: { title } }));
		script['GET /cards/c1/records'] = refusals;
		expect((await run(GET_ALL)).error?.message).toBe('first');
	});

	test.each([
		['bare', record('r9')],
		['under its name', { record: record('r9') }],
		['under data', { data: record('r9') }],
		['with a number as its ID', record(9)],
	])('O12, O9: a created record %s', async (_what, body) => {
		script['POST /cards/c1/records'] = { status: 201, body };
		const [created] = succeeded(await run(CREATE)).json;
		expect(created?.id).toBe(JSON.stringify(body).includes('r9') ? 'r9' : '9');
	});

	test('O13: a response without a body shows nothing', async () => {
		script['POST /cards/c1/records'] = { status: 202 };
		expect(succeeded(await run(CREATE)).json).toEqual([expect.objectContaining({ Name: 'new' })]);
	});

	test('O1: other members of a card pass through', async () => {
		script['GET /cards/c1'] = { body: { id: 7, name: 'Orders', color: 'red' } };
		const got = await run({ resource: 'card', operation: 'get', cardId: byId('c1') });
		expect(succeeded(got).json).toEqual([{ id: '7', name: 'Orders', color: 'red' }]);
	});

	const choices = [
		['texts', ['Open', 'Done'], 'Done'],
		['in options.choices', { choices: ['Open', 'Done'] }, 'Done'],
		['with a name', [{ id: 1, name: 'Done' }], 'Done'],
		['with a label and a value', [{ label: 'Done', value: 'd' }], 'd'],
	] as const;
	test.each(choices)('O3, O4: choices: %s', async (_what, options, stored) => {
		script['GET /cards/c1/fields'] = list('fields', [FIELDS[0], { ...FIELDS[1], options }]);
		succeeded(await run({ ...CREATE, columns: mapEach({ Status: 'Done' }) }));
		expect(JSON.parse(changes()[0]?.body ?? '')).toEqual({ data: { f2: stored } });
	});

	test('O4: an identifier is read as its choice', async () => {
		const options = [{ id: 'x1', name: 'Done' }];
		script['GET /cards/c1/fields'] = list('fields', [FIELDS[0], { ...FIELDS[1], options }]);
		succeeded(await run({ ...CREATE, columns: mapEach({ Status: 'x1' }) }));
		expect(JSON.parse(changes()[0]?.body ?? '')).toEqual({ data: { f2: 'Done' } });
	});

	test('O2: a field that is read-only is refused by hand', async () => {
		script['GET /cards/c1/fields'] = list('fields', [{ ...FIELDS[0], read_only: true }]);
		expect((await run(CREATE)).error?.message).toContain("'Name'");
		expect(changes()).toEqual([]);
	});

	test('O6: digits beyond 2^53 are kept, in IDs and values', async () => {
		const body =
			'{"records":[{"id":9007199254740993,"data":{"f1":-12345678901234567890,"f2":"1234567890123456, \\"1\\""}}]}';
		script['GET /cards/c1/records'] = { body };
		expect(succeeded(await run(GET_ALL)).json).toMatchObject([
			{ id: '9007199254740993', Name: '-12345678901234567890', Status: '1234567890123456, "1"' },
		]);
	});

	test('O6: long numbers are matched by their digits, written as text, and refused by a number field', async () => {
		const long = '9007199254740993';
		const body = `{"records":[{"id":"r0","data":{"f1":${long},"f3":${long}},"created_at":"2026-01-01T00:00:00Z"}]}`;
		script['GET /cards/c1/records'] = { body };
		script['GET /cards/c1/fields'] = list('fields', [
			...FIELDS,
			{ id: 'f3', name: 'Number', type: 'number' },
		]);
		const write = async (operation: string, columns: IDataObject) =>
			await run({
				resource: 'record',
				operation,
				cardId: byId('c1'),
				recordId: byId('r0'),
				columns: mapEach(columns, { matchingColumns: ['Name'] }),
			});
		const same = succeeded(await write('upsert', { Name: long, Number: long }));
		expect(same.json.map(({ action }) => action)).toEqual(['unchanged']);
		expect(changes()).toEqual([]);
		succeeded(await write('update', { Name: long }));
		succeeded(await write('upsert', { Name: '9007199254740992' }));
		expect(changes().map((sent) => sent.body)).toEqual([
			`{"data":{"f1":"${long}"}}`,
			'{"data":{"f1":"9007199254740992"}}',
		]);
		const { error } = await write('update', { Number: long });
		expect(error?.message).toContain("'Number'");
		expect(changes()).toHaveLength(2);
		const found = { ...where('Number', 'equals', '9007199254740992'), dryRun: true };
		expect((await run({ ...CREATE, ...found, operation: 'deleteMany' })).json).toEqual([]);
	});
});

describe('what the service refuses', () => {
	const status = (code: number) => `HOST responded with status ${code}`;
	const problem = { type: '/e/too-long', title: 'Too long', detail: 'Name' };
	const described = 'Bad webhook: HTTPS URL must be provided';
	const page = '<html><title>Bad gateway';
	test.each<[Answer, string, RegExp]>([
		[{ status: 422, body: problem }, 'Too long', /^Name$/],
		[{ status: 422, body: { message: 'Too long' } }, 'Too long', /^$/],
		[{ status: 400, body: { error_code: 400, description: described } }, described, /^$/],
		[{ status: 403, body: { error: 'Not yours' } }, 'Not yours', /This API key can't change this/],
		[{ status: 502, body: page }, status(502), /may have been created/],
		[{ status: 401 }, status(401), /^Check 'API Key' in the credential\.$/],
		[{ status: 302, headers: { location: '/x' } }, status(302), /Redirects aren't followed/],
		[{ status: 404, body: 'no' }, status(404), /Check 'Base URL'/],
	])('O19, X3: %j', async (answer, message, description) => {
		script['POST /cards/c1/records'] = answer;
		const { error } = await run(CREATE);
		expect(error?.message).toBe(message.replace('HOST', new URL(server.url).host));
		expect(error?.description ?? '').toMatch(description);
		expect(changes()).toHaveLength(1);
	});

	test('O19: 200 is a success, whatever the body says', async () => {
		script['POST /cards/c1/records'] = { body: record('r9', { status: 500, error: 'x' }) };
		expect(succeeded(await run(CREATE)).json).toHaveLength(1);
	});

	test('O20: 429 is waited for, and sent again', async () => {
		const refused = { status: 429, headers: { 'retry-after': '1' } };
		script['POST /cards/c1/records'] = [refused, USUAL['POST /cards/c1/records'] as Answer];
		expect(succeeded(await run(CREATE)).json).toHaveLength(1);
		expect(changes()).toHaveLength(2);
	});

	test('O20: a wait of more than five minutes is refused, with the time', async () => {
		script['POST /cards/c1/records'] = { status: 429, headers: { 'retry-after': '301' } };
		const { error } = await run(CREATE);
		expect(error?.message).toMatch(
			/^Rate limit reached: the service is open again at \d{4}-.* UTC$/,
		);
		expect(error?.httpCode).toBe('429');
	});
});

test('every sentence of the page is tried here, or where it is used', () => {
	const numbers = [...readFileSync('docs/interface.md', 'utf8').matchAll(/\*\*(O\d+)\*\*/g)].map(
		([, name]) => name,
	);
	const here = new Set(readFileSync(__filename, 'utf8').match(/\bO\d+\b/g));
	// O14: the changes of upsert.test.ts; O18: triggerDelivery.test.ts.
	expect(numbers.filter((name) => !here.has(name ?? ''))).toEqual([]);
	expect(new Set(numbers).size).toBe(20);
});
