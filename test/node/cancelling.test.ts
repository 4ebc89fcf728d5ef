/** A cancelled execution stops, whatever it is doing (docs/reliability.md, B36); clocks that are off (B18). */
import { hurry } from '../support/quickTime';
import { runAction } from '../support/n8n';
import { createKey } from '../support/parameters';
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
