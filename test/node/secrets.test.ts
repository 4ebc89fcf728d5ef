/** No secret and no token is seen anywhere (B35 and B37). */
import { hurry } from '../support/quickTime';
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject } from 'n8n-workflow';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { accessTokens } from '../../nodes/WorkspaceData/transport/processState';
import { prepareN8n, runAction, type ActionResult, type TestCredentials } from '../support/n8n';
import { byId, mapEach } from '../support/parameters';
import { triggerNode } from '../support/trigger';
import { startWebServer } from '../support/webServer';
import { startWorkspace, type TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let card: { id: string };
/** Everything that was logged, at any level, as text. */
const logged: string[] = [];

beforeAll(async () => {
	prepareN8n();
	const logger = Container.get(Logger);
	for (const level of ['error', 'warn', 'info', 'debug'] as const) {
		jest.spyOn(logger, level).mockImplementation((...entry: unknown[]) => {
			logged.push(
				entry.map((part) => (part instanceof Error ? part.stack : JSON.stringify(part))).join(' '),
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
	workspace = await startWorkspace();
	card = await workspace.card('Secrets', [{ name: 'Key', type: 'text' }]);
});
afterAll(async () => {
	jest.restoreAllMocks();
	await workspace.close();
});
afterEach(() => workspace.service.control.reset());

/** All that an object holds, what JSON leaves out and what cannot be listed included. */
const inside = (value: unknown): string =>
	inspect(value, {
		depth: Infinity,
		showHidden: true,
		maxArrayLength: null,
		maxStringLength: null,
	});

/** All that is kept or shown of a run: its data, and what errors hold that JSON leaves out. */
const everything = ({ run, error }: ActionResult): string =>
	[JSON.stringify(run), inside(error)].join('\n');

/** The words before each place where a text has a secret. */
const around = (secret: string, text: string): string[] =>
	text
		.split(secret)
		.slice(0, -1)
		.map((before) => `${before.slice(-80)}<secret>`);

test.each(['apiKey', 'serviceAccount'] as const)(
	'%s: not in execution data, messages or logs, however the run ends (B37)',
	async (kind) => {
		const { control, apiKey, clientSecret } = workspace.service;
		const credentials = workspace[kind];
		const run = async (parameters: IDataObject, node: IDataObject = {}) =>
			await runAction({
				credentials,
				items: [{ key: 'a' }, { key: 'b' }],
				parameters: {
					resource: 'record',
					operation: 'create',
					cardId: byId(card.id),
					columns: mapEach({ Key: '={{ $json.key }}' }),
					...parameters,
				},
				node,
			});
		const texts = [everything(await run({}))];
		const [account] = Object.values(workspace.serviceAccount);
		const token = account && kind === 'serviceAccount' ? accessTokens.current(account) : undefined;
		if (kind === 'serviceAccount') expect(token).toEqual(expect.any(String));
		const secrets = [kind === 'apiKey' ? apiKey : clientSecret, token].filter(
			(secret) => secret !== undefined,
		);

		const echo = { title: `Not for ${secrets.join(' ')}`, detail: `Bearer ${secrets.at(-1)}` };
		for (const fault of [
			{ status: 400, json: echo },
			{ status: 500, json: echo },
			{ status: 403, body: 'plain' as const },
			{ status: 502, body: 'html' as const },
			{ status: 307, body: 'empty' as const, headers: { location: 'http://127.0.0.1:9/' } },
			{ mode: 'dropAfter' as const },
			{ mode: 'hang' as const },
		]) {
			for (const onError of ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput']) {
				control.fail({ method: 'POST', path: '/records$', times: 2, ...fault });
				texts.push(everything(await run({ options: { timeout: 0.2 } }, { onError })));
				control.clearFailures();
			}
		}
		texts.push(everything(await run({ columns: mapEach({ Nope: 'x' }) })));
		expect(texts.length).toBeGreaterThan(20);
		for (const secret of secrets) {
			expect([...texts, ...logged].flatMap((text) => around(secret, text))).toEqual([]);
		}
	},
);

test('a token address that redirects gets the secret, the address behind it does not (B35)', async () => {
	const seen: Array<string | undefined> = [];
	const server = createServer((request, response) => {
		seen.push(request.url);
		const { port } = server.address() as AddressInfo;
		response.writeHead(307, { location: `http://localhost:${port}/elsewhere` }).end();
	});
	await new Promise<void>((resolve) => server.listen(0, resolve));
	const { port } = server.address() as AddressInfo;
	const { error } = await runAction({
		credentials: {
			workspaceDataServiceAccountApi: {
				...workspace.serviceAccount.workspaceDataServiceAccountApi,
				authUrl: `http://127.0.0.1:${port}`,
			},
		},
		parameters: { resource: 'card', operation: 'getAll' },
	});
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
	expect(error?.description).toContain("'Auth URL' and 'Realm'");
	expect(seen).toEqual(['/realms/workspace/protocol/openid-connect/token']);
});

describe.each(['apiKey', 'serviceAccount'] as const)('%s: every kind of failure (D21)', (kind) => {
	const KEY = 'key-7f3a"\\%+ü/known';
	const TOKEN = 'token-5b1c9e-known';
	/** The secrets that the node knows and a text may quote: with an API key, there is no token. */
	const known = kind === 'apiKey' ? [KEY] : [KEY, TOKEN];
	const HOOK_SECRET = 'whsec-4d2a8f-known';

	/** A service and an auth server in one: answers everything with what the test says. */
	async function startServers(
		answer: (request: IncomingMessage, response: ServerResponse) => void,
	) {
		return await startWebServer((request, response) => {
			if (!request.url?.startsWith('/realms/')) return answer(request, response);
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({ access_token: TOKEN, expires_in: 300 }));
		});
	}

	const credentialsAt = (url: string, authUrl = url): TestCredentials => {
		const base = { baseUrl: `${url}/api/v1`, workspaceId: 'w1' };
		return kind === 'apiKey'
			? { workspaceDataApi: { ...base, apiKey: KEY } }
			: {
					workspaceDataServiceAccountApi: {
						...base,
						authUrl,
						realm: 'workspace',
						clientId: 'client-1',
						clientSecret: KEY,
					},
				};
	};
	const secrets = [...known, encodeURIComponent(KEY), JSON.stringify(KEY).slice(1, -1)];
	beforeEach(() => {
		logged.length = 0;
		hurry();
	});

	/** Runs the node and publishes the trigger. @returns what both leave behind, except the log */
	async function leftBy(credentials: TestCredentials): Promise<string[]> {
		const texts: string[] = [];
		const parameters = {
			resource: 'record',
			operation: 'create',
			cardId: byId('c1'),
			columns: mapEach({ Key: 'x' }),
			options: { timeout: 2 },
		};
		for (const onError of ['stopWorkflow', 'continueErrorOutput'] as const) {
			const result = await runAction({ credentials, parameters, node: { onError } });
			expect(result.error ?? result.errorItems[0]?.json.error).toBeDefined();
			texts.push(everything(result));
		}
		const trigger = triggerNode(credentials, { events: ['record.created'], watch: 'allCards' });
		const failed: unknown = await trigger.activate().then(
			() => undefined,
			(error: unknown) => error,
		);
		expect(failed).toBeInstanceOf(Error);
		texts.push(inside(failed), JSON.stringify(failed));
		await trigger.deactivate();
		return texts;
	}

	const echoed = `${known.join(' ')} ${encodeURIComponent(KEY)}`;
	const problem = (status: number, more: object = {}) => ({
		status,
		type: 'application/problem+json',
		body: JSON.stringify({ title: 'Refused', status, ...more }),
	});
	const failures: Array<[string, { status: number; type: string; body: string }]> = [
		['a bad key', problem(401, { detail: `No such key: ${echoed}` })],
		['no access', problem(403, { title: echoed })],
		['an echo in title and detail', problem(400, { title: echoed, detail: `Bearer ${echoed}` })],
		['an echo in the type', problem(409, { type: `https://x.example/${echoed}` })],
		[
			'an echo in other members',
			problem(422, { errors: [{ [echoed]: echoed }], instance: echoed }),
		],
		['an error of the service', problem(500, { detail: echoed })],
		['a page', { status: 502, type: 'text/html', body: `<title>${echoed}</title>` }],
		['a page with success', { status: 200, type: 'text/html', body: `<p>${echoed}</p>` }],
		['a redirect', { status: 302, type: 'text/plain', body: echoed }],
		['a missing address', { status: 404, type: 'text/plain', body: echoed }],
		[
			'data of another form',
			{ status: 200, type: 'application/json', body: JSON.stringify(echoed) },
		],
	];

	const expectNothingOf = (texts: string[]) => {
		for (const secret of [...secrets, HOOK_SECRET]) {
			expect([...texts, ...logged].flatMap((text) => around(secret, text))).toEqual([]);
		}
	};

	test.each(failures)('%s', async (_what, { status, type, body }) => {
		let asked = 0;
		const server = await startServers((_request, response) => {
			asked += 1;
			const quoted = encodeURIComponent(echoed);
			response.writeHead(status, {
				'content-type': type,
				location: `/${quoted}`,
				'x-echo': quoted,
			});
			response.end(body);
		});
		const texts = await leftBy(credentialsAt(server.url));
		await server.close();
		expect(asked).toBeGreaterThan(1);
		expectNothingOf(texts);
	});

	test.each<[string, (response: ServerResponse) => void]>([
		['a connection that is closed', (response) => void response.socket?.destroy()],
		[
			'an answer that breaks off',
			(response) => {
				response.writeHead(200, { 'content-length': '1000' });
				response.write('{"fields":[', () => response.socket?.destroy());
			},
		],
		['an answer that is not HTTP', (response) => void response.socket?.end(`${echoed}\r\n\r\n`)],
	])('%s', async (_what, fail) => {
		const server = await startServers((_request, response) => fail(response));
		const texts = await leftBy(credentialsAt(server.url));
		await server.close();
		expectNothingOf(texts);
	});

	test('a subscription whose answer holds a secret and no identifier', async () => {
		const server = await startServers((_request, response) => {
			response.writeHead(201, { 'content-type': 'application/json' });
			response.end(JSON.stringify({ secret: HOOK_SECRET, for: echoed }));
		});
		const texts = await leftBy(credentialsAt(server.url));
		await server.close();
		expectNothingOf(texts);
	});

	test('a token endpoint that quotes the tokens it takes back', async () => {
		const quotes = JSON.stringify({
			error: 'invalid_grant',
			error_description: `Ended: ${echoed}`,
		});
		const api = await startWebServer((_request, response) => response.writeHead(401).end());
		let issued = 0;
		const auth = await startWebServer((_request, response) => {
			issued += 1;
			const body = JSON.stringify({ access_token: TOKEN, expires_in: 300 });
			response.writeHead(issued === 1 ? 200 : 400).end(issued === 1 ? body : quotes);
		});
		const texts = await leftBy(credentialsAt(api.url, auth.url));
		await Promise.all([api.close(), auth.close()]);
		expect(texts.join().includes('says: Ended') || kind === 'apiKey').toBe(true);
		expectNothingOf(texts);
	});

	/** An account that was never given a token: only its secret can be quoted. */
	const quoted = `${KEY} ${encodeURIComponent(KEY)}`;
	test.each([
		[400, JSON.stringify({ error: 'invalid_client', error_description: quoted })],
		[401, JSON.stringify({ error: quoted })],
		[500, quoted],
		[200, `<p>${quoted}</p>`],
	])('a token endpoint that answers %i', async (status, body) => {
		const api = await startWebServer((_request, response) => response.writeHead(401).end(quoted));
		const auth = await startWebServer((_request, response) => response.writeHead(status).end(body));
		const texts = await leftBy(credentialsAt(api.url, auth.url));
		await Promise.all([api.close(), auth.close()]);
		expectNothingOf(texts);
	});
});
