/** Credentials: tokens of service accounts, input that cannot be used, and no secret anywhere. */
import { hurry } from '../support/quickTime';
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { ICredentialType, IDataObject, INode } from 'n8n-workflow';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { WorkspaceDataApi } from '../../credentials/WorkspaceDataApi.credentials';
import { WorkspaceDataServiceAccountApi } from '../../credentials/WorkspaceDataServiceAccountApi.credentials';
import {
	executeContext,
	placesOf,
	runAction,
	succeeded,
	type TestCredentials,
} from '../support/n8n';
import { pressTest } from '../support/editor';
import { createKey } from '../support/parameters';
import { triggerNode } from '../support/trigger';
import { startWebServer, type WebServer } from '../support/webServer';
import { card, credentialWith, useCard, useWorkspace, workspace } from '../support/workspace';

describe('no secret is seen', () => {
	useWorkspace();
	/** Everything that was logged, at any level, as text. */
	const logged: string[] = [];

	beforeAll(async () => {
		const logger = Container.get(Logger);
		for (const level of ['error', 'warn', 'info', 'debug'] as const) {
			jest.spyOn(logger, level).mockImplementation((...entry: unknown[]) => {
				logged.push(
					entry
						.map((part) => (part instanceof Error ? part.stack : JSON.stringify(part)))
						.join(' '),
				);
			});
		}
		for (const stream of [process.stdout, process.stderr]) {
			const write = stream.write.bind(stream);
			jest.spyOn(stream, 'write').mockImplementation(((chunk: string, ...rest: []) => {
				logged.push(String(chunk));
				return write(chunk, ...rest);
			}) as typeof stream.write);
		}
	});
	afterAll(() => jest.restoreAllMocks());

	/** All that an object holds, what JSON leaves out and what cannot be listed included. */
	const inside = (value: unknown): string => {
		const all = { maxArrayLength: null, maxStringLength: null };
		return inspect(value, { depth: Infinity, showHidden: true, ...all });
	};

	/** The words before each place where a text has a secret. */
	const around = (secret: string, text: string): string[] =>
		text
			.split(secret)
			.flatMap((before, place, { length }) =>
				place < length - 1 ? `${before.slice(-80)}<secret>` : [],
			);

	test("a token address that redirects gets the secret, the address behind it doesn't", async () => {
		const seen: Array<string | undefined> = [];
		const server = await startWebServer((request, response) => {
			seen.push(request.url);
			response.writeHead(307, { location: `${server.url}/elsewhere` }).end();
		});
		const credentials = credentialWith({ authUrl: server.url }, 'serviceAccount');
		const parameters = { resource: 'card', operation: 'getAll' };
		const { error } = await runAction({ credentials, parameters });
		await server.close();
		expect(error?.description).toContain("Enter the final address in 'Auth URL'");
		expect(seen).toEqual(['/realms/workspace/protocol/openid-connect/token']);
	});

	describe('every kind of failure', () => {
		const KEY = 'key-7f3a"\\%+~/known';
		const TOKEN = 'token-5b1c9e-known';
		const HOOK_SECRET = 'whsec-4d2a8f-known';
		const echoed = `${KEY} ${TOKEN} ${encodeURIComponent(KEY)}`;

		const servers: WebServer[] = [];
		async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
			const server = await startWebServer(answer);
			servers.push(server);
			return server.url;
		}
		afterEach(async () => {
			for (const server of servers.splice(0)) await server.close();
		});
		beforeEach(hurry);

		const place = (url: string) => ({ baseUrl: `${url}/api/v1`, workspaceId: 'w1' });
		const keyAt = (url: string) => ({ workspaceDataApi: { ...place(url), apiKey: KEY } });
		const accountAt = (url: string, authUrl = url) => ({
			workspaceDataServiceAccountApi: {
				...{ ...place(url), authUrl, realm: 'workspace' },
				...{ clientId: 'client-1', clientSecret: KEY },
			},
		});
		/** With an API key, nobody knows the token. */
		const ofKey = [KEY, encodeURIComponent(KEY), JSON.stringify(KEY).slice(1, -1), HOOK_SECRET];
		const ofAccount = [...ofKey, TOKEN];

		/** Runs the node, presses Test and publishes the trigger: a person reads no secret of it, nor in the log. */
		async function expectNothingBy(credentials: TestCredentials, secrets: string[]) {
			logged.length = 0;
			const parameters = createKey('c1', { options: { timeout: 2 } });
			const outputs: string[] = [];
			for (const onError of ['stopWorkflow', 'continueErrorOutput'] as const) {
				const result = await runAction({ credentials, parameters, node: { onError } });
				expect(result.error ?? result.errorItems[0]?.json.error).toBeDefined();
				// What is kept or shown of a run: its data, and what errors hold that JSON leaves out.
				outputs.push(JSON.stringify(result.run), inside(result.error));
			}
			const trigger = triggerNode(credentials, { events: ['record.created'], watch: 'allCards' });
			const failed = await trigger.activate().catch((error: unknown) => error);
			expect(failed).toBeInstanceOf(Error);
			await trigger.deactivate();
			outputs.push(inside(failed), JSON.stringify([failed, await pressTest(credentials)]));
			for (const secret of secrets) {
				expect([...outputs, ...logged].flatMap((text) => around(secret, text))).toEqual([]);
			}
			return outputs.join();
		}

		type Serve = (response: ServerResponse) => void;
		const respond =
			(status: number, type: string, body: string): Serve =>
			(response) => {
				const quoted = encodeURIComponent(echoed);
				const headers = { 'content-type': type, location: `/${quoted}`, 'x-echo': quoted };
				response.writeHead(status, headers).end(body);
			};
		const json = (status: number, body: unknown) =>
			respond(status, 'application/json', JSON.stringify(body));
		const problem = (status: number, more: object = {}) => {
			const body = JSON.stringify({ title: 'Refused', status, ...more });
			return respond(status, 'application/problem+json', body);
		};

		test.each<[string, Serve]>([
			['a bad key', problem(401, { detail: `No such key: ${echoed}` })],
			['an echo in title and detail', problem(400, { title: echoed, detail: `Bearer ${echoed}` })],
			['an echo in the type', problem(409, { type: `https://x.example/${echoed}` })],
			['an echo elsewhere', problem(422, { errors: [{ [echoed]: echoed }], instance: echoed })],
			['a page', respond(502, 'text/html', `<title>${echoed}</title>`)],
			['a page with success', respond(200, 'text/html', `<p>${echoed}</p>`)],
			['a redirect', respond(302, 'text/plain', echoed)],
			['data of another form', json(200, echoed)],
			['a subscription without an identifier', json(201, { secret: HOOK_SECRET, for: echoed })],
			['no response', () => {}],
			['a connection that is closed', (response) => void response.socket?.destroy()],
			[
				'a response that breaks off',
				(response) => {
					response.writeHead(200, { 'content-length': '1000' });
					response.write('{"fields":[', () => response.socket?.destroy());
				},
			],
			["what isn't HTTP", (response) => void response.socket?.end(`${echoed}\r\n\r\n`)],
		])('%s', async (_what, answer) => {
			let asked = 0;
			// A service and an auth server in one.
			const url = await serve((request, response) => {
				const isToken = request.url?.startsWith('/realms/');
				if (isToken) return json(200, { access_token: TOKEN, expires_in: 300 })(response);
				asked += 1;
				answer(response);
			});
			await expectNothingBy(keyAt(url), ofKey);
			await expectNothingBy(accountAt(url), ofAccount);
			expect(asked).toBeGreaterThan(2);
		});

		test('a token endpoint that quotes the tokens it takes back', async () => {
			const quotes = { error: 'invalid_grant', error_description: `Ended: ${echoed}` };
			const api = await serve((_request, response) => response.writeHead(401).end());
			let issued = 0;
			const auth = await serve((_request, response) => {
				issued += 1;
				if (issued > 1) json(400, quotes)(response);
				else json(200, { access_token: TOKEN, expires_in: 300 })(response);
			});
			const text = await expectNothingBy(accountAt(api, auth), ofAccount);
			expect(text).toContain('responded: Ended');
		});
	});
});

describe('service accounts', () => {
	// Tokens are kept for the whole process: each test needs a separate account.
	useCard('Accounts', { Key: 'text' }, {}, [beforeEach, afterEach]);

	const account = (changes: Record<string, string> = {}) =>
		credentialWith(changes, 'serviceAccount');
	const createRows = async (
		count: number,
		changes: Record<string, string> = {},
		onError: INode['onError'] = 'stopWorkflow',
	) =>
		await runAction({
			credentials: account(changes),
			parameters: createKey(card.id, { options: { maxParallel: 50 } }),
			items: Array.from({ length: count }, (_, n) => ({ key: `k${n}` })),
			node: { onError },
		});

	const list = { resource: 'card', operation: 'getAll', returnAll: true };
	const tokenRequests = () =>
		workspace.service.control.requests().filter(({ listener }) => listener === 'auth');
	const refused = () =>
		workspace.service.control
			.requests()
			.filter(({ listener, status }) => listener === 'api' && status === 401);

	test('50 cold parallel requests ask for one token', async () => {
		succeeded(await createRows(50));
		expect(tokenRequests()).toHaveLength(1);
		expect(refused()).toEqual([]);
	});

	test('across an expiry nothing is refused, and each lifetime costs one request', async () => {
		workspace.service.control.setTokenLifetime({ seconds: 60 });
		const now = Date.now.bind(Date);
		const begun = now();
		let ahead = 0;
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
		for (; ahead < 140_000; ahead += 5_000) succeeded(await createRows(3));
		// A token is renewed when 80 to 90 % of its lifetime are over.
		const lifetimes = Math.ceil((Date.now() - begun) / (0.8 * 60_000));
		clock.mockRestore();
		expect(refused()).toEqual([]);
		expect(tokenRequests().length).toBeLessThanOrEqual(lifetimes);
	});

	test('tokens revoked in mid-run: one renewal, and the run continues', async () => {
		await createRows(1);
		workspace.service.control.revokeTokens({ clientId: workspace.service.clientId });
		workspace.service.control.resetRequests();
		succeeded(await createRows(30));
		expect(tokenRequests()).toHaveLength(1);
	});

	test('a revoked account gives one clear message, without a storm', async () => {
		workspace.service.control.revokeAccount({ clientId: workspace.service.clientId });
		const { items } = await createRows(100, {}, 'continueRegularOutput');
		for (const { json } of items) expect(json.error).toBe("The service account wasn't accepted");
		expect(items[0]?.json.details).toEqual(
			expect.objectContaining({ description: expect.stringContaining("'Client Secret'") }),
		);
		expect(tokenRequests()).toHaveLength(1);
	});

	test('an API that always answers 401 is asked twice, then a message says so', async () => {
		workspace.fail('GET', '/cards$', { status: 401, times: 100 });
		const { error } = await runAction({ credentials: account(), parameters: list });
		expect(error?.httpCode).toBe('401');
		expect(error?.description).toContain('rejected a new access token');
		expect(refused()).toHaveLength(2);
	});

	// Fault X1.
	test('a hidden session token that was set from outside is no token', async () => {
		succeeded(await createRows(3, { sessionToken: 'x' }));
		expect([tokenRequests().length, refused().length]).toEqual([1, 0]);
		workspace.fail('GET', '/cards$', { status: 401, times: 100 });
		const credentials = account({ sessionToken: 'x' });
		const { error } = await runAction({ credentials, parameters: list });
		expect(error?.httpCode).toBe('401');
		expect(refused()).toHaveLength(2);
		workspace.service.control.reset();
		const get = httpRequestNode({ sessionToken: 'x' });
		expect(await get('cards')).toBe('read');
	});

	// Fault X4.
	test.each([
		[401, { error: 'invalid_client' }, "The service account wasn't accepted", "'Client Secret'"],
		[400, { error: 'invalid_scope' }, 'The realm refused the token request', "Check 'Realm'"],
		[
			400,
			{ error: 'invalid_request', error_description: 'Missing parameter: audience' },
			'The realm refused the token request',
			'Missing parameter: audience',
		],
		[404, {}, /has no token endpoint for this realm$/, "'Auth URL' and 'Realm'"],
		[503, {}, /isn't available right now \(status 503\)$/, 'Try again later'],
	])('an auth server that says %d %j', async (status, body, heading, advice) => {
		hurry();
		const fault = { listener: 'auth', status, body: 'json', json: body, times: 9 } as const;
		workspace.service.control.fail(fault);
		const { error } = await runAction({ credentials: account(), parameters: list });
		expect(error?.message).toMatch(heading);
		expect(error?.description).toContain(advice);
	});

	/** Requests as n8n's HTTP Request node sends them, a number of seconds later. */
	function httpRequestNode(changes: Record<string, string> = {}) {
		const context = executeContext(account(changes));
		const { workspaceId, baseUrl } = workspace.service;
		return async (path: string, laterS = 0) => {
			const now = Date.now.bind(Date);
			const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + laterS * 1_000);
			const uri = `${baseUrl}/workspaces/${workspaceId}/${path}`;
			const options = { method: 'GET', uri, json: true } as const;
			return await context.helpers.requestWithAuthentication
				.call(context, 'workspaceDataServiceAccountApi', options)
				.then(
					() => 'read',
					({ httpCode }: { httpCode: string }) => httpCode,
				)
				.finally(() => later.mockRestore());
		};
	}

	test("n8n's HTTP Request node gets another token after a refusal", async () => {
		const get = httpRequestNode();
		expect(await get('cards')).toBe('read');
		workspace.service.control.revokeTokens({ clientId: workspace.service.clientId });
		expect(await get('cards')).toBe('401');
		// Fault X2: the next try works.
		expect(await get('cards')).toBe('read');
		expect(tokenRequests()).toHaveLength(2);
		// Other failures cost no token for half a minute.
		for (let n = 0; n < 3; n += 1) expect(await get('cards/none')).toBe('404');
		expect(tokenRequests()).toHaveLength(2);
	});

	test("n8n's HTTP Request node keeps a token that works while no other can be had", async () => {
		const get = httpRequestNode();
		expect(await get('cards')).toBe('read');
		workspace.service.control.fail({ listener: 'auth', status: 503, times: 100 });
		expect([await get('cards/none', 31), await get('cards', 31)]).toEqual(['404', 'read']);
	});

	test('a token that expired in the meantime is taken out of messages, too', async () => {
		const card = { type: 'about:blank', title: 'No access' };
		const echo = await startWebServer((request, response) => {
			const detail = `${request.headers.authorization?.replace('Bearer ', 'token ')} has no role`;
			// While the answer is on its way, the token expires.
			later.mockImplementation(() => now() + 301_000);
			response.writeHead(403, { 'content-type': 'application/json' });
			response.end(JSON.stringify({ ...card, detail }));
		});
		const now = Date.now.bind(Date);
		const later = jest.spyOn(Date, 'now');
		const credentials = account({ baseUrl: `${echo.url}/api/v1` });
		const { error } = await runAction({ credentials, parameters: list });
		later.mockRestore();
		await echo.close();
		expect(error?.description).toContain('token *** has no role');
	});

	test("blanks and line ends around ID and secret aren't sent", async () => {
		const { clientId, clientSecret } = workspace.service;
		const pasted = { clientId: ` ${clientId}\n`, clientSecret: `${clientSecret}\r\n` };
		succeeded(await createRows(1, pasted));
	});

	test('two credentials of one client never share a token', async () => {
		await createRows(1);
		const { error } = await createRows(1, { clientSecret: 'another-secret-of-this-client' });
		expect(error?.message).toBe("The service account wasn't accepted");
	});
});

describe('credential types', () => {
	test.each([
		[new WorkspaceDataApi(), ['authenticate']],
		[new WorkspaceDataServiceAccountApi(), ['authenticate', 'preAuthentication']],
	])('%#: a copy of the type keeps its hooks, so HTTP Request lists it', (type, hooks) => {
		const copy: ICredentialType = { ...type };
		const kept = Object.entries(copy).filter(([, value]) => typeof value === 'function');
		expect(kept.map(([name]) => name).sort()).toEqual(hooks);
		expect(Object.getOwnPropertyNames(Object.getPrototypeOf(type))).toEqual(['constructor']);
	});
});

describe('an address other than Base URL', () => {
	useWorkspace();

	// Fault X5.
	test.each(['apiKey', 'serviceAccount'] as const)(
		'gets nothing of %s by HTTP Request',
		async (kind) => {
			let seen = 0;
			const other = await startWebServer((_request, response) => {
				seen += 1;
				response.end();
			});
			const context = executeContext(workspace[kind]);
			const [type = ''] = Object.keys(workspace[kind]);
			const sending = context.helpers.httpRequestWithAuthentication.call(context, type, {
				url: `${other.url}/api/v1`,
			});
			const service = new URL(workspace.service.baseUrl).origin;
			await expect(sending).rejects.toThrow(
				`This credential is only for ${service}, not for ${other.url}`,
			);
			await other.close();
			expect(seen).toBe(0);
		},
	);

	test('a pasted Bearer and spaces are dropped', async () => {
		const credentials = credentialWith({ apiKey: ` Bearer  ${workspace.service.apiKey}\n` });
		const parameters = { resource: 'card', operation: 'getAll' };
		succeeded(await runAction({ credentials, parameters }));
	});

	test.each(['two words', 'kéy-of-nobody', 'Bearer '])(
		'the key %j is refused before a request',
		async (apiKey) => {
			const credentials = credentialWith({ apiKey });
			const parameters = { resource: 'card', operation: 'getAll' };
			const { error } = await runAction({ credentials, parameters });
			expect(error?.message).toMatch(/'API Key' (?:has a space or a special character|is empty)/);
			expect(workspace.requests()).toEqual([]);
		},
	);
});

describe('bad input', () => {
	useWorkspace();

	const list = { resource: 'card', operation: 'getAll', returnAll: true };

	const ownEntry = '__CUSTOM_API_CALL__';
	test.each<[string, IDataObject, string, TestCredentials?]>([
		['a bad credential', {}, "'Base URL' is empty", { workspaceDataApi: {} }],
		['an unknown operation', { operation: 'bogus' }, "'Operation' can't be"],
		['an unknown resource', { resource: 'bogus' }, "'Resource' can't be"],
		["n8n's own entry as operation", { operation: ownEntry }, "'Operation' can't be"],
		["n8n's own entry as resource", { resource: ownEntry }, "'Resource' can't be"],
		['a bad kind', { authentication: 'bogus' }, "'Authentication' can't be"],
	])('%s: no item passes for done', async (_, more, text, credentials = workspace.apiKey) => {
		const outcome = async (onError: INode['onError']) =>
			await runAction({
				credentials,
				parameters: { ...list, ...more },
				items: [{ key: 'a' }, { key: 'b' }],
				node: { onError },
			});
		const said = expect.stringContaining(text) as string;

		const { error } = await outcome('stopWorkflow');
		expect(error?.message).toEqual(said);
		expect(error?.context?.itemIndex).toBe(0);

		const { items } = await outcome('continueRegularOutput');
		expect(items.map(({ json }) => json.error)).toEqual([said, said]);
		expect(placesOf(items)).toEqual([0, 1]);

		const failing = await outcome('continueErrorOutput');
		expect(failing.items).toEqual([]);
		expect(failing.errorItems).toMatchObject(
			['a', 'b'].map((key) => ({ json: { key, error: said } })),
		);
		expect(workspace.requests()).toEqual([]);
	});
});
