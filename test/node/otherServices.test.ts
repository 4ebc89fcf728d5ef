/** Services with other ideas than ours: refusals under status 200, identifiers in Location, bodies without end. */
import type { IDataObject } from 'n8n-workflow';
import { CredentialTestContext } from 'n8n-core';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { testWorkspaceAccess } from '../../nodes/WorkspaceData/editor/credentialTest';
import type { Session } from '../../nodes/WorkspaceData/transport/session';
import {
	CALLS,
	createSubscription,
} from '../../nodes/WorkspaceData/trigger/subscription/serviceCalls';
import { createTestClock } from '../support/clock';
import { runAction, type ActionResult } from '../support/n8n';
import { byId, mapAutomatically, mapEach } from '../support/parameters';
import { startWebServer, type WebServer } from '../support/webServer';

interface Answer {
	status?: number;
	body?: string;
	location?: string;
}

let server: WebServer;
/** Answers a request in place of the usual answer; undefined: as usual. */
let answer: (method: string, path: string) => Answer | undefined;
/** Answers without an end. */
let trickles = false;
let sent: string[];
/** The node remembers what it wrote at an address. */
let tests = 0;

const field = { field_id: 'f1', name: 'Key', type: 'text' };
const records = { records: [{ id: 'r1', data: { f1: 'a' }, created_at: null }], next_cursor: null };

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
	const { status = 200, body = '', location } = answer(method, path) ?? usual(method, path);
	response.writeHead(status, {
		'content-type': 'application/json',
		...(location && { location: `https://data.example.com/api/v1/workspaces/w1${location}` }),
	});
	response.end(body);
}

beforeAll(async () => {
	server = await startWebServer(respond);
});
beforeEach(() => {
	tests += 1;
	sent = [];
	trickles = false;
	answer = () => undefined;
});
afterAll(async () => await server.close());

const credential = () => ({
	baseUrl: `${server.url}/${tests}/api/v1`,
	workspaceId: 'w1',
	apiKey: 'key-of-w1',
});
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
const filters = { conditions: [{ field: 'Key', condition: 'equals', value: 'a' }] };
const some = { filters, matchType: 'allConditions' };
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

describe('G1: a refusal under status 200 is no success', () => {
	test.each(writes)('%s', async (name, parameters) => {
		const refusal = { success: false, error: { message: 'Read-only: key-of-w1' }, data: null };
		answer = (method) => (method === 'GET' ? undefined : { body: JSON.stringify(refusal) });
		const { error, json } = await run(name, parameters);
		expect(json).toEqual([]);
		expect(error?.message).toBe('The service refused the request');
		expect(error?.description).toMatch(/^Read-only: \*\*\*/);
		expect(sent.filter((request) => !request.startsWith('GET'))).toHaveLength(1);
	});
	test('its own status counts: a record that does not exist is skipped', async () => {
		const problem = { type: 'https://x.example/record-not-found', title: 'Gone', status: 404 };
		answer = (method) => (method === 'DELETE' ? { body: JSON.stringify(problem) } : undefined);
		const options = { ifNotFound: 'skip' };
		expect(await run('record delete', { recordId: byId('r1'), options })).toMatchObject({
			status: 'success',
			json: [],
		});
	});
	test('it is no empty listing: nothing is created', async () => {
		const refusal = { ok: false, message: 'Maintenance', details: [] };
		answer = (method, path) =>
			method === 'GET' && path.endsWith('/records') ? { body: JSON.stringify(refusal) } : undefined;
		const { error } = await run('record upsert', { columns: mapAutomatically(['Key']) });
		expect(error?.description).toContain('Maintenance');
		expect(sent.filter((request) => request.startsWith('POST'))).toEqual([]);
	});
	test('nor a description', async () => {
		answer = () => ({ body: '{"error":"Maintenance"}' });
		const { error } = await run('apiDescription get', { format: 'json' });
		expect(error?.description).toContain('Maintenance');
	});
	test('the test of a credential tells it', async () => {
		answer = () => ({ body: '{"success":false,"error":"Maintenance","errors":[]}' });
		const told = await testCredential();
		expect(told.status).toBe('Error');
		expect(told.message).toBe('The service refused the request. It answered: Maintenance.');
	});
});

const testCredential = async () =>
	await testWorkspaceAccess.call(
		new CredentialTestContext({} as never),
		{ id: '1', name: 'Test', type: 'workspaceDataApi', data: credential() },
		createTestClock(),
	);

describe('H17: a 404 that is not the service’s own', () => {
	const bodies: Array<[string, string]> = [
		['JSON without a problem type', '{"message":"no Route matched with those values"}'],
		['JSON with a title only', '{"title":"Not Found","status":404}'],
		['problem details without a kind', '{"type":"about:blank","title":"Not Found","status":404}'],
		['nothing', ''],
	];
	const operations: Array<[string, IDataObject]> = [
		['record delete', {}],
		['record update', { columns }],
	];
	test.each(
		operations.flatMap(([name, parameters]) =>
			bodies.map((row) => [name, ...row, parameters] as const),
		),
	)('%s, %s: not skipped', async (name, _, body, parameters) => {
		answer = (method) => (method === 'GET' ? undefined : { status: 404, body });
		for (const ifNotFound of ['skip', 'empty']) {
			const { error, json } = await run(name, {
				recordId: byId('r1'),
				...parameters,
				options: { ifNotFound },
			});
			expect(error?.httpCode).toBe('404');
			expect(json).toEqual([]);
		}
	});
});

describe('H18: a listing that is known to lack records', () => {
	const whole = records.records[0];
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
	];
	test.each(
		operations.flatMap(([name, parameters]) =>
			listings.map((row) => [name, ...row, parameters] as const),
		),
	)('%s, %s: an error, and nothing is changed', async (name, _, listing, parameters) => {
		answer = (method, path) =>
			method === 'GET' && path.endsWith('/records') ? { body: JSON.stringify(listing) } : undefined;
		const { error, json } = await run(name, parameters);
		expect(error?.message).toMatch(/is incomplete|is not a list of records/);
		expect(json).toEqual([]);
		expect(sent.filter((request) => !request.startsWith('GET'))).toEqual([]);
	});
	test('other properties next to the records say nothing', async () => {
		answer = (method, path) =>
			method === 'GET' && path.endsWith('/records')
				? { body: JSON.stringify({ ...records, errors: [], error: null, message: 'ok', total: 1 }) }
				: undefined;
		expect((await run('record count')).json).toEqual([{ count: 1 }]);
	});
});

test('G2: a web page under status 404 comes with what to check', async () => {
	answer = () => ({ status: 404, body: '<html><title>404 Not Found</title></html>' });
	const { error } = await run('record create', { columns });
	expect(error?.description).toBe(
		"404 Not Found A web page answered, not the service. Check 'Base URL' in the credential.",
	);
});

describe('G3: 201 without a body, with the address in Location', () => {
	test.each([
		['card create', { name: 'New' }, '/cards/c%2F9', { id: 'c/9', name: 'New' }],
		[
			'field create',
			{ name: 'New', type: 'text' },
			'/cards/c1/fields/f9',
			{ id: 'f9', name: 'New', type: 'text' },
		],
		[
			'record create',
			{ columns },
			'/cards/c1/records/r9/?v=1',
			{ id: 'r9', created_at: null, fields: { Key: 'b' } },
		],
		// The address of something else tells no identifier.
		[
			'record create',
			{ columns },
			'/cards/c1/jobs/r9',
			{ id: null, created_at: null, fields: { Key: 'b' } },
		],
	])('%s', async (name, parameters, location, output) => {
		answer = (method) => (method === 'POST' ? { status: 201, location } : undefined);
		const { error, json } = await run(name, parameters);
		expect(error).toBeUndefined();
		expect(json).toEqual([output]);
	});
});

describe('G13: a change is answered with JSON that cannot be read', () => {
	const changes = writes.filter(([name]) => /update|delete/.test(name));

	test.each(changes)('%s: it may be a refusal, and is no success', async (name, parameters) => {
		answer = (method) => (method === 'GET' ? undefined : { body: '{"success": false, "er' });
		const { error, json } = await run(name, parameters);
		const [thing, operation = ''] = name.split(' ');
		const change = operation.startsWith('delete') ? 'deleted' : 'changed';
		expect(json).toEqual([]);
		expect(error?.message).toBe(
			`The ${thing} may not have been ${change}: the answer is not valid JSON`,
		);
		expect(error?.description).toContain(`Look at the ${thing} in the service`);
		expect(sent.filter((request) => !request.startsWith('GET'))).toHaveLength(1);
	});
	test('an upsert that finds its record', async () => {
		answer = (method) => (method === 'PATCH' ? { body: '{"id": "r1' } : undefined);
		const upserted = { columns: mapAutomatically(['Key']), options: { unchanged: 'send' } };
		const { error } = await run('record upsert', upserted, { items: [{ Key: 'a' }] });
		expect(error?.message).toBe(
			'The record may not have been changed: the answer is not valid JSON',
		);
	});
	test.each(changes)('%s: any other answer is fine', async (name, parameters) => {
		for (const body of ['', 'OK', '"OK"', '[]', '{}']) {
			answer = (method) => (method === 'GET' ? undefined : { body });
			const { error } = await run(name, parameters);
			expect(error).toBeUndefined();
		}
	});
});

describe('G3: a create is answered with JSON that cannot be read', () => {
	const body = '{"id": "rec';
	const hintsOf = ({ run: { data } }: ActionResult) =>
		(data.resultData.runData['Workspace Data']?.[0]?.hints ?? []).map(({ message }) => message);
	const creates: Array<[string, IDataObject, IDataObject, string]> = [
		['card', { name: 'New' }, { name: 'New' }, '/cards/x9'],
		['field', { name: 'New', type: 'text' }, { name: 'New', type: 'text' }, '/cards/c1/fields/x9'],
		[
			'record',
			{ columns },
			{ id: null, created_at: null, fields: { Key: 'b' } },
			'/cards/c1/records/x9',
		],
	];

	test.each(creates)(
		'%s, status 201: created, and a hint says that the ID is unknown',
		async (...row) => {
			const [thing, parameters, output] = row;
			answer = (method) => (method === 'POST' ? { status: 201, body } : undefined);
			const result = await run(`${thing} create`, parameters);
			expect(result.error).toBeUndefined();
			expect(result.json).toEqual([output]);
			expect(hintsOf(result)).toEqual([
				`The service created a ${thing}, but its answer shows no ID, so the output has none. Do not create the ${thing} again: look for it in the service.`,
			]);
		},
	);
	test.each(creates)('%s, the ID is in Location: nothing is missing', async (...row) => {
		const [thing, parameters, output, location] = row;
		answer = (method) => (method === 'POST' ? { body, location } : undefined);
		const result = await run(`${thing} create`, parameters);
		expect(result.error).toBeUndefined();
		expect(result.json).toEqual([{ ...output, id: 'x9' }]);
		expect(hintsOf(result)).toEqual([]);
	});
	test.each(creates)('%s, status 200: it may be a refusal as well', async (thing, parameters) => {
		answer = (method) => (method === 'POST' ? { body: '{"success": false, "er' } : undefined);
		const { error, json } = await run(`${thing} create`, parameters);
		expect(json).toEqual([]);
		expect(error?.message).toBe(`The ${thing} may have been created: the answer is not valid JSON`);
		expect(error?.description).toContain('check before you run this item again');
		expect(sent.filter((request) => request.startsWith('POST'))).toHaveLength(1);
	});
	test('no later item of an upsert creates the record again', async () => {
		answer = (method) => (method === 'POST' ? { body } : undefined);
		const upserted = { columns: mapAutomatically(['Key']), options: { unchanged: 'send' } };
		const { json } = await run('record upsert', upserted, {
			items: [{ Key: 'b' }, { Key: 'b' }],
			node: { onError: 'continueRegularOutput' },
		});
		expect(json.map(({ error }) => error)).toEqual([
			'The record may have been created: the answer is not valid JSON',
			'This record may exist already, but the service does not list it',
		]);
		expect(sent.filter((request) => request.startsWith('POST'))).toHaveLength(1);
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
		const { json, error } = await run('card create', { name: 'New', additionalFields });
		expect(error).toBeUndefined();
		expect(json).toEqual([{ id: 'x9', name: 'New' }]);
	});
});

test('G3: a subscription whose identifier is in Location only', async () => {
	const request: Session['request'] = async () => ({
		status: 201,
		headers: { location: '/api/v1/workspaces/w1/webhooks/sub%2F9' },
		body: { secret: 'of the subscription' },
	});
	const session = { request, baseUrl: credential().baseUrl, workspaceId: 'w1' } as Session;
	const wanted = { targetUrl: 'https://n8n.example.com', events: ['record.created'], cardId: null };
	const how = { clock: createTestClock(), call: CALLS.start, isKnown: () => false };
	expect(await createSubscription(session, wanted, how)).toMatchObject({
		id: 'sub/9',
		secret: 'of the subscription',
	});
});

describe('G4: an answer of 20,000 levels, which n8n could not store', () => {
	const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

	test('is refused', async () => {
		answer = (_, path) =>
			path.endsWith('/cards/c1') ? { body: `{"id":"c1","name":"Card","x":${deep}}` } : undefined;
		const { error } = await run('card get');
		expect(error?.message).toBe(
			'The service answered, but the answer is nested more than 500 levels deep',
		);
		expect(sent).toHaveLength(1);
	});
	test('may have created something', async () => {
		answer = (method) => (method === 'POST' ? { body: `{"id":"r9","x":${deep}}` } : undefined);
		const { error } = await run('record create', { columns });
		expect(error?.message).toContain('The record may have been created');
	});
});

test('G6: the test of a credential ends, although its answer trickles', async () => {
	trickles = true;
	const told = await testCredential();
	expect(told.message).toContain('no answer came in time');
});
