/** Faults between the node and the service, rate limits, and cancelling. */
import { hurry } from '../support/quickTime';
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject } from 'n8n-workflow';
import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { redact } from '../../nodes/WorkspaceData/transport/credential';
import { toNodeError } from '../../nodes/WorkspaceData/transport/nodeError';
import { type ActionRun, actionNode, runAction, succeeded } from '../support/n8n';
import { byId, mapAutomatically, mapEach, where } from '../support/parameters';
import { startStopwatch } from '../support/stopwatch';
import { startWebServer, type WebServer } from '../support/webServer';
import { GOING_ON, run, startRun } from '../support/runs';
import { card, credentialWith, useCard, workspace } from '../support/workspace';

/** Waits for something to happen; jest's own time-out is the deadline. */
async function until(happened: () => boolean): Promise<void> {
	while (!happened()) await new Promise(setImmediate);
}

describe('faults', () => {
	useCard('Faults', { Key: 'text' });
	const create = async (options: IDataObject = {}, more: Partial<ActionRun> = {}) =>
		await run('create', { columns: mapEach({ Key: 'x' }), options }, [{}], more);

	test('a create whose answer was lost is sent once, and says that the record may have been created', async () => {
		workspace.fail('POST', '/records$', { mode: 'dropAfter' });
		const { error } = await create();
		expect(error?.message).toBe(
			'The record may have been created: The connection to the server was closed unexpectedly, perhaps it is offline. You can retry the request immediately or wait and retry later.',
		);
		expect(error?.description).toContain('check before you run the workflow again with this item');
		expect(workspace.changes()).toHaveLength(1);
		expect(await workspace.rows(card.id)).toHaveLength(1);
	});

	test('a refused connection is tried again, then the message names the address to check', async () => {
		hurry();
		const server = await startWebServer((_request, response) => response.end());
		await server.close();
		const baseUrl = `${server.url}/api/v1`;
		const { error } = await create({}, { credentials: credentialWith({ baseUrl }) });
		expect(error?.message).toContain('refused the connection');
		expect(error?.description).toContain("'Base URL'");
		expect(error?.description).toContain(new URL(baseUrl).host);
	});

	test('a body that drips: the time-out is for the whole answer, and the create is sent once', async () => {
		workspace.fail('POST', '/records$', { mode: 'slowBody', byteMs: 300 });
		const elapsed = startStopwatch();
		const { error } = await create({ timeout: 1 });
		expect(error?.message).toBe('The record may have been created: No response came in time');
		expect(workspace.changes()).toHaveLength(1);
		// The body alone would take more than 20 s.
		expect(elapsed()).toBeLessThan(10_000);
	});

	// Time isn't hurried here: the header Date doesn't follow.
	test('the rate limit is fully used and never exceeded: no request is refused', async () => {
		const { control } = workspace.service;
		control.setRate({ rate: { limit: 10, windowSeconds: 1 } });
		const items = Array.from({ length: 15 }, (_, n) => ({ Key: `r${n}` }));
		succeeded(await run('create', { columns: mapAutomatically() }, items));
		expect(control.requests().filter(({ status }) => status === 429)).toEqual([]);
	});

	test.each([
		[undefined, 16],
		[3, 3],
		[40, 40],
	])('50 creates, Max Parallel Requests %s: at most %d at once', async (maxParallel, atOnce) => {
		workspace.service.control.setLatency({ ms: 30, atOnce });
		const items = Array.from({ length: 50 }, (_, n) => ({ Key: `k${n}` }));
		const options = maxParallel === undefined ? {} : { maxParallel };
		const parameters = { columns: mapAutomatically(), options };
		expect(succeeded(await run('create', parameters, items)).json).toHaveLength(50);
	});
});

describe('responses that break off', () => {
	const listed = { id: 'c1', name: 'Grüße 😀' };
	const whole = gzipSync(JSON.stringify(listed));
	let serve: Array<(response: ServerResponse) => void>;
	let server: WebServer;
	beforeAll(async () => {
		server = await startWebServer((_request, response) => serve.shift()?.(response));
	});
	afterAll(async () => await server.close());
	beforeEach(hurry);

	const breakOff = (response: ServerResponse) => {
		response.writeHead(200, { 'content-length': '100' });
		response.write('{"id":', () => response.socket?.destroy());
	};
	const answer = (response: ServerResponse) => {
		response.writeHead(200, { 'content-encoding': 'gzip' }).end(whole);
	};
	const run = async (parameters: IDataObject) =>
		await runAction({
			credentials: {
				workspaceDataApi: { baseUrl: `${server.url}/api/v1`, workspaceId: 'w', apiKey: 'the-key' },
			},
			parameters: { resource: 'card', ...parameters },
		});

	test('a read is asked for three times', async () => {
		serve = [breakOff, breakOff, answer, breakOff];
		expect(succeeded(await run({ operation: 'get', cardId: byId('c1') })).json).toEqual([listed]);
		expect(serve).toHaveLength(1);
	});

	test('a create is sent once', async () => {
		serve = [breakOff, answer];
		const { error } = await run({ operation: 'create', name: 'x' });
		expect(error?.message).toMatch(/^The card may have been created: /);
		expect(serve).toHaveLength(1);
	});
});

describe('cancelling', () => {
	useCard('Cancelling', { Key: 'text' }, {}, [beforeEach, afterEach]);

	const posts = () => workspace.requests(/^POST/);

	/** Cancels a run of 20 items as soon as something has happened. */
	async function cancelledWithinASecond(
		happened: () => boolean,
		credentials = workspace.apiKey,
	): Promise<void> {
		const items = Array.from({ length: 20 }, (_, n) => ({ Key: `k${n}` }));
		const parameters = { columns: mapAutomatically(), options: { maxParallel: 2 } };
		const { running, cancel } = startRun('create', parameters, items, { credentials, ...GOING_ON });
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
		workspace.service.control.fail({ listener: 'auth', mode: 'hang', times: 9 });
		await cancelledWithinASecond(() => workspace.requests().length === 1, workspace.serviceAccount);
		expect(workspace.requests(/cards/)).toEqual([]);
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
	async function cancelled(method: string, ...given: Parameters<typeof startRun>) {
		const { control } = workspace.service;
		const logged: string[] = [];
		const info = jest.spyOn(Container.get(Logger), 'info');
		info.mockImplementation((line) => void logged.push(line));
		control.resetRequests();
		control.setLatency({ ms: 40 });
		const { running, cancel } = startRun(...given);
		await until(() => workspace.requests(new RegExp(`^${method}`)).length >= 7);
		cancel();
		const { error } = await running;
		// As late as the others: what was under way is carried out before it.
		await workspace.rows(card.id);
		control.setLatency({ ms: 0 });
		info.mockRestore();
		expect(error?.message).toContain('canceled');
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
		const parameters = { ...more, ...all, options: { maxParallel: 3 } };
		const text = await cancelled(method, operation, parameters, isCreate ? many : [{}]);
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
		const upsert = () => startRun('upsert', { columns }, [{ Key: 'one' }]);
		const [first, second] = [upsert(), upsert()];
		await until(() => posts().length === 1);
		// The second waits until the request of the first can no longer be carried out.
		hurry();
		first.cancel();
		const { error } = await first.running;
		expect(error?.message).toContain('canceled');
		const { json } = await second.running;
		expect(json.map(({ action }) => action)).toEqual(['unchanged']);
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'one' }]);
	});
});

test('an unexpected error shows the line that threw it, and no secret in stack, message or cause', () => {
	const SECRET = 'key-of-unexpected-errors';
	const clean = (text: string) => redact(text, {}, [SECRET]);
	function lineThatThrew(): Error {
		return new TypeError(`no ${SECRET}, no Bearer abcdefgh12345678`);
	}
	const error = toNodeError(actionNode({ workspaceDataApi: {} }, {}), lineThatThrew(), 0, clean);
	expect(error.stack).toContain('lineThatThrew');
	for (const part of [error, error.description, JSON.stringify(error), error.cause])
		expect(inspect(part)).not.toMatch(/key-of-unexpected|abcdefgh12345678/);
});
