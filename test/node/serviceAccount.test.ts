/** Service accounts: tokens in n8n's credential flow, and no secret anywhere. */
import type { IDataObject } from 'n8n-workflow';
import { executeContext, runAction } from '../support/n8n';
import { byId, createKey } from '../support/parameters';
import { startWebServer } from '../support/webServer';
import { startWorkspace, type TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let card: { id: string };

// Tokens are kept for the whole process: each test needs a separate account.
beforeEach(async () => {
	workspace = await startWorkspace();
	card = await workspace.card('Accounts', [{ name: 'Key', type: 'text' }]);
	workspace.service.control.resetRequests();
});
afterEach(async () => await workspace.close());

const create = () => createKey(card.id, { options: { maxParallel: 50 } });

const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ key: `k${n}` }));

const tokenRequests = () =>
	workspace.service.control.requests().filter(({ listener }) => listener === 'auth');
const refused = () =>
	workspace.service.control
		.requests()
		.filter(({ listener, status }) => listener === 'api' && status === 401);

const account = (changes: IDataObject = {}) => ({
	workspaceDataServiceAccountApi: {
		...workspace.serviceAccount.workspaceDataServiceAccountApi,
		...(changes as Record<string, string>),
	},
});

test('50 cold parallel requests ask for one token (B12)', async () => {
	const { error } = await runAction({
		credentials: account(),
		parameters: create(),
		items: rows(50),
	});
	expect(error).toBeUndefined();
	expect(tokenRequests()).toHaveLength(1);
	expect(refused()).toEqual([]);
});

test('several executions share the token', async () => {
	for (let n = 0; n < 3; n += 1) {
		await runAction({ credentials: account(), parameters: create(), items: rows(2) });
	}
	expect(tokenRequests()).toHaveLength(1);
});

test('across an expiry nothing is refused, and each lifetime costs one request (B13)', async () => {
	workspace.service.control.setTokenLifetime({ seconds: 60 });
	const now = Date.now.bind(Date);
	const begun = now();
	let ahead = 0;
	const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
	for (; ahead < 140_000; ahead += 4_000) {
		const { error } = await runAction({
			credentials: account(),
			parameters: create(),
			items: rows(10),
		});
		expect(error).toBeUndefined();
	}
	// A token is renewed when 80 to 90 % of its lifetime are over.
	const lifetimes = Math.ceil((Date.now() - begun) / (0.8 * 60_000));
	clock.mockRestore();
	expect(refused()).toEqual([]);
	expect(tokenRequests().length).toBeLessThanOrEqual(lifetimes);
});

test('tokens revoked in mid-run: one renewal, and the run continues (B16)', async () => {
	await runAction({ credentials: account(), parameters: create(), items: rows(1) });
	workspace.service.control.revokeTokens({ clientId: workspace.service.clientId });
	workspace.service.control.resetRequests();
	const { error } = await runAction({
		credentials: account(),
		parameters: create(),
		items: rows(30),
	});
	expect(error).toBeUndefined();
	expect(tokenRequests()).toHaveLength(1);
});

test('a revoked account gives one clear message, without a storm (B16)', async () => {
	workspace.service.control.revokeAccount({ clientId: workspace.service.clientId });
	const { items } = await runAction({
		credentials: account(),
		parameters: create(),
		items: rows(100),
		node: { onError: 'continueRegularOutput' },
	});
	for (const { json } of items) expect(json.error).toBe('The service account was not accepted');
	expect(items[0]?.json.details).toEqual(
		expect.objectContaining({ description: expect.stringContaining("'Client Secret'") }),
	);
	expect(tokenRequests()).toHaveLength(1);
});

test('an API that always answers 401 is asked twice, then a message says so (B17)', async () => {
	workspace.service.control.fail({ path: '/cards$', status: 401, times: 100 });
	const { error } = await runAction({
		credentials: account(),
		parameters: { resource: 'card', operation: 'getAll', returnAll: true },
	});
	expect(error?.httpCode).toBe('401');
	expect(error?.description).toContain('rejected a new access token');
	expect(refused()).toHaveLength(2);
});

test('an API that answers every item with 401 causes no storm of token requests (B17)', async () => {
	workspace.service.control.fail({ method: 'POST', path: '/records$', status: 401, times: 1_000 });
	const { items } = await runAction({
		credentials: account(),
		parameters: { ...create(), options: { maxParallel: 5 } },
		items: rows(100),
		node: { onError: 'continueRegularOutput' },
	});
	expect(items.filter(({ json }) => json.error !== undefined)).toHaveLength(100);
	expect(tokenRequests().length).toBeLessThanOrEqual(3);
});

test('refusals that come in one after the other renew the token once, also after it expired (B17)', async () => {
	const slowly = await startWebServer((request, response) => {
		request.resume();
		const status = request.method === 'DELETE' && refusing ? 401 : 204;
		setTimeout(() => response.writeHead(status).end(), refusing ? 20 * (refusals += 1) : 0);
	});
	let refusing = false;
	let refusals = 0;
	const remove = async (items: IDataObject[]) =>
		await runAction({
			credentials: account({ baseUrl: `${slowly.url}/api/v1` }),
			parameters: {
				resource: 'record',
				operation: 'delete',
				cardId: byId('c1'),
				recordId: byId('={{ $json.key }}'),
				options: { maxParallel: 50 },
			},
			items,
			node: { onError: 'continueRegularOutput' },
		});
	await remove(rows(1));
	const now = Date.now.bind(Date);
	const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + 301_000);
	refusing = true;
	const { items } = await remove(rows(20));
	later.mockRestore();
	await slowly.close();
	expect(items.filter(({ json }) => json.error !== undefined)).toHaveLength(20);
	expect(tokenRequests()).toHaveLength(1 + 2);
});

test("n8n's HTTP Request node gets another token after a refusal", async () => {
	const context = executeContext(account());
	const list = async () =>
		await context.helpers.requestWithAuthentication
			.call(context, 'workspaceDataServiceAccountApi', {
				method: 'GET',
				uri: `${workspace.service.baseUrl}/workspaces/${workspace.service.workspaceId}/cards`,
				json: true,
			})
			.then(
				() => 'listed',
				({ httpCode }: { httpCode: string }) => httpCode,
			);
	expect(await list()).toBe('listed');
	workspace.service.control.revokeTokens({ clientId: workspace.service.clientId });
	// Fresh tokens are above suspicion: requests fail for other reasons, too.
	expect(await list()).toBe('401');
	expect(tokenRequests()).toHaveLength(1);
	const now = Date.now.bind(Date);
	const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + 31_000);
	expect([await list(), await list()]).toEqual(['401', 'listed']);
	later.mockRestore();
	expect(tokenRequests()).toHaveLength(2);
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
	const { error } = await runAction({
		credentials: account({ baseUrl: `${echo.url}/api/v1` }),
		parameters: { resource: 'card', operation: 'getAll', returnAll: true },
	});
	later.mockRestore();
	await echo.close();
	expect(error?.description).toContain('token *** has no role');
});

test('an outage of the token endpoint does not touch a token that is valid (B14)', async () => {
	await runAction({ credentials: account(), parameters: create(), items: rows(1) });
	workspace.service.control.failTokens({ mode: 'unavailable' });
	const { error } = await runAction({
		credentials: account(),
		parameters: create(),
		items: rows(5),
	});
	expect(error).toBeUndefined();
});

test.each([
	[{ clientSecret: 'not-the-secret' }, 'The service account was not accepted', "'Client Secret'"],
	[{ realm: 'elsewhere' }, 'has no token endpoint for this realm', "'Realm'"],
	[{ authUrl: 'http://127.0.0.1:9' }, 'could not be reached', "'Auth URL'"],
	[{ authUrl: 'nowhere' }, "'Auth URL' is not a valid address", 'Enter an address'],
])('%j is named', async (changes, message, advice) => {
	const { error } = await runAction({
		credentials: account(changes),
		parameters: { resource: 'card', operation: 'getAll', returnAll: true },
	});
	expect(error?.message).toContain(message);
	expect(error?.description).toContain(advice);
	expect(refused()).toEqual([]);
});

test('two credentials of one client never share a token (B19)', async () => {
	await runAction({ credentials: account(), parameters: create(), items: rows(1) });
	const { error } = await runAction({
		credentials: account({ clientSecret: 'another-secret-of-this-client' }),
		parameters: create(),
		items: rows(1),
	});
	expect(error?.message).toBe('The service account was not accepted');
});

test('no key, secret or token is in execution data or messages (B37)', async () => {
	const { service } = workspace;
	const secrets = [service.apiKey, service.clientSecret];
	const runs = [
		await runAction({ credentials: account(), parameters: create(), items: rows(2) }),
		await runAction({ credentials: workspace.apiKey, parameters: create(), items: rows(2) }),
	];
	service.control.fail({
		path: '/cards$',
		status: 400,
		json: { title: `Bad key ${service.apiKey}`, detail: `Bearer ${service.apiKey} is not good` },
	});
	const list = { resource: 'card', operation: 'getAll', returnAll: true };
	const failing = await runAction({ credentials: workspace.apiKey, parameters: list });
	expect(failing.error).toBeDefined();
	service.control.revokeAccount({ clientId: service.clientId });
	runs.push(failing, await runAction({ credentials: account(), parameters: list }));
	for (const { run, error } of runs) {
		const everything = `${JSON.stringify(run)} ${error?.message} ${error?.description} ${error?.stack} ${JSON.stringify(error)}`;
		for (const secret of secrets) expect(everything).not.toContain(secret);
		expect(everything).not.toMatch(/Bearer (?!\*)/);
	}
});
