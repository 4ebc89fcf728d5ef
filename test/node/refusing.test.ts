/** Services that serve a few requests at once and answer 503 to more, without telling a rate limit. */
import { hurry } from '../support/quickTime';
import type { IDataObject } from 'n8n-workflow';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { runAction } from '../support/n8n';
import { byId, mapAutomatically } from '../support/parameters';
import { startWebServer, type WebServer } from '../support/webServer';

let server: WebServer;
/** Requests that are served at once, and how long each takes, in ms. */
let capacity = Infinity;
const WORK_MS = 4;
/** The answer to the next requests that change something, in place of the usual one; the work is done all the same. */
let instead: Array<{ status: number; headers: Record<string, string>; body: string }> = [];
let serving = 0;
let most = 0;
let sent: string[] = [];
let stored: string[] = [];

function respond(request: IncomingMessage, response: ServerResponse): void {
	const { method = '', url = '' } = request;
	const path = url.split('?')[0]?.replace('/api/v1/workspaces/w1', '') ?? '';
	sent.push(`${method} ${path}`);
	const end = (status: number, body: unknown, headers: Record<string, string> = {}) => {
		response.writeHead(status, { 'content-type': 'application/json', ...headers });
		response.end(typeof body === 'string' ? body : JSON.stringify(body));
	};
	if (serving >= capacity) {
		end(503, { type: 'https://x.example/busy', title: 'Too many requests at once', status: 503 });
		return;
	}
	serving += 1;
	most = Math.max(most, serving);
	request.resume();
	setTimeout(() => {
		serving -= 1;
		const other = method === 'GET' ? undefined : instead.shift();
		if (method === 'POST' && other?.status !== 429) stored.push(path);
		if (other) end(other.status, other.body, other.headers);
		else if (path.endsWith('/fields')) end(200, [{ id: 'f1', name: 'Key', type: 'text' }]);
		else if (path.endsWith('/cards')) end(200, [{ id: 'c1', name: 'Card' }]);
		else if (method === 'GET') end(200, { id: 'c1', name: 'Card' });
		else end(method === 'POST' ? 201 : 200, { id: `r${stored.length}`, data: {} });
	}, WORK_MS);
}

let keys = 0;
beforeAll(async () => {
	server = await startWebServer(respond);
});
beforeEach(() => {
	// A new key: what is known of one is kept.
	keys += 1;
	capacity = Infinity;
	instead = [];
	most = 0;
	sent = [];
	stored = [];
});
afterAll(async () => await server.close());

const run = async (
	operation: string,
	count: number,
	parameters: IDataObject = {},
	more: Partial<Parameters<typeof runAction>[0]> = {},
) =>
	await runAction({
		credentials: {
			workspaceDataApi: {
				baseUrl: `${server.url}/api/v1`,
				workspaceId: 'w1',
				apiKey: `key-of-refusing-${keys}`,
			},
		},
		parameters: {
			resource: 'record',
			operation,
			cardId: byId('c1'),
			columns: mapAutomatically(),
			...parameters,
		},
		items: Array.from({ length: count }, (_, n) => ({ Key: `Key ${n}` })),
		...more,
	});

test.each([10, 20])(
	'1,000 creates, a service that serves %d at once: no item fails, each is created once (H12)',
	async (served) => {
		capacity = served;
		const { error, json } = await run('create', 1_000);
		expect(error).toBeUndefined();
		expect(json).toHaveLength(1_000);
		expect(stored).toHaveLength(1_000);
		expect(most).toBeLessThanOrEqual(8);
	},
);

test('updates look for the capacity, and creates then stay within it (H12)', async () => {
	capacity = 10;
	const update = await run('update', 400, { recordId: byId('={{ $json.Key }}') });
	expect(update.error).toBeUndefined();
	expect(sent.filter((request) => request.startsWith('PATCH')).length).toBeGreaterThan(400);
	const { error, json } = await run('create', 400);
	expect(error).toBeUndefined();
	expect(json).toHaveLength(400);
});

test('a service that serves 3 at once: a few items fail, with the option that helps, and the others are created (H12)', async () => {
	capacity = 3;
	const { json } = await run('create', 200, {}, { node: { onError: 'continueRegularOutput' } });
	const failed = json.filter((item) => 'error' in item);
	expect(failed.length).toBeGreaterThan(0);
	expect(failed.length).toBeLessThan(15);
	expect(JSON.stringify(failed)).toContain("'Max Parallel Requests'");
	expect(stored).toHaveLength(200 - failed.length);
	// The level that failed is remembered for the key.
	const again = await run('create', 200, {}, { node: { onError: 'continueRegularOutput' } });
	expect(again.json.filter((item) => 'error' in item)).toEqual([]);
});

test('a create that was stored, and is answered 503 with no requests remaining, is sent once (H13)', async () => {
	instead = [
		{
			status: 503,
			headers: { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '0' },
			body: '',
		},
	];
	const { error } = await run('create', 1);
	expect(error?.description).toContain('may have been created');
	expect(stored).toHaveLength(1);
	expect(sent.filter((request) => request.startsWith('POST'))).toHaveLength(1);
});

test.each(['create', 'update'])(
	'a gateway answers 429 with a web page: %s waits, and is done once (L1)',
	async (operation) => {
		const page = {
			status: 429,
			headers: { 'content-type': 'text/html' },
			body: '<!doctype html><html><head><title>Too Many Requests</title></head></html>',
		};
		instead = [page];
		hurry();
		const { error, json } = await run(operation, 1, { recordId: byId('r1') });
		expect(error).toBeUndefined();
		expect(json).toHaveLength(1);
		expect(sent.filter((request) => /^(?:POST|PATCH)/.test(request))).toHaveLength(2);
	},
);

test.each([
	[6, true],
	[1, false],
])(
	'a wait of %d s for the rate limit is mentioned: %j (M15)',
	async (seconds, isMentioned) => {
		hurry();
		instead = [{ status: 429, headers: { 'retry-after': String(seconds) }, body: '' }];
		const { error, run: finished } = await run('create', 1);
		expect(error).toBeUndefined();
		const hints = finished.data.resultData.runData['Workspace Data']?.[0]?.hints ?? [];
		const told = hints.filter(({ message }) => /waited \d+ seconds .* rate limit/.test(message));
		expect(told).toHaveLength(isMentioned ? 1 : 0);
	},
	30_000,
);
