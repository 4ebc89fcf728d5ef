/** What an execution of the trigger makes of its items: those of a delivery, and those of its own jobs. */
import { searchJob } from '../../../nodes/WorkspaceData/trigger/catchUp/catchUpJob';
import { execute } from '../../../nodes/WorkspaceData/trigger/execute';
import { activate } from '../../../nodes/WorkspaceData/trigger/subscription/publishing';
import { saveJob } from '../../../nodes/WorkspaceData/trigger/subscription/saveJob';
import { triggerHost } from '../../support/triggerHost';

const created = (recordId: string) => ({
	json: {
		event: 'record.created',
		card_id: 'c1',
		record_id: recordId,
		timestamp: '2026-01-01T00:00:00.000Z',
	},
});
const AFTER = Date.UTC(2026, 0, 1);
const job = { json: searchJob({ from: AFTER, earlier: [], upTo: AFTER + 3_600_000 }) };
const missed = { id: 'r9', data: { f1: 'Emma' }, created_at: '2026-01-01T00:30:00.000Z' };
const catchingUp = { options: { catchUp: true } };

/** A trigger whose execution has these items, in a mode of n8n. */
function running(mode: string, items: Array<{ json: object }>, parameters = {}) {
	const host = triggerHost(parameters);
	host.state.mode = mode;
	host.state.input = items as never;
	host.state.records = { c1: [missed] };
	return { ...host, run: async () => await execute(host.execution) };
}

test.each(['webhook', 'trigger', 'manual', 'retry'])(
	'a delivery is passed on as it is where nothing is caught up (%s)',
	async (mode) => {
		const items = [created('r1'), created('r1')];
		const { run, processed } = running(mode, items);
		expect(await run()).toEqual([items]);
		expect(await run()).toEqual([items]);
		expect(processed()).toEqual([]);
	},
);

test.each(['webhook', 'trigger'])(
	'a record that was caught up does not start the workflow again by its event (%s)',
	async (mode) => {
		const { run } = running(mode, [created('r1')], catchingUp);
		expect(await run()).toEqual([[created('r1')]]);
		expect(await run()).toEqual([[]]);
	},
);

test.each(['manual', 'retry'])(
	'a person who runs a delivery again gets its items again (%s)',
	async (mode) => {
		const { run, state } = running('webhook', [created('r1')], catchingUp);
		await run();
		state.mode = mode;
		expect(await run()).toEqual([[created('r1')]]);
	},
);

test.each(['trigger', 'retry'])(
	'a search brings the records that were missed, and the next one does not (%s)',
	async (mode) => {
		const { run, state } = running(mode, [job], catchingUp);
		const [items] = await run();
		expect(items).toEqual([
			{ json: expect.objectContaining({ record_id: 'r9', fields: { Title: 'Emma' } }) },
		]);
		const upTo = AFTER + 7_200_000;
		state.input = [{ json: searchJob({ from: AFTER, earlier: [AFTER + 3_600_000], upTo }) }];
		expect(await run()).toEqual([[]]);
	},
);

test('a search that was begun before Catch Up was turned off brings nothing', async () => {
	const { run, requests } = running('trigger', [job]);
	expect(await run()).toEqual([[]]);
	expect(requests()).toEqual([]);
});

test('what looks like a job in the items of a delivery or of a person is none', async () => {
	for (const mode of ['webhook', 'manual']) {
		const { run, requests } = running(mode, [job], catchingUp);
		expect(await run()).toEqual([[job]]);
		expect(requests()).toEqual([]);
	}
});

test('a search that the service refuses fails with an error of the node', async () => {
	const { run, state } = running('trigger', [job], catchingUp);
	state.answer = () => ({ statusCode: 403, body: { title: 'Not for you' } });
	await expect(run()).rejects.toMatchObject({
		node: { name: 'Trigger' },
		message: expect.stringContaining('Not for you'),
	});
});

describe('the job that saves a new subscription', () => {
	async function saving() {
		const host = running('trigger', []);
		await activate(host.hook, host.clock);
		const json = await saveJob(host.trigger, host.node(), 'apiKey', {
			deletes: [],
			isSettled: false,
		});
		host.state.input = [{ json }];
		delete host.data.subscriptions;
		return host;
	}

	test('saves it, and starts nothing', async () => {
		const { run, saved } = await saving();
		expect(await run()).toEqual([[]]);
		expect(saved()).toMatchObject({ current: { id: 's1' } });
	});

	test('saves nothing when it is tried again later, as newer ones may be saved by then', async () => {
		const { run, saved, state } = await saving();
		state.mode = 'retry';
		expect(await run()).toEqual([[]]);
		expect(saved()).toEqual({});
	});
});

test('an execution without items has none', async () => {
	expect(await running('trigger', []).run()).toEqual([[]]);
	expect(await running('trigger', [], catchingUp).run()).toEqual([[]]);
});
