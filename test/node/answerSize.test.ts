/** Answers of any size, compressed or cut off: how much of them is read, and what becomes of the connection. */
import { hurry } from '../support/quickTime';
import { CredentialTestContext } from 'n8n-core';
import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { testWorkspaceAccess } from '../../nodes/WorkspaceData/editor/credentialTest';
import { systemClock } from '../../nodes/WorkspaceData/transport/http/clock';
import { postToSelf } from '../../nodes/WorkspaceData/transport/ownWebhook';
import { requestAccessToken } from '../../nodes/WorkspaceData/transport/auth/tokenRequest';
import { executeContext, runAction, type ActionRun } from '../support/n8n';
import { byId, mapEach } from '../support/parameters';
import { startWebServer, type WebServer } from '../support/webServer';

type Serve = (response: ServerResponse, query: URLSearchParams) => void;

const JSON_TYPE = { 'content-type': 'application/json' };
const card = { id: 'c1', name: 'Card' };
const columns = mapEach({ Key: 'b' });
const create = { operation: 'create', resource: 'record', columns };
const TOO_LARGE = 'The service answered, but the answer is too large';

let server: WebServer;
/** Answers in turn, the last one forever, by method and path. */
let serve: Record<string, Serve[]>;
let sent: string[];
/** Connections that are open, and what waits for the last one to close. */
let open: number;
let onNoneOpen: () => void;

const json =
	(body: unknown): Serve =>
	(response) =>
		void response.writeHead(200, JSON_TYPE).end(JSON.stringify(body));

const fields = json([{ field_id: 'f1', name: 'Key', type: 'text' }]);

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const { pathname, searchParams } = new URL(request.url ?? '', server.url);
	const path = `${request.method} ${pathname.replace('/api/v1/workspaces/w1', '')}`;
	await text(request);
	const limit = searchParams.get('limit');
	sent.push(limit === null ? path : `${path} ${limit}`);
	const answers = serve[path] ?? [fields];
	(answers.length > 1 ? answers.shift() : answers[0])?.(response, searchParams);
}

beforeAll(async () => {
	server = await startWebServer((request, response) => {
		open += 1;
		response.once('close', () => {
			open -= 1;
			if (open === 0) onNoneOpen();
		});
		void respond(request, response);
	});
});
beforeEach(() => {
	sent = [];
	serve = {};
	open = 0;
	onNoneOpen = () => {};
});
// Whatever came: no connection stays.
afterEach(async () => {
	if (open > 0) await new Promise<void>((resolve) => (onNoneOpen = resolve));
});
afterAll(async () => await server.close());

const credential = () => ({
	baseUrl: `${server.url}/api/v1`,
	workspaceId: 'w1',
	apiKey: 'key-of-w1',
	authUrl: server.url,
	realm: 'r',
	clientId: 'c',
	clientSecret: 's',
});
const run = async (parameters: IDataObject, more: Partial<ActionRun> = {}) =>
	await runAction({
		credentials: { workspaceDataApi: credential() },
		parameters: { cardId: byId('c1'), ...parameters },
		...more,
	});
const getCard = async () => await run({ resource: 'card', operation: 'get' });

/** Blanks without an end, as quickly as they are taken. */
const endless =
	(status = 200): Serve =>
	(response) => {
		response.writeHead(status, JSON_TYPE);
		const part = Buffer.alloc(1_000_000, ' ');
		const write = () => {
			while (!response.destroyed && response.write(part));
		};
		response.on('drain', write);
		write();
	};
/** Says that it will be large; the rest never comes. */
const declared: Serve = (response) =>
	void response.writeHead(200, { ...JSON_TYPE, 'content-length': 300_000_000 }).write('{');
/** Ends the connection in the middle of the body. */
const cutOff =
	(headers: Record<string, string> = {}): Serve =>
	(response) => {
		response.writeHead(200, { ...JSON_TYPE, ...headers }).write('{"id":', () => response.destroy());
	};
/** Comes byte by byte, and never to its end. */
const trickle: Serve = (response) => {
	response.writeHead(200, JSON_TYPE);
	const timer = setInterval(() => response.write(' '), 20);
	response.once('close', () => clearInterval(timer));
};

const compressions: Array<[string, (bytes: Buffer) => Buffer]> = [
	['gzip', (bytes) => gzipSync(bytes, { level: 1 })],
	['deflate', (bytes) => deflateSync(bytes, { level: 1 })],
	['br', (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
];
const compressed =
	(encoding: string, body: Buffer): Serve =>
	(response) =>
		void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': encoding }).end(body);

describe('G10: an answer larger than 64 MB', () => {
	test.each([
		['without an end', endless()],
		['with its length declared', declared],
	])('%s: a message, and no second try', async (_, answer) => {
		serve['GET /cards/c1'] = [answer];
		const { error } = await getCard();
		expect(error?.message).toBe(TOO_LARGE);
		expect(error?.description).toContain('At most 64 MB');
		expect(sent).toEqual(['GET /cards/c1']);
	});

	test.each(compressions)(
		'compressed with %s: its size after decompression counts',
		async (encoding, compress) => {
			serve['GET /cards/c1'] = [compressed(encoding, compress(Buffer.alloc(65_000_000, ' ')))];
			expect((await getCard()).error?.message).toBe(TOO_LARGE);
			expect(sent).toHaveLength(1);
		},
	);

	test('a create is not sent again, and may have been done', async () => {
		serve['POST /cards/c1/records'] = [declared];
		const { error } = await run(create);
		expect(error?.message).toBe('The record may have been created: the answer is too large');
		expect(sent.filter((request) => request.startsWith('POST'))).toHaveLength(1);
	});

	test('an update is not sent again', async () => {
		serve['PATCH /cards/c1/records/r1'] = [declared];
		const { error } = await run({ ...create, operation: 'update', recordId: byId('r1') });
		expect(error?.message).toBe(TOO_LARGE);
		expect(sent.filter((request) => request.startsWith('PATCH'))).toHaveLength(1);
	});

	test('of a refusal, the status decides', async () => {
		serve['GET /cards/c1'] = [endless(503), json(card)];
		expect((await getCard()).json).toEqual([card]);
		serve['GET /cards/c1'] = [endless(404)];
		expect((await getCard()).error).toMatchObject({ httpCode: '404' });
	});

	test('a page of records: a smaller one is read, down to one record', async () => {
		const all = Array.from({ length: 40 }, (_, n) => ({ id: `r${n}`, data: {}, created_at: null }));
		serve['GET /cards/c1/records'] = [
			(response, query) => {
				const limit = Number(query.get('limit'));
				const from = Number(query.get('cursor') ?? 0);
				if (limit > 15) return declared(response, query);
				const next = from + limit < all.length ? String(from + limit) : null;
				json({ records: all.slice(from, from + limit), next_cursor: next })(response, query);
			},
		];
		const getAll = { resource: 'record', operation: 'getAll', returnAll: true };
		expect((await run(getAll)).json.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
		const sizes = sent.flatMap((request) => request.match(/records (\d+)$/)?.slice(1) ?? []);
		expect(sizes.slice(0, 3)).toEqual(['1000', '125', '15']);
		sent = [];
		serve['GET /cards/c1/records'] = [declared];
		expect((await run(getAll)).error?.message).toBe(TOO_LARGE);
		expect(sent.filter((request) => request.includes('records')).at(-1)).toMatch(/records 1$/);
	});

	test('a token: the auth server gave none', async () => {
		serve['POST /realms/r/protocol/openid-connect/token'] = [endless()];
		const { helpers } = executeContext({ workspaceDataApi: credential() });
		const outcome = await requestAccessToken(
			credential(),
			async (options) => await helpers.httpRequest(options),
		);
		expect(outcome).toMatchObject({
			message: expect.stringContaining('did not return an access token'),
		});
	});

	test('the test of a credential tells it', async () => {
		serve['GET /cards'] = [declared];
		const { message } = await testCredential();
		expect(message).toMatch(/^The service at \S+ answered, but the answer is too large\./);
	});

	test("n8n's own webhook address: as if nothing had come", async () => {
		serve['POST /webhook'] = [endless(), json({ proof: 1 })];
		const context = executeContext({ workspaceDataApi: credential() });
		const post = async () =>
			await postToSelf(
				context as unknown as ITriggerFunctions,
				`${server.url}/webhook`,
				{ body: '{}', headers: {} },
				systemClock,
			);
		expect(await post()).toBeUndefined();
		expect(await post()).toMatchObject({ status: 200, body: { proof: 1 } });
	});
});

const testCredential = async () =>
	await testWorkspaceAccess.call(new CredentialTestContext({} as never), {
		id: '1',
		name: 'Test',
		type: 'workspaceDataApi',
		data: credential(),
	});

describe('G11: an answer that breaks off', () => {
	beforeEach(hurry);

	const gzip = { 'content-encoding': 'gzip' };
	const length = { 'content-length': '100' };

	test.each([
		['', {}],
		['of a known length', length],
	])('%s is asked for again', async (_, headers) => {
		serve['GET /cards/c1'] = [cutOff(headers), cutOff(headers), json(card)];
		expect((await getCard()).json).toEqual([card]);
		serve['GET /cards/c1'] = [cutOff(headers)];
		sent = [];
		expect((await getCard()).error?.message).toBe(
			'The service could not be reached: the answer was cut off',
		);
		expect(sent).toHaveLength(3);
	});

	test('compressed, it is asked for again', async () => {
		const half = gzipSync(JSON.stringify(card)).subarray(0, 20);
		serve['GET /cards/c1'] = [
			(response) => {
				response.writeHead(200, { ...JSON_TYPE, ...gzip }).write(half, () => response.destroy());
			},
			json(card),
		];
		const { error, json: output } = await getCard();
		expect([error?.message, sent.length]).toEqual([undefined, 2]);
		expect(output).toEqual([card]);
	});

	test('a create is not sent again', async () => {
		serve['POST /cards/c1/records'] = [cutOff()];
		const { error } = await run(create);
		expect(error?.message).toBe('The record may have been created: the answer was cut off');
		expect(error?.description).toContain('check before you run this item again');
		expect(sent.filter((request) => request.startsWith('POST'))).toHaveLength(1);
	});

	test('byte by byte, it is waited for as long as for the whole answer', async () => {
		serve['POST /cards/c1/records'] = [trickle];
		const { error } = await run({ ...create, options: { timeout: 1 } });
		expect(error?.message).toBe('The record may have been created: no answer came in time');
		expect(sent.filter((request) => request.startsWith('POST'))).toHaveLength(1);
	});

	test('the execution is cancelled while it comes', async () => {
		let cancel = () => {};
		serve['GET /cards/c1'] = [
			(response, query) => {
				trickle(response, query);
				setTimeout(() => cancel(), 100);
			},
		];
		const started = Date.now();
		const { json: output } = await run(
			{ resource: 'card', operation: 'get' },
			{ onStarted: (execution) => (cancel = execution.cancel) },
		);
		expect(output).toEqual([]);
		expect(Date.now() - started).toBeLessThan(10_000);
		expect(sent).toHaveLength(1);
	});
});

describe('G10: any other answer is read as before', () => {
	const body = JSON.stringify({ ...card, name: 'Grüße 😀' });
	const output = [{ id: 'c1', name: 'Grüße 😀' }];
	const under =
		(headers: Record<string, string>, ...parts: Array<string | Buffer>): Serve =>
		(response) => {
			response.writeHead(200, headers);
			for (const part of parts) response.write(part);
			response.end();
		};

	test.each(compressions)('compressed with %s', async (encoding, compress) => {
		serve['GET /cards/c1'] = [compressed(encoding, compress(Buffer.from(body)))];
		expect((await getCard()).json).toEqual(output);
	});

	test.each<[string, Serve]>([
		['under another content type', under({ 'content-type': 'text/plain' }, body)],
		['under none', under({}, body)],
		['encoded twice', under(JSON_TYPE, JSON.stringify(body))],
		['after a byte order mark', under(JSON_TYPE, '\uFEFF', body)],
		['byte by byte', under(JSON_TYPE, ...[...Buffer.from(body)].map((byte) => Buffer.of(byte)))],
		[
			'with its length',
			under({ ...JSON_TYPE, 'content-length': String(Buffer.byteLength(body)) }, body),
		],
	])('JSON %s', async (_, answer) => {
		serve['GET /cards/c1'] = [answer];
		expect((await getCard()).json).toEqual(output);
	});

	test.each([202, 204])('nothing, under status %d', async (status) => {
		serve['DELETE /cards/c1'] = [(response) => void response.writeHead(status).end()];
		expect((await run({ resource: 'card', operation: 'delete' })).json).toEqual([
			{ deleted: true, id: 'c1' },
		]);
	});
});
