/** Faults between the node and the service, rate limits, answers of any size, and cancelling. */
import { hurry } from '../support/quickTime';
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject, INode, ITriggerFunctions } from 'n8n-workflow';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { redact } from '../../nodes/WorkspaceData/model/redact';
import { requestAccessToken } from '../../nodes/WorkspaceData/transport/auth/tokenRequest';
import { toNodeError } from '../../nodes/WorkspaceData/transport/failure/nodeError';
import { systemClock } from '../../nodes/WorkspaceData/transport/http/clock';
import { postToSelf } from '../../nodes/WorkspaceData/transport/ownWebhook';
import {
	type ActionResult,
	type ActionRun,
	executeContext,
	hintsOf,
	runAction,
	startAction,
	succeeded,
	type TestCredentials,
} from '../support/n8n';
import { byId, createKey, mapAutomatically, mapEach, where } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { startStopwatch } from '../support/stopwatch';
import { startWebServer, type WebServer } from '../support/webServer';
import { startWorkspace, type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;

describe('faults', () => {
	beforeAll(async () => {
		workspace = await startWorkspace();
		card = await workspace.card('Faults', { Key: 'text', Amount: 'number' });
	});
	afterAll(async () => await workspace.close());
	afterEach(() => workspace.service.control.reset());
	beforeEach(() => workspace.service.control.resetRequests());

	const create = (more: IDataObject = {}) => createKey(card.id, more);

	const run = async (parameters: IDataObject, items: IDataObject[] = [{}]): Promise<ActionResult> =>
		await runAction({ credentials: workspace.apiKey, parameters, items });

	const posts = () =>
		workspace.requests().filter((request) => request === `POST /cards/${card.id}/records`);

	// Before time is hurried: the header Date doesn't follow.
	test('the rate limit is fully used and never exceeded: no request is refused', async () => {
		const { control } = workspace.service;
		control.setRate({ rate: { limit: 10, windowSeconds: 1 } });
		const items = Array.from({ length: 15 }, (_, n) => ({ key: `r${n}` }));
		succeeded(await run(create(), items));
		expect(control.requests().filter(({ status }) => status === 429)).toEqual([]);
	});

	describe('tries', () => {
		beforeEach(hurry);

		test('a create whose answer was lost is sent once, and says that the record may have been created', async () => {
			workspace.fail('POST', '/records$', { mode: 'dropAfter' });
			const before = (await workspace.rows(card.id)).length;
			const { error } = await run(create());
			expect(error?.message).toBe(
				'The record may have been created: the connection was closed before a response came',
			);
			expect(error?.description).toContain('sent once');
			expect(posts()).toHaveLength(1);
			expect(await workspace.rows(card.id)).toHaveLength(before + 1);
		});

		test('a refused connection is tried again, then the message names the address to check', async () => {
			const server = await startWebServer((_request, response) => response.end());
			await server.close();
			const baseUrl = `${server.url}/api/v1`;
			const { error } = await runAction({
				credentials: { workspaceDataApi: { ...workspace.apiKey.workspaceDataApi, baseUrl } },
				parameters: create(),
			});
			expect(error?.message).toContain('the connection was refused');
			expect(error?.description).toContain("'Base URL'");
			expect(error?.description).toContain(new URL(baseUrl).host);
		});
	});

	test('a body that drips: the time-out is for the whole answer, and the create is sent once', async () => {
		workspace.fail('POST', '/records$', { mode: 'slowBody', byteMs: 300 });
		const elapsed = startStopwatch();
		const { error } = await run(create({ options: { timeout: 1 } }));
		expect(error?.message).toBe('The record may have been created: no response came in time');
		expect(posts()).toHaveLength(1);
		// The body alone would take more than 20 s.
		expect(elapsed()).toBeLessThan(10_000);
	});

	// Each form of a reset: test/rules/transport/rateLimitHeaders.
	test.each([429, 403] as const)('a refusal with %i for the rate is waited for', async (status) => {
		const { control, apiKey } = workspace.service;
		hurry();
		control.setRateAnswer({ status, reset: 'seconds', retryAfter: false });
		control.setRate({ rate: { limit: 3, windowSeconds: 1 }, apiKey });
		// Somebody else uses the key up.
		for (let n = 0; n < 3; n += 1) await workspace.send('GET', '/cards').catch(() => undefined);
		succeeded(await run(create()));
	});

	test("a redirect isn't followed, so the key stays here", async () => {
		let seen = 0;
		const target = await startWebServer(() => (seen += 1));
		workspace.fail('GET', '', {
			status: 302,
			body: 'empty',
			headers: { location: `${target.url}/elsewhere` },
		});
		const { error } = await run({ resource: 'card', operation: 'getAll', returnAll: true });
		await target.close();
		expect(error?.message).toContain('redirects');
		expect(error?.description).toContain("'Base URL'");
		expect(seen).toBe(0);
	});
});

describe('services that refuse more at once', () => {
	useCard('Busy', { Key: 'text' }, (made) => ({ workspace, card } = made));
	const { run, runCounted } = recordRuns(() => ({ workspace, card }));
	const items = Array.from({ length: 50 }, (_, n) => ({ Key: `k${n}` }));
	const columns = mapAutomatically();
	/** Serves so many requests at once, each in so many ms, and refuses others. */
	const serve = (atOnce: number, ms: number) =>
		workspace.service.control.setLatency({ ms, atOnce, refusesMore: true });

	test.each([
		[undefined, 16],
		[3, 3],
		[40, 40],
	])('50 creates, Max Parallel Requests %s: at most %d at once', async (maxParallel, at) => {
		serve(at, 4);
		const options = maxParallel === undefined ? {} : { maxParallel };
		expect(succeeded(await run('create', { columns, options }, items)).json).toHaveLength(50);
	});

	test('a service that serves 8 at once: the creates that it refuses name the option that helps', async () => {
		serve(8, 200);
		const node = { onError: 'continueRegularOutput' as const };
		const { json } = await run('create', { columns }, items, { node });
		const failed = json.filter((item) => 'error' in item);
		expect(failed.length).toBeGreaterThan(0);
		for (const item of failed) expect(JSON.stringify(item)).toContain("'Max Parallel Requests'");
		workspace.service.control.reset();
		expect(await workspace.rows(card.id)).toHaveLength(50 - failed.length);
	});

	test.each(['create', 'update'])('a web page with 429: %s waits', async (operation) => {
		const [id = ''] = await workspace.records(card.id, [{ Key: 'a' }]);
		workspace.fail(operation === 'create' ? 'POST' : 'PATCH', '', { status: 429, body: 'html' });
		hurry();
		const parameters = { columns: mapEach({ Key: 'b' }), recordId: byId(id) };
		expect(succeeded(await runCounted(operation, parameters)).json).toHaveLength(1);
		expect(workspace.changes()).toHaveLength(2);
	});

	test.each([
		[6, true],
		[1, false],
	])('a wait of %d s for the rate limit is mentioned: %j', async (seconds, isMentioned) => {
		hurry();
		workspace.fail('POST', '', { status: 429, headers: { 'retry-after': String(seconds) } });
		const result = succeeded(await run('create', { columns: mapEach({ Key: 'b' }) }));
		const told = hintsOf(result).filter((hint) => /waited \d+ seconds .* rate limit/.test(hint));
		expect(told).toHaveLength(isMentioned ? 1 : 0);
	});
});

describe('answers of any size', () => {
	type Serve = (response: ServerResponse, query: URLSearchParams) => void;

	const JSON_TYPE = { 'content-type': 'application/json' };
	const card = { id: 'c1', name: 'Card' };
	const columns = mapEach({ Key: 'b' });
	const create = { operation: 'create', resource: 'record', columns };
	const TOO_LARGE = 'The service responded, but the response is too large';

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
		(headers: Record<string, string> = {}, part: Buffer | string = '{"id":'): Serve =>
		(response) => {
			response.writeHead(200, { ...JSON_TYPE, ...headers }).write(part, () => response.destroy());
		};
	/** Comes byte by byte, and never to its end. */
	const trickle: Serve = (response) => {
		response.writeHead(200, JSON_TYPE);
		const timer = setInterval(() => response.write(' '), 20);
		response.once('close', () => clearInterval(timer));
	};

	const compressed =
		(encoding: string, body: Buffer): Serve =>
		(response) =>
			void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': encoding }).end(body);

	describe('a response larger than 64 MB', () => {
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

		test('compressed: its size after decompression counts', async () => {
			const blanks = gzipSync(Buffer.alloc(65_000_000, ' '), { level: 1 });
			serve['GET /cards/c1'] = [compressed('gzip', blanks)];
			expect((await getCard()).error?.message).toBe(TOO_LARGE);
			expect(sent).toHaveLength(1);
		});

		test.each([
			['create', 'POST', '/records', 'The record may have been created'],
			['update', 'PATCH', '/records/r1', 'The change may have been carried out'],
		])("%s isn't sent again, and may have been done", async (operation, method, path, message) => {
			serve[`${method} /cards/c1${path}`] = [declared];
			const { error } = await run({ ...create, operation, recordId: byId('r1') });
			expect(error?.message).toBe(`${message}: the response is too large`);
			expect(sent.filter((request) => request.startsWith(method))).toHaveLength(1);
		});

		test('of a refusal, the status decides', async () => {
			serve['GET /cards/c1'] = [endless(503), json(card)];
			expect((await getCard()).json).toEqual([card]);
			serve['GET /cards/c1'] = [endless(404)];
			expect((await getCard()).error).toMatchObject({ httpCode: '404' });
		});

		test('a token: the auth server gave none', async () => {
			serve['POST /realms/r/protocol/openid-connect/token'] = [endless()];
			const { helpers } = executeContext({ workspaceDataApi: credential() });
			const outcome = await requestAccessToken(
				credential(),
				async (options) => await helpers.httpRequest(options),
				{ clock: systemClock, recent: [] },
			);
			expect(outcome).toMatchObject({
				message: expect.stringContaining("didn't return an access token"),
			});
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

	describe('a response that breaks off', () => {
		beforeEach(hurry);

		const gzip = { 'content-encoding': 'gzip' };

		test.each<[string, Serve]>([
			['', cutOff()],
			['of a known length', cutOff({ 'content-length': '100' })],
			['compressed', cutOff(gzip, gzipSync(JSON.stringify(card)).subarray(0, 20))],
		])('%s is asked for again', async (_, answer) => {
			serve['GET /cards/c1'] = [answer, answer, json(card)];
			expect((await getCard()).json).toEqual([card]);
			serve['GET /cards/c1'] = [answer];
			sent = [];
			expect((await getCard()).error?.message).toBe(
				'The service responded, but the response ended early',
			);
			expect(sent).toHaveLength(3);
		});

		test('not compressed as it says, it is asked for again; then the message says what came', async () => {
			serve['GET /cards/c1'] = [
				(response) =>
					void response.writeHead(200, { ...JSON_TYPE, ...gzip }).end(JSON.stringify(card)),
			];
			expect((await getCard()).error?.message).toContain("the response couldn't be read");
			expect(sent).toHaveLength(3);
		});

		test("a create isn't sent again", async () => {
			serve['POST /cards/c1/records'] = [cutOff()];
			const { error } = await run(create);
			expect(error?.message).toBe('The record may have been created: the response ended early');
			expect(error?.description).toContain(
				'check before you run the workflow again with this item',
			);
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
			const get = { resource: 'card', operation: 'get' };
			const { json: output } = await run(get, { onStarted: (one) => (cancel = one.cancel) });
			expect(output).toEqual([]);
			expect(Date.now() - started).toBeLessThan(10_000);
			expect(sent).toHaveLength(1);
		});
	});

	describe('any other answer is read as before', () => {
		const body = JSON.stringify({ ...card, name: 'Grüße 😀' });
		const output = [{ id: 'c1', name: 'Grüße 😀' }];
		const under =
			(headers: Record<string, string>, ...parts: Array<string | Buffer>): Serve =>
			(response) => {
				response.writeHead(200, headers);
				for (const part of parts) response.write(part);
				response.end();
			};

		test.each<[string, Serve]>([
			['compressed with gzip', compressed('gzip', gzipSync(body))],
			['compressed with deflate', compressed('deflate', deflateSync(body))],
			['compressed with br', compressed('br', brotliCompressSync(body))],
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
	});
});

describe('cancelling', () => {
	beforeEach(async () => {
		workspace = await startWorkspace();
		card = await workspace.card('Cancelling', { Key: 'text' });
		workspace.service.control.resetRequests();
	});
	afterEach(async () => await workspace.close());

	const create = () => createKey(card.id, { options: { maxParallel: 2 } });
	const items = Array.from({ length: 20 }, (_, n) => ({ key: `k${n}` }));
	const posts = () => workspace.requests().filter((request) => request.startsWith('POST'));

	/** Waits for something to happen; jest's own time-out is the deadline. */
	async function until(happened: () => boolean): Promise<void> {
		while (!happened()) await new Promise(setImmediate);
	}

	/** Cancels a run as soon as something has happened. */
	async function cancelledWithinASecond(
		credentials: TestCredentials,
		happened: () => boolean,
		node: Partial<INode> = {},
	): Promise<void> {
		const { running, cancel } = startAction({ credentials, parameters: create(), items, node });
		await until(happened);
		const elapsed = startStopwatch();
		cancel();
		await running.catch(() => undefined);
		expect(elapsed()).toBeLessThan(1_000);
	}

	test('a request that gets no response is given up, and no other item is sent', async () => {
		workspace.fail('POST', '/records$', { mode: 'hang', times: 100 });
		// Without cancelling, each of the requests would take 30 s.
		await cancelledWithinASecond(workspace.apiKey, () => posts().length === 2);
		expect(posts()).toHaveLength(2);
	});

	test('an auth server that gives no response is given up within a second', async () => {
		let asked = 0;
		const silent = await startWebServer(() => (asked += 1));
		const credentials = structuredClone(workspace.serviceAccount);
		Object.assign(credentials.workspaceDataServiceAccountApi ?? {}, { authUrl: silent.url });
		// Without cancelling, the token request alone takes 10 s, three times.
		await cancelledWithinASecond(credentials, () => asked === 1);
		await silent.close();
		expect(workspace.requests()).toEqual([]);
	});

	test('a wait for the rate limit is given up', async () => {
		const { control } = workspace.service;
		control.setRateAnswer({ reset: 'far' });
		control.setRate({ rate: { limit: 1, windowSeconds: 60 } });
		await workspace.send('GET', '/cards');
		const isRefused = () => control.requests().some(({ status }) => status === 429);
		await cancelledWithinASecond(workspace.apiKey, isRefused);
		expect(posts()).toEqual([]);
	});

	test('a pause between two tries is given up', async () => {
		workspace.fail('GET', '/fields$', { status: 503, times: 100 });
		const goingOn = { onError: 'continueRegularOutput' } as const;
		await cancelledWithinASecond(workspace.apiKey, () => workspace.requests().length > 0, goingOn);
		expect(workspace.requests()).toHaveLength(1);
		expect(posts()).toEqual([]);
	});

	describe('a run that is cancelled says what was written', () => {
		const many = Array.from({ length: 30 }, (_, n) => ({ Key: `k${String(n).padStart(2, '0')}` }));
		const sent = (method: string) =>
			workspace.requests().filter((request) => request.startsWith(method)).length;

		let logged: string[];
		beforeEach(() => {
			logged = [];
			jest
				.spyOn(Container.get(Logger), 'info')
				.mockImplementation((line) => void logged.push(line));
		});
		afterEach(() => jest.restoreAllMocks());

		/** Cancels after some requests of a method, while others are under way. @returns the error's description */
		async function cancelled(method: string, parameters: IDataObject, given: IDataObject[]) {
			const { control } = workspace.service;
			control.resetRequests();
			control.setLatency({ ms: 40 });
			const { running, cancel } = startAction({
				credentials: workspace.apiKey,
				parameters: { resource: 'record', cardId: byId(card.id), ...parameters },
				items: given,
			});
			await until(() => sent(method) >= 7);
			cancel();
			const { error } = await running;
			// As late as the others: what was under way is carried out before it.
			await workspace.rows(card.id);
			control.setLatency({ ms: 0 });
			expect(error?.message).toContain('cancelled');
			// In a real n8n the error of a cancelled execution is dropped; the log stays.
			expect(logged[0]).toBe(`Workspace Data: ${error?.message}. ${error?.description}`);
			expect(logged.slice(1).join()).toMatch(/^Workspace Data: \d+ (created|updated|deleted): \w+/);
			return error?.description ?? '';
		}

		/** Compares the numbers of a text with what was done: some more may have been. */
		function expectNumbers(text: string, changed: number): void {
			const [done = 0, , unclear = 0] = (text.match(/\d+/g) ?? []).map(Number);
			expect(done).toBeGreaterThan(0);
			expect(changed).toBeGreaterThanOrEqual(done);
			expect(changed).toBeLessThanOrEqual(done + unclear);
		}

		const options = { maxParallel: 3 };

		test.each(['create', 'upsert', 'sync'])('%s', async (operation) => {
			const columns = mapAutomatically(operation === 'create' ? [] : ['Key']);
			const text = await cancelled('POST', { operation, columns, options }, many);
			expect(text).toMatch(/^(\d+) of 30 items (?:was|were) processed/);
			expect(text).toMatch(/For \d more, the request was under way: it may have been carried out/);
			expectNumbers(text, (await workspace.rows(card.id)).length);
		});

		test.each([
			['updateMany', 'PATCH', 'updated', { columns: mapEach({ Key: 'changed' }) }],
			['deleteMany', 'DELETE', 'deleted', {}],
		])('%s', async (operation, method, verb, parameters) => {
			await workspace.records(card.id, many);
			const all = where('Key', 'startsWith', 'k');
			const text = await cancelled(method, { operation, ...parameters, ...all, options }, [{}]);
			expect(text).toMatch(new RegExp(`^\\d+ of 30 records (?:was|were) ${verb}\\.`));
			const left = (await workspace.rows(card.id)).filter(({ Key }) => Key !== 'changed').length;
			expectNumbers(text, 30 - left);
		});
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

describe('unexpected errors', () => {
	const node: INode = {
		id: '1',
		name: 'Ours',
		type: 'n8n-nodes-workspace-data.workspaceData',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const SECRET = 'key-of-unexpected-errors';

	function lineThatThrew(text: string): never {
		throw new TypeError(text);
	}

	function thrownWith(text: string): unknown {
		try {
			return lineThatThrew(text);
		} catch (error) {
			return error;
		}
	}

	test('neither stack nor message nor cause has a secret', () => {
		const place = { redact: (text: string) => redact(text, [SECRET]) };
		const error = toNodeError(node, thrownWith(`no ${SECRET}, no Bearer abcdefgh12345678`), place);
		const seen = [error.message, error.stack, error.description, JSON.stringify(error)];
		const { cause } = error;
		if (cause instanceof Error) seen.push(cause.message, cause.stack);
		expect(error.stack).toContain('lineThatThrew');
		for (const text of seen) expect(text ?? '').not.toMatch(/key-of-unexpected|abcdefgh12345678/);
	});
});
