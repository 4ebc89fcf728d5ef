/** A cancelled execution stops, whatever it is doing (B36); clocks that are off (B18). */
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject } from 'n8n-workflow';
import { hurry } from '../support/quickTime';
import { runAction } from '../support/n8n';
import { byId, createKey, mapAutomatically, mapEach } from '../support/parameters';
import { startStopwatch } from '../support/stopwatch';
import { startWebServer } from '../support/webServer';
import { startWorkspace, type TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let card: { id: string };

beforeEach(async () => {
	workspace = await startWorkspace();
	card = await workspace.card('Cancelling', [{ name: 'Key', type: 'text' }]);
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

test('a request that gets no answer is given up, and no other item is sent (B36)', async () => {
	workspace.service.control.fail({ method: 'POST', path: '/records$', mode: 'hang', times: 100 });
	let cancel = () => {};
	const running = runAction({
		credentials: workspace.apiKey,
		parameters: create(),
		items,
		onStarted: (execution) => (cancel = execution.cancel),
	});
	await until(() => posts().length === 2);
	const elapsed = startStopwatch();
	cancel();
	// Without cancelling, each of the requests would take 30 s.
	await running.catch(() => undefined);
	expect(elapsed()).toBeLessThan(1_000);
	expect(posts()).toHaveLength(2);
});

test('an auth server that gives no answer is given up within a second (B36)', async () => {
	let asked = 0;
	const silent = await startWebServer(() => (asked += 1));
	const { workspaceDataServiceAccountApi } = workspace.serviceAccount;
	let cancel = () => {};
	const running = runAction({
		credentials: {
			workspaceDataServiceAccountApi: { ...workspaceDataServiceAccountApi, authUrl: silent.url },
		},
		parameters: create(),
		items,
		onStarted: (execution) => (cancel = execution.cancel),
	});
	await until(() => asked === 1);
	const elapsed = startStopwatch();
	cancel();
	await running.catch(() => undefined);
	// Without cancelling, the token request alone takes 10 s, three times.
	expect(elapsed()).toBeLessThan(1_000);
	await silent.close();
	expect(workspace.requests()).toEqual([]);
});

test('a pause between two tries is given up (B36)', async () => {
	workspace.service.control.fail({ method: 'GET', path: '/fields$', status: 503, times: 100 });
	let cancel = () => {};
	const running = runAction({
		credentials: workspace.apiKey,
		parameters: create(),
		items,
		node: { onError: 'continueRegularOutput' },
		onStarted: (execution) => (cancel = execution.cancel),
	});
	await until(() => workspace.requests().length === 1);
	const elapsed = startStopwatch();
	cancel();
	await running.catch(() => undefined);
	expect(elapsed()).toBeLessThan(1_000);
	expect(workspace.requests()).toHaveLength(1);
	expect(posts()).toEqual([]);
});

describe('a run that is cancelled says what was written', () => {
	const many = Array.from({ length: 30 }, (_, n) => `k${String(n).padStart(2, '0')}`);
	const filled = async () =>
		await workspace.records(
			card.id,
			many.map((Key) => ({ Key })),
		);
	const sent = (method: string) =>
		workspace.requests().filter((request) => request.startsWith(method)).length;

	let logged: string[];
	beforeEach(() => {
		logged = [];
		jest.spyOn(Container.get(Logger), 'info').mockImplementation((line) => void logged.push(line));
	});
	afterEach(() => jest.restoreAllMocks());

	/** Cancels after some requests of a method, while others are under way. @returns the error's description */
	async function cancelled(method: string, parameters: IDataObject, given: IDataObject[]) {
		const { control } = workspace.service;
		control.resetRequests();
		control.setLatency({ ms: 40 });
		let cancel = () => {};
		const running = runAction({
			credentials: workspace.apiKey,
			parameters: { resource: 'record', cardId: byId(card.id), ...parameters },
			items: given,
			onStarted: (execution) => (cancel = execution.cancel),
		});
		await until(() => sent(method) >= 7);
		cancel();
		const { error } = await running;
		// As late as the others: what was under way is carried out before it.
		await workspace.rows(card.id);
		control.setLatency({ ms: 0 });
		expect(error?.message).toContain('cancelled');
		// In a real n8n the error of a cancelled execution is dropped; the log stays.
		expect(logged).toEqual([`Workspace Data: ${error?.message}. ${error?.description}`]);
		return error?.description ?? '';
	}

	/** The numbers of a text, in their order. */
	const numbersIn = (text: string) => (text.match(/\d+/g) ?? []).map(Number);

	test.each([
		['create', 'POST', { columns: mapAutomatically() }, /^(\d+) of 30 items were processed/],
		['upsert', 'POST', { columns: mapAutomatically(['Key']) }, /^(\d+) of 30 items were processed/],
		['sync', 'POST', { columns: mapAutomatically(['Key']) }, /^(\d+) of 30 items were processed/],
	])('%s', async (operation, method, parameters, wanted) => {
		const options = { maxParallel: 3 };
		const given = many.map((Key) => ({ Key }));
		const text = await cancelled(method, { operation, ...parameters, options }, given);
		expect(text).toMatch(wanted);
		expect(text).toMatch(/For \d more, the request was under way: it may have been carried out/);
		const [done = 0, , unclear = 0] = numbersIn(text);
		const { length } = await workspace.rows(card.id);
		expect(done).toBeGreaterThan(0);
		expect(length).toBeGreaterThanOrEqual(done);
		expect(length).toBeLessThanOrEqual(done + unclear);
	});

	test.each([
		['updateMany', 'PATCH', 'updated', { columns: mapEach({ Key: 'changed' }) }],
		['deleteMany', 'DELETE', 'deleted', {}],
	])('%s', async (operation, method, verb, parameters) => {
		await filled();
		const text = await cancelled(
			method,
			{
				operation,
				...parameters,
				filters: { conditions: [{ field: 'Key', condition: 'startsWith', value: 'k' }] },
				options: { maxParallel: 3 },
			},
			[{}],
		);
		expect(text).toMatch(new RegExp(`^\\d+ of 30 records were ${verb}\\.`));
		const [done = 0, , unclear = 0] = numbersIn(text);
		const left = (await workspace.rows(card.id)).filter(({ Key }) => Key !== 'changed').length;
		expect(done).toBeGreaterThan(0);
		expect(30 - left).toBeGreaterThanOrEqual(done);
		expect(30 - left).toBeLessThanOrEqual(done + unclear);
	});

	test('the deletions of Sync', async () => {
		await filled();
		const text = await cancelled(
			'DELETE',
			{
				operation: 'sync',
				columns: mapAutomatically(['Key']),
				missingRecords: 'delete',
				maxDeletions: '30',
				options: { maxParallel: 3 },
			},
			[{ Key: 'k00' }],
		);
		const [, progress = ''] = text.split(/^All items of card '[^']+' were written\. /);
		expect(progress).toMatch(/^\d+ of 29 records without an item were deleted\. For \d more/);
		const [done = 0, , unclear = 0] = numbersIn(progress);
		const { length } = await workspace.rows(card.id);
		expect(30 - length).toBeGreaterThanOrEqual(done);
		expect(30 - length).toBeLessThanOrEqual(done + unclear);
	});
});

test('a create that was under way when its run was cancelled is not created again by another run (H11)', async () => {
	// It is stored at once, and its answer takes forever.
	workspace.service.control.fail({ method: 'POST', path: '/records$', mode: 'slowBody' });
	let cancel = () => {};
	const upsert = (onStarted?: (execution: { cancel: () => void }) => void) =>
		runAction({
			credentials: workspace.apiKey,
			parameters: {
				resource: 'record',
				operation: 'upsert',
				cardId: byId(card.id),
				columns: mapAutomatically(['Key']),
			},
			items: [{ Key: 'one' }],
			...(onStarted && { onStarted }),
		});
	const first = upsert((execution) => (cancel = execution.cancel));
	const second = upsert();
	await until(() => posts().length === 1);
	// The second waits until the request of the first can no longer be carried out.
	hurry();
	cancel();
	const { error } = await first;
	expect(error?.message).toContain('cancelled');
	const { json } = await second;
	expect(json.map(({ action }) => action)).toEqual(['unchanged']);
	expect(await workspace.rows(card.id)).toEqual([{ Key: 'one' }]);
});

test.each([-600, 600])(
	'the service’s clock %d s off changes neither tokens nor waits (B18)',
	async (seconds) => {
		const { control } = workspace.service;
		hurry();
		control.setClockOffset({ seconds });
		control.setRate({ rate: { limit: 10, windowSeconds: 1 } });
		const { json, error } = await runAction({
			credentials: workspace.serviceAccount,
			parameters: create(),
			items,
		});
		expect(error).toBeUndefined();
		expect(json).toHaveLength(20);
		const statuses = control.requests().map(({ status }) => status);
		expect(statuses.filter((status) => status === 401 || status === 429)).toEqual([]);
		expect(control.requests().filter(({ listener }) => listener === 'auth')).toHaveLength(1);
	},
);
