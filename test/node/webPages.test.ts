/** Somebody else answers in place of the service, or n8n lets nothing out: no key and no account is blamed. */
import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import { CredentialTestContext } from 'n8n-core';
import type { ServerResponse } from 'node:http';
import { testWorkspaceAccess } from '../../nodes/WorkspaceData/editor/credentialTest';
import { n8nMajor, runAction } from '../support/n8n';
import { byId, mapEach } from '../support/parameters';
import { startWebServer, type WebServer } from '../support/webServer';

const PAGE = '<!doctype html><html><head><title>Sign in to Corp Proxy</title></head></html>';
const STATUSES = [401, 403, 407, 451];
const BLAMES = /API key|'API Key'|role|account|Client|Secret|revoked|Workspace ID|does not allow/i;

let server: WebServer;
let respond: (path: string, response: ServerResponse) => void;
let tests = 0;

beforeAll(async () => {
	server = await startWebServer(({ url = '' }, response) => respond(url, response));
});
beforeEach(() => (tests += 1));
afterAll(async () => await server.close());

const page = (status: number) => (response: ServerResponse) =>
	void response.writeHead(status, { 'content-type': 'text/html' }).end(PAGE);

// Tokens and the pace are kept for the process: each test has a separate account and key.
const address = () => ({ baseUrl: `${server.url}/api/v1`, workspaceId: 'w1' });
const apiKey = () => ({ ...address(), apiKey: `key-${tests}` });
const account = () => ({
	...address(),
	authUrl: server.url,
	realm: 'r',
	clientId: `client-${tests}`,
	clientSecret: 'secret-of-the-account',
});

async function inNode(authentication: 'apiKey' | 'serviceAccount', parameters: object) {
	const { error } = await runAction({
		credentials:
			authentication === 'apiKey'
				? { workspaceDataApi: apiKey() }
				: { workspaceDataServiceAccountApi: account() },
		parameters: { authentication, ...parameters },
		items: [{ Key: 'a' }],
	});
	return `${error?.message} ${error?.description}`;
}
const list = { resource: 'card', operation: 'getAll', returnAll: true };
const create = {
	resource: 'record',
	operation: 'create',
	cardId: byId('c1'),
	columns: mapEach({ Key: 'b' }),
};

async function atTest(type: string, data: ReturnType<typeof apiKey | typeof account>) {
	const context = new CredentialTestContext({} as never);
	const tested = { id: '1', name: 'Test', type, data };
	const { status, message } = await testWorkspaceAccess.call(context, tested);
	return { status, message };
}

describe.each(STATUSES)('P11: a proxy’s web page with status %d', (status) => {
	test.each([
		['a read', list],
		['a change', create],
	])('%s: a web page answered, not the service', async (_, parameters) => {
		respond = (_path, response) => page(status)(response);
		const words = await inNode('apiKey', parameters);
		expect(words).toContain('A web page answered, not the service');
		expect(words).toContain("'Base URL'");
		expect(words).toContain('Sign in to Corp Proxy');
		expect(words).not.toMatch(BLAMES);
	});

	test('the credential test says the same', async () => {
		respond = (_path, response) => page(status)(response);
		const { status: outcome, message } = await atTest('workspaceDataApi', apiKey());
		expect(outcome).toBe('Error');
		expect(message).toContain('A web page answered, not the service');
		expect(message).not.toMatch(BLAMES);
	});

	test('in place of a token: no account is blamed, by the node and by the credential test', async () => {
		respond = (_path, response) => page(status)(response);
		const words = await inNode('serviceAccount', list);
		const { message } = await atTest('workspaceDataServiceAccountApi', account());
		for (const told of [words, message]) {
			expect(told).toContain('A web page answered, not the auth server');
			expect(told).toContain("'Auth URL'");
			expect(told).not.toMatch(BLAMES);
		}
	});
});

test('P11: a sign-in page with status 200 in place of a token', async () => {
	respond = (_path, response) => page(200)(response);
	const words = await inNode('serviceAccount', list);
	const { message } = await atTest('workspaceDataServiceAccountApi', account());
	for (const told of [words, message]) {
		expect(told).toContain('A web page answered, not the auth server');
		expect(told).not.toMatch(BLAMES);
	}
});

if (n8nMajor === 2) {
	test('P11: an address that n8n’s SSRF protection blocks: n8n’s own advice is kept', async () => {
		respond = (_path, response) => page(200)(response);
		const settings = Container.get(SsrfProtectionConfig);
		settings.enabled = true;
		const [words, { message }] = await Promise.all([
			inNode('apiKey', list),
			atTest('workspaceDataApi', apiKey()),
		]).finally(() => (settings.enabled = false));
		for (const told of [words, message]) {
			expect(told).toMatch(/blocked because/);
			expect(told).toContain('ask your n8n administrator');
			expect(told).not.toMatch(BLAMES);
		}
	});
}

test('the service’s own 401 and 403 still say what to check', async () => {
	for (const [status, words] of [
		[401, "Check 'API Key'"],
		[403, 'does not allow it'],
	] as const) {
		respond = (_path, response) => void response.writeHead(status).end('{"title":"No"}');
		expect(await inNode('apiKey', list)).toContain(words);
	}
});
