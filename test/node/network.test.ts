/** Faults between the node and the service, rate limits, answers of any size, and cancelling. */
import { hurry } from '../support/quickTime';
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { redact } from '../../nodes/WorkspaceData/transport/redact';
import { toNodeError } from '../../nodes/WorkspaceData/transport/failure/nodeError';
import { systemClock } from '../../nodes/WorkspaceData/transport/http/clock';
import { postToSelf } from '../../nodes/WorkspaceData/transport/ownWebhook';
import {
	type ActionRun,
	actionNode,
	executeContext,
	hintsOf,
	runAction,
	startAction,
	succeeded,
} from '../support/n8n';
import { byId, createKey, mapAutomatically, mapEach, where } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { startStopwatch } from '../support/stopwatch';
import { startWebServer, type WebServer } from '../support/webServer';
import { startWorkspace, type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;

/** Waits for something to happen; jest's own time-out is the deadline. */
async function until(happened: () => boolean): Promise<void> {
	while (!happened()) await new Promise(setImmediate);
}

describe('faults', () => {
	useCard('Faults', { Key: 'text' }, (made) => ({ workspace, card } = made));
	const { run: runRecord } = recordRuns(() => ({ workspace, card }));
	const create = async (options: IDataObject = {}, more: Partial<ActionRun> = {}) =>
		await runRecord('create', { columns: mapEach({ Key: 'x' }), options }, [{}], more);

	test('a create whose answer was lost is sent once, and says that the record may have been created', async () => {
		workspace.fail('POST', '/records$', { mode: 'dropAfter' });
		const { error } = await create();
		expect(error?.message).toBe(
			'The record may have been created: the connection was closed before a response came',
		);
		expect(error?.description).toContain('sent once');
		expect(workspace.changes()).toHaveLength(1);
		expect(await workspace.rows(card.id)).toHaveLength(1);
	});

	test('a refused connection is tried again, then the message names the address to check', async () => {
		hurry();
		const server = await startWebServer((_request, response) => response.end());
		await server.close();
		const baseUrl = `${server.url}/api/v1`;
		const { error } = await create(
			{},
			{ credentials: { workspaceDataApi: { ...workspace.apiKey.workspaceDataApi, baseUrl } } },
		);
		expect(error?.message).toContain('the connection was refused');
		expect(error?.description).toContain("'Base URL'");
		expect(error?.description).toContain(new URL(baseUrl).host);
	});

	test('a body that drips: the time-out is for the whole answer, and the create is sent once', async () => {
		workspace.fail('POST', '/records$', { mode: 'slowBody', byteMs: 300 });
		const elapsed = startStopwatch();
		const { error } = await create({ timeout: 1 });
		expect(error?.message).toBe('The record may have been created: no response came in time');
		expect(workspace.changes()).toHaveLength(1);
		// The body alone would take more than 20 s.
		expect(elapsed()).toBeLessThan(10_000);
	});

	test("a redirect isn't followed, so the key stays here", async () => {
		let seen = 0;
		const target = await startWebServer(() => (seen += 1));
		const headers = { location: `${target.url}/elsewhere` };
		workspace.fail('GET', '', { status: 302, body: 'empty', headers });
		const { error } = await runRecord('getAll');
		await target.close();
		expect(error?.message).toContain('redirects');
		expect(error?.description).toContain("'Base URL'");
		expect(seen).toBe(0);
	});

	// Time isn't hurried here: the header Date doesn't follow.
	test('the rate limit is fully used and never exceeded: no request is refused', async () => {
		const { control } = workspace.service;
		control.setRate({ rate: { limit: 10, windowSeconds: 1 } });
		const items = Array.from({ length: 15 }, (_, n) => ({ Key: `r${n}` }));
		succeeded(await runRecord('create', { columns: mapAutomatically() }, items));
		expect(control.requests().filter(({ status }) => status === 429)).toEqual([]);
	});

	test.each([
		[6, 1],
		[1, 0],
	])('a wait of %d s for the rate limit is mentioned in %d hints', async (seconds, mentions) => {
		hurry();
		workspace.fail('POST', '', { status: 429, headers: { 'retry-after': String(seconds) } });
		const hints = hintsOf(succeeded(await create()));
		const told = hints.filter((hint) => /waited \d+ seconds .* rate limit/.test(hint));
		expect(told).toHaveLength(mentions);
	});

	test.each([
		[undefined, 16],
		[3, 3],
		[40, 40],
	])('50 creates, Max Parallel Requests %s: at most %d at once', async (maxParallel, atOnce) => {
		workspace.service.control.setLatency({ ms: 30, atOnce, refusesMore: true });
		const items = Array.from({ length: 50 }, (_, n) => ({ Key: `k${n}` }));
		const options = maxParallel === undefined ? {} : { maxParallel };
		const parameters = { columns: mapAutomatically(), options };
		expect(succeeded(await runRecord('create', parameters, items)).json).toHaveLength(50);
	});
});

describe('answers of any size', () => {
	type Serve = (response: ServerResponse, query: URLSearchParams) => void;

	const JSON_TYPE = { 'content-type': 'application/json' };
	const card = { id: 'c1', name: 'Card' };
	const columns = mapEach({ Key: 'b' });

	let server: WebServer;
	/** Answers in turn, the last one forever, by method and path. */
	let serve: Record<string, Serve[]>;
	let sent: string[];
	/** How many connections are open. */
	let open: number;

	const under =
		(headers: Record<string, string>, ...parts: Array<string | Buffer>): Serve =>
		(response) => {
			response.writeHead(200, headers);
			for (const part of parts) response.write(part);
			response.end();
		};
	const json = (body: unknown) => under(JSON_TYPE, JSON.stringify(body));
	const compressed = (encoding: string, body: Buffer) =>
		under({ ...JSON_TYPE, 'content-encoding': encoding }, body);

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
			response.once('close', () => (open -= 1));
			void respond(request, response);
		});
	});
	beforeEach(() => {
		sent = [];
		serve = {};
		open = 0;
	});
	// Whatever came: no connection stays.
	afterEach(async () => await until(() => open === 0));
	afterAll(async () => await server.close());

	const credential = () => ({
		...{ baseUrl: `${server.url}/api/v1`, workspaceId: 'w1', apiKey: 'key-of-w1' },
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
		(headers: Record<string, string> = {}, part: Buffer | string = '{"id":'): Serve =>
		(response) => {
			response.writeHead(200, { ...JSON_TYPE, ...headers }).write(part, () => response.destroy());
		};
	describe('a response larger than 64 MB', () => {
		const blanks = gzipSync(Buffer.alloc(65_000_000, ' '), { level: 1 });
		test.each([
			['without an end', endless()],
			['with its length declared', declared],
			['after decompression', compressed('gzip', blanks)],
		])('%s: a message, and no second try', async (_, answer) => {
			serve['GET /cards/c1'] = [answer];
			const { error } = await getCard();
			expect(error?.message).toBe('The service responded, but the response is too large');
			expect(error?.description).toContain('At most 64 MB');
			expect(sent).toEqual(['GET /cards/c1']);
		});

		test('of a refusal, the status decides', async () => {
			serve['GET /cards/c1'] = [endless(503), json(card)];
			expect((await getCard()).json).toEqual([card]);
			serve['GET /cards/c1'] = [endless(404)];
			expect((await getCard()).error).toMatchObject({ httpCode: '404' });
		});

		test('a token: the auth server gave none', async () => {
			hurry();
			serve['POST /realms/r/protocol/openid-connect/token'] = [endless()];
			const credentials = { workspaceDataServiceAccountApi: credential() };
			const { error } = await run({ resource: 'card', operation: 'get' }, { credentials });
			expect(error?.message).toContain("didn't return an access token");
		});

		test("n8n's own webhook address: as if nothing had come", async () => {
			serve['POST /webhook'] = [endless(), json({ proof: 1 })];
			const context = executeContext({ workspaceDataApi: credential() });
			const post = async () =>
				await postToSelf(
					context as unknown as ITriggerFunctions,
					`${server.url}/webhook`,
					{ body: '{}', headers: {} },
					{ clock: systemClock, timeoutMs: 5_000 },
				);
			expect(await post()).toBeUndefined();
			expect(await post()).toMatchObject({ status: 200, body: { proof: 1 } });
		});
	});

	test.each([
		['is too large', declared],
		['ended early', cutOff()],
	])("a create whose response %s isn't sent again", async (what, answer) => {
		hurry();
		serve['POST /cards/c1/records'] = [answer];
		const { error } = await run({ resource: 'record', operation: 'create', columns });
		expect(error?.message).toBe(`The record may have been created: the response ${what}`);
		expect(error?.description).toContain('check before you run the workflow again with this item');
		expect(sent.filter((request) => request.startsWith('POST'))).toHaveLength(1);
	});

	const gzip = { 'content-encoding': 'gzip' };
	const early = 'The service responded, but the response ended early';
	test.each<[string, Serve, string]>([
		['', cutOff(), early],
		['of a known length', cutOff({ 'content-length': '100' }), early],
		['compressed', cutOff(gzip, gzipSync(JSON.stringify(card)).subarray(0, 20)), early],
		[
			'not compressed as it says',
			compressed('gzip', Buffer.from(JSON.stringify(card))),
			"The service responded, but the response couldn't be read",
		],
	])('a response that breaks off, %s, is asked for again', async (_, answer, message) => {
		hurry();
		serve['GET /cards/c1'] = [answer, answer, json(card)];
		expect((await getCard()).json).toEqual([card]);
		serve['GET /cards/c1'] = [answer];
		sent = [];
		expect((await getCard()).error?.message).toBe(message);
		expect(sent).toHaveLength(3);
	});

	const name = 'Grüße 😀';
	const body = JSON.stringify({ ...card, name });
	test.each<[string, Serve]>([
		['compressed with deflate', compressed('deflate', deflateSync(body))],
		['compressed with br', compressed('br', brotliCompressSync(body))],
		['under another content type', under({ 'content-type': 'text/plain' }, body)],
		['under none', under({}, body)],
		['encoded twice', under(JSON_TYPE, JSON.stringify(body))],
		['after a byte order mark', under(JSON_TYPE, '\uFEFF', body)],
		['byte by byte', under(JSON_TYPE, ...[...Buffer.from(body)].map((byte) => Buffer.of(byte)))],
	])('JSON %s is read', async (_, answer) => {
		serve['GET /cards/c1'] = [answer];
		expect((await getCard()).json).toEqual([{ id: 'c1', name }]);
	});
});

describe('cancelling', () => {
	beforeEach(async () => {
		workspace = await startWorkspace();
		card = await workspace.card('Cancelling', { Key: 'text' });
		workspace.service.control.resetRequests();
	});
	afterEach(async () => await workspace.close());

	const posts = () => workspace.requests().filter((request) => request.startsWith('POST'));

	/** Cancels a run of 20 items as soon as something has happened. */
	async function cancelledWithinASecond(
		happened: () => boolean,
		credentials = workspace.apiKey,
		parameters = createKey(card.id, { options: { maxParallel: 2 } }),
	): Promise<void> {
		const items = Array.from({ length: 20 }, (_, n) => ({ key: `k${n}` }));
		const node = { onError: 'continueRegularOutput' } as const;
		const { running, cancel } = startAction({ credentials, parameters, items, node });
		await until(happened);
		const elapsed = startStopwatch();
		cancel();
		await running.catch(() => undefined);
		expect(elapsed()).toBeLessThan(1_000);
	}

	// Without cancelling, each of the requests would take 30 s, and the token request 10 s, three times.
	test.each(['hang', 'slowBody'] as const)('%s: requests are given up at once', async (mode) => {
		workspace.fail('POST', '/records$', { mode, times: 100 });
		await cancelledWithinASecond(() => posts().length === 2);
		expect(posts()).toHaveLength(2);
	});

	test('an auth server that gives no response is given up', async () => {
		let asked = 0;
		const silent = await startWebServer(() => (asked += 1));
		const credentials = structuredClone(workspace.serviceAccount);
		Object.assign(credentials.workspaceDataServiceAccountApi ?? {}, { authUrl: silent.url });
		await cancelledWithinASecond(() => asked === 1, credentials);
		await silent.close();
		expect(workspace.requests()).toEqual([]);
	});

	test.each([
		['a wait for the rate limit', { status: 429, headers: { 'retry-after': '60' } }],
		['a pause between two tries', { status: 503 }],
	])('%s is given up', async (_, fault) => {
		workspace.fail('GET', '/fields$', { ...fault, times: 100 });
		await cancelledWithinASecond(() => workspace.requests().length > 0);
		expect(workspace.requests()).toHaveLength(1);
	});

	/** Cancels after some requests of a method, while others are under way. @returns the error's description */
	async function cancelled(method: string, parameters: IDataObject, items: IDataObject[] = [{}]) {
		const { control } = workspace.service;
		const logged: string[] = [];
		const info = jest.spyOn(Container.get(Logger), 'info');
		info.mockImplementation((line) => void logged.push(line));
		control.resetRequests();
		control.setLatency({ ms: 40 });
		const { running, cancel } = startAction({
			credentials: workspace.apiKey,
			parameters: { resource: 'record', cardId: byId(card.id), ...parameters },
			items,
		});
		const isSent = (request: string) => request.startsWith(method);
		await until(() => workspace.requests().filter(isSent).length >= 7);
		cancel();
		const { error } = await running;
		// As late as the others: what was under way is carried out before it.
		await workspace.rows(card.id);
		control.setLatency({ ms: 0 });
		info.mockRestore();
		expect(error?.message).toContain('cancelled');
		// In a real n8n the error of a cancelled execution is dropped; the log stays.
		expect(logged[0]).toBe(`Workspace Data: ${error?.message}. ${error?.description}`);
		expect(logged.slice(1).join()).toMatch(/^Workspace Data: \d+ (created|updated|deleted): \w+/);
		return error?.description ?? '';
	}

	test.each<[string, string, string, IDataObject]>([
		['create', 'POST', 'items', { columns: mapAutomatically() }],
		['upsert', 'POST', 'items', { columns: mapAutomatically(['Key']) }],
		['sync', 'POST', 'items', { columns: mapAutomatically(['Key']) }],
		['updateMany', 'PATCH', 'records', { columns: mapEach({ Key: 'changed' }) }],
		['deleteMany', 'DELETE', 'records', {}],
	])('%s that is cancelled says what was written', async (...[operation, method, what, more]) => {
		const many = Array.from({ length: 30 }, (_, n) => ({ Key: `k${String(n).padStart(2, '0')}` }));
		const isCreate = method === 'POST';
		if (!isCreate) await workspace.records(card.id, many);
		const all = isCreate ? {} : where('Key', 'startsWith', 'k');
		const parameters = { operation, ...more, ...all, options: { maxParallel: 3 } };
		const text = await cancelled(method, parameters, isCreate ? many : [{}]);
		const done = { PATCH: 'updated', DELETE: 'deleted' }[method] ?? 'processed';
		expect(text).toMatch(new RegExp(`^\\d+ of 30 ${what} (?:was|were) ${done}`));
		expect(text).toMatch(/For \d more, the request was under way: it may have been carried out/);
		const left = (await workspace.rows(card.id)).filter(({ Key }) => Key !== 'changed').length;
		const changed = isCreate ? left : 30 - left;
		// Some more may have been changed than it says for sure.
		const [sure = 0, , unclear = 0] = (text.match(/\d+/g) ?? []).map(Number);
		expect(sure).toBeGreaterThan(0);
		expect(changed).toBeGreaterThanOrEqual(sure);
		expect(changed).toBeLessThanOrEqual(sure + unclear);
	});

	test("a create that was under way when its run was cancelled isn't created again by another run", async () => {
		// It is stored at once, and its answer takes forever.
		workspace.fail('POST', '/records$', { mode: 'slowBody' });
		const columns = mapAutomatically(['Key']);
		const upsert = () =>
			startAction({
				credentials: workspace.apiKey,
				parameters: { resource: 'record', operation: 'upsert', cardId: byId(card.id), columns },
				items: [{ Key: 'one' }],
			});
		const [first, second] = [upsert(), upsert()];
		await until(() => posts().length === 1);
		// The second waits until the request of the first can no longer be carried out.
		hurry();
		first.cancel();
		const { error } = await first.running;
		expect(error?.message).toContain('cancelled');
		const { json } = await second.running;
		expect(json.map(({ action }) => action)).toEqual(['unchanged']);
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'one' }]);
	});
});

test('an unexpected error shows the line that threw it, and no secret in stack, message or cause', () => {
	const SECRET = 'key-of-unexpected-errors';
	const place = { redact: (text: string) => redact(text, [SECRET]) };
	function lineThatThrew(): Error {
		return new TypeError(`no ${SECRET}, no Bearer abcdefgh12345678`);
	}
	const error = toNodeError(actionNode({ workspaceDataApi: {} }, {}), lineThatThrew(), place);
	expect(error.stack).toContain('lineThatThrew');
	for (const part of [error, error.description, JSON.stringify(error), error.cause])
		expect(inspect(part)).not.toMatch(/key-of-unexpected|abcdefgh12345678/);
});
