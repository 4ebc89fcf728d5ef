/** Faults between the node and the service. */
import { hurry } from '../support/quickTime';
import type { IDataObject } from 'n8n-workflow';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runAction, type ActionResult } from '../support/n8n';
import { byId, createKey } from '../support/parameters';
import { startStopwatch } from '../support/stopwatch';
import { startWorkspace, type TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let card: { id: string; fieldIds: Record<string, string> };

beforeAll(async () => {
	workspace = await startWorkspace();
	card = await workspace.card('Faults', [
		{ name: 'Key', type: 'text' },
		{ name: 'Amount', type: 'number' },
	]);
});
afterAll(async () => await workspace.close());
afterEach(() => workspace.service.control.reset());
beforeEach(() => workspace.service.control.resetRequests());

const create = (more: IDataObject = {}) => createKey(card.id, more);

const run = async (parameters: IDataObject, items?: IDataObject[]): Promise<ActionResult> =>
	await runAction({
		credentials: workspace.apiKey,
		parameters,
		...(items && { items }),
	});

const list = { resource: 'card', operation: 'getAll', returnAll: true };

const posts = () =>
	workspace.requests().filter((request) => request === `POST /cards/${card.id}/records`);

/** Another server in the place of the service. */
async function stranger(listener: RequestListener): Promise<{ url: string; server: Server }> {
	const server = createServer(listener);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`, server };
}

const withBaseUrl = (baseUrl: string) => ({
	workspaceDataApi: { ...workspace.apiKey.workspaceDataApi, baseUrl },
});

describe('errors in the service’s own words', () => {
	beforeEach(hurry);

	test('title, detail with field names, status, kind and item', async () => {
		workspace.service.control.fail({
			method: 'POST',
			path: '/records$',
			status: 422,
			json: { title: 'Invalid value', detail: `Field "${card.fieldIds.Amount}" is too large.` },
		});
		const { error } = await run(create({ options: { maxParallel: 1 } }), [{ key: 'a' }]);
		expect(error?.name).toBe('NodeApiError');
		expect(error?.message).toBe('Invalid value');
		expect(error?.description).toContain("Field 'Amount' is too large.");
		expect(error?.httpCode).toBe('422');
		expect(error?.context?.itemIndex).toBe(0);
	});

	test('the kind is the last segment of the problem’s type', async () => {
		const { error } = await run({ resource: 'card', operation: 'get', cardId: byId('crd_none') });
		expect(error?.context?.kind).toBe('card-not-found');
	});

	test.each([
		['html', 502, 'The service could not be reached through its gateway'],
		['plain', 400, 'The service could not understand the request'],
		['empty', 403, 'The credential does not allow this'],
	] as const)('a body of %s gets a sensible message', async (body, status, message) => {
		workspace.service.control.fail({ path: '/cards$', status, body, times: 3 });
		const { error } = await run(list);
		expect(error?.message).toBe(message);
		expect(error?.httpCode).toBe(String(status));
		expect(`${error?.message} ${error?.description}`).not.toContain('<');
	});
});

describe('tries', () => {
	beforeEach(hurry);

	test('a read is tried three times, then tells', async () => {
		workspace.service.control.fail({ path: '/cards$', status: 500, times: 2 });
		expect((await run(list)).error).toBeUndefined();
		workspace.service.control.fail({ path: '/cards$', status: 500, times: 3 });
		expect((await run(list)).error?.httpCode).toBe('500');
	});

	test('a create whose answer was lost is sent once, and says that the record may have been created (B22)', async () => {
		workspace.service.control.fail({ method: 'POST', path: '/records$', mode: 'dropAfter' });
		const before = (await workspace.rows(card.id)).length;
		const { error } = await run(create());
		expect(error?.message).toBe(
			'The record may have been created: the connection was closed before an answer came',
		);
		expect(error?.description).toContain('sent once');
		expect(posts()).toHaveLength(1);
		expect(await workspace.rows(card.id)).toHaveLength(before + 1);
	});

	test('a create that gets 500 is not sent again', async () => {
		workspace.service.control.fail({ method: 'POST', path: '/records$', status: 500 });
		expect((await run(create())).error?.httpCode).toBe('500');
		expect(posts()).toHaveLength(1);
	});

	test('a delete that may have worked and is gone afterwards has worked', async () => {
		const [id = ''] = await workspace.records(card.id, [{ Key: 'going' }]);
		workspace.service.control.fail({ method: 'DELETE', mode: 'dropAfter' });
		const { json, error } = await run({
			resource: 'record',
			operation: 'delete',
			cardId: byId(card.id),
			recordId: byId(id),
		});
		expect(error).toBeUndefined();
		expect(json).toEqual([{ deleted: true, id }]);
	});

	test('a refused connection is tried again, then the message names the address to check (B23)', async () => {
		const { url, server } = await stranger((_request, response) => response.end());
		await new Promise((resolve) => server.close(resolve));
		const { error } = await runAction({ credentials: withBaseUrl(url), parameters: create() });
		expect(error?.message).toContain('the connection was refused');
		expect(error?.description).toContain("'Base URL'");
		expect(error?.description).toContain(new URL(url).host);
	});

	test('a time-out is as long as the option says', async () => {
		workspace.service.control.fail({ method: 'POST', path: '/records$', mode: 'hang' });
		const { error } = await run(create({ options: { timeout: 1 } }));
		expect(error?.message).toBe('The record may have been created: no answer came in time');
	});
});

test('a body that drips: the time-out is for the whole answer, and the create is sent once (D10)', async () => {
	workspace.service.control.fail({
		method: 'POST',
		path: '/records$',
		mode: 'slowBody',
		byteMs: 300,
	});
	const elapsed = startStopwatch();
	const { error } = await run(create({ options: { timeout: 1 } }));
	expect(error?.message).toBe('The record may have been created: no answer came in time');
	expect(posts()).toHaveLength(1);
	// The body alone would take more than 20 s.
	expect(elapsed()).toBeLessThan(10_000);
});

describe('the rate limit', () => {
	test('is fully used and never exceeded: no request is refused', async () => {
		const { control } = workspace.service;
		control.setRate({ rate: { limit: 10, windowSeconds: 1 } });
		const items = Array.from({ length: 25 }, (_, n) => ({ key: `r${n}` }));
		const { error, json } = await run(create(), items);
		expect(error).toBeUndefined();
		expect(json).toHaveLength(25);
		expect(control.requests().filter(({ status }) => status === 429)).toEqual([]);
	});

	test.each([
		[429, 'seconds'],
		[403, 'seconds'],
		[503, 'milliseconds'],
		[429, 'past'],
		[429, 'missing'],
	] as const)(
		'a refusal with %i and a reset in %s is waited for (B20, B21)',
		async (status, reset) => {
			const { control, apiKey } = workspace.service;
			hurry();
			control.setRateAnswer({ status, reset, retryAfter: false });
			control.setRate({ rate: { limit: 3, windowSeconds: 1 }, apiKey });
			// Somebody else uses the key up.
			for (let n = 0; n < 3; n += 1) {
				await fetch(
					`${workspace.service.baseUrl}/workspaces/${workspace.service.workspaceId}/cards`,
					{
						headers: { authorization: `Bearer ${apiKey}` },
					},
				);
			}
			const { error } = await run(create());
			expect(error).toBeUndefined();
			expect(posts().length).toBeGreaterThanOrEqual(1);
		},
	);

	test('a cancelled execution stops waiting within a second (B36)', async () => {
		const { control } = workspace.service;
		control.setRateAnswer({ reset: 'far' });
		control.setRate({ rate: { limit: 1, windowSeconds: 60 } });
		await fetch(`${workspace.service.baseUrl}/workspaces/${workspace.service.workspaceId}/cards`, {
			headers: { authorization: `Bearer ${workspace.service.apiKey}` },
		});
		let cancel = () => {};
		const running = runAction({
			credentials: workspace.apiKey,
			parameters: create(),
			onStarted: (execution) => (cancel = execution.cancel),
		});
		while (!control.requests().some(({ status }) => status === 429)) {
			await new Promise(setImmediate);
		}
		const elapsed = startStopwatch();
		cancel();
		await running.catch(() => undefined);
		expect(elapsed()).toBeLessThan(1_000);
		expect(posts()).toEqual([]);
	});
});

describe('other servers', () => {
	test('a redirect is not followed, so the key stays here (B35)', async () => {
		const seen: unknown[] = [];
		const target = await stranger((request, response) => {
			seen.push(request.headers.authorization);
			response.end('[]');
		});
		const redirecting = await stranger((_request, response) => {
			response.writeHead(302, { location: `${target.url}/elsewhere` }).end();
		});
		const { error } = await runAction({
			credentials: withBaseUrl(redirecting.url),
			parameters: list,
		});
		expect(error?.message).toContain('redirects');
		expect(error?.description).toContain("'Base URL'");
		expect(seen).toEqual([]);
		for (const { server } of [target, redirecting]) {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		}
	});

	test('a page with status 200 is not taken for an answer (B34)', async () => {
		const { url, server } = await stranger((_request, response) => {
			response.setHeader('content-type', 'text/html');
			response.end('<html><title>Welcome</title></html>');
		});
		const { error } = await runAction({ credentials: withBaseUrl(url), parameters: list });
		expect(error?.message).toBe('The answer is not a list of cards');
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});

	test('JSON that arrives as text is read (B34)', async () => {
		const { url, server } = await stranger((_request, response) => {
			response.setHeader('content-type', 'text/plain');
			response.end('{"cards":[{"id":"c1","name":"One"}]}');
		});
		const { json } = await runAction({ credentials: withBaseUrl(url), parameters: list });
		expect(json).toEqual([{ id: 'c1', name: 'One' }]);
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
});
