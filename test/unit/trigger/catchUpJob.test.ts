/** What a search for missed records brings to the workflow. */
import type { IDataObject } from 'n8n-workflow';
import {
	catchUp,
	readSearchJob,
	searchJob,
} from '../../../nodes/WorkspaceData/trigger/catchUp/catchUpJob';
import {
	openKnownRecords,
	recordKey,
} from '../../../nodes/WorkspaceData/trigger/catchUp/knownRecords';
import { activate } from '../../../nodes/WorkspaceData/trigger/subscription/publishing';
import { settingsOf } from '../../support/triggerSettings';
import { triggerHost } from '../../support/triggerHost';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 1);
const iso = (at: number) => new Date(at).toISOString();
const record = (id: string, minutesAgo: number, data: IDataObject = { f1: id }) => ({
	id,
	data,
	created_at: iso(NOW - minutesAgo * MINUTE),
});
const search = { from: NOW - 600 * MINUTE, earlier: [], upTo: NOW };

function world(parameters: IDataObject = {}) {
	const host = triggerHost(parameters);
	host.state.records = { c1: [record('r1', 30), record('r2', 5)], c2: [record('r3', 10)] };
	const items = async () =>
		await catchUp(host.execution, settingsOf(host.state.parameters), search, host.clock);
	const ids = async () => (await items()).map(({ json }) => json.record_id);
	return { ...host, items, ids };
}

describe('the item of a search', () => {
	const job = { from: NOW, earlier: [NOW + 1, NOW + 2], upTo: NOW + 3 };

	test('shows readable times, and is read as the same search', () => {
		expect(searchJob(job)).toEqual({
			event: 'catch_up',
			from: '2026-01-01T00:00:00.000Z',
			to: '2026-01-01T00:00:00.003Z',
			earlier: ['2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.002Z'],
		});
		expect(readSearchJob(searchJob(job))).toEqual(job);
	});

	test('of the first published version names no earlier ones', () => {
		const { event, from, to } = searchJob(job);
		expect(readSearchJob({ event, from, to })).toEqual({ ...job, earlier: [] });
	});

	test.each([undefined, {}, { event: 'record.created' }, { event: 'catch_up' }])(
		'is not %j',
		(json) => {
			expect(readSearchJob(json)).toBeUndefined();
		},
	);
});

test('a missed record looks like its event, and says that it was caught up', async () => {
	const { items } = world({ watch: 'oneCard', cardId: 'c1' });
	const [first] = await items();
	expect(first).toEqual({
		json: {
			event: 'record.created',
			timestamp: iso(NOW - 30 * MINUTE),
			workspace_id: 'w1',
			card_id: 'c1',
			record_id: 'r1',
			caught_up: true,
			fields: { Title: 'r1' },
			delivery_key: expect.stringMatching(/^[0-9a-f]{64}$/),
		},
	});
});

test('records of all cards come in the order of their creation, each with a key of its own', async () => {
	const { items } = world();
	const found = await items();
	expect(found.map(({ json }) => json.record_id)).toEqual(['r1', 'r3', 'r2']);
	expect(new Set(found.map(({ json }) => json.delivery_key)).size).toBe(3);
});

test('the card counts that was subscribed, even if another one has its name by now', async () => {
	const { ids, hook, clock, state } = world({
		watch: 'oneCard',
		cardId: { __rl: true, mode: 'name', value: 'Films' },
	});
	await activate(hook, clock);
	state.answer = (line) =>
		line === 'GET /cards'
			? { statusCode: 200, body: { cards: [{ id: 'c1', name: 'Films' }] } }
			: undefined;
	expect(await ids()).toEqual(['r3']);
});

test('before anything is saved, the card counts that is chosen', async () => {
	expect(await world({ watch: 'oneCard', cardId: 'c2' }).ids()).toEqual(['r3']);
});

describe('Max Event Age', () => {
	test('leaves out what is older', async () => {
		expect(await world({ options: { maxEventAge: 10 } }).ids()).toEqual(['r3', 'r2']);
	});

	test('counts by the clock of the service', async () => {
		const { ids, hook, clock, state } = world({ options: { maxEventAge: 10 } });
		state.answer = (line) =>
			line === 'POST /webhooks'
				? {
						statusCode: 201,
						body: { id: 's1', secret: 'shh' },
						headers: { date: new Date(clock.now() + MINUTE).toUTCString() },
					}
				: undefined;
		await activate(hook, clock);
		expect(await ids()).toEqual(['r2']);
	});
});

describe('the names of fields', () => {
	const listed = (lines: string[]) => lines.filter((line) => line.endsWith('/fields'));

	test('are read once for each card that has missed records', async () => {
		const { ids, requests, state } = world();
		state.records.c2 = [];
		await ids();
		expect(listed(requests())).toEqual(['GET /cards/c1/fields']);
	});

	test.each([
		['values by ID', { options: { fieldKeys: 'id' } }],
		['the body as it is', { simple: false }],
	])('are not read for %s', async (_, parameters) => {
		const { items, requests } = world(parameters);
		expect(JSON.stringify(await items())).toContain('"f1":"r1"');
		expect(listed(requests())).toEqual([]);
	});

	test('are read for conditions, whatever the output', async () => {
		const filters = { conditions: [{ field: 'Title', condition: 'equals', value: 'r2' }] };
		const { ids, lines } = world({ simple: false, options: { filters } });
		expect(await ids()).toEqual(['r2']);
		expect(lines).toEqual([]);
	});

	test('that cannot be read are replaced by IDs', async () => {
		const { items, state } = world();
		state.answer = (line) => (line.endsWith('/fields') ? { statusCode: 403 } : undefined);
		expect((await items()).map(({ json }) => json.fields)).toEqual([
			{ f1: 'r1' },
			{ f1: 'r3' },
			{ f1: 'r2' },
		]);
	});
});

test('what cannot be compared comes, and the log says so once, not for each record', async () => {
	const filters = { conditions: [{ field: 'Title', condition: 'equals', value: 'r2' }] };
	const { ids, lines, state } = world({ options: { filters } });
	state.answer = (line) => (line.endsWith('/fields') ? { statusCode: 403 } : undefined);
	expect(await ids()).toEqual(['r1', 'r3', 'r2']);
	expect(lines).toEqual([expect.stringContaining('could not be read')]);
});

test('a record whose event comes during the search does not come twice', async () => {
	const { ids, execution, state } = world();
	state.answer = async (line) => {
		if (line !== 'GET /cards/c2/fields') return undefined;
		const key = recordKey('c1', 'r2');
		await openKnownRecords(execution).take([{ key, createdAt: NOW }], []);
		return { statusCode: 200, body: { fields: [] } };
	};
	expect(await ids()).toEqual(['r1', 'r3']);
});

test('an event that comes right after the search does not start the workflow again', async () => {
	const { ids, execution, state } = world();
	state.records = { c1: [record('r1', 0.5)] };
	await ids();
	const taken = [{ key: recordKey('c1', 'r1'), createdAt: NOW }];
	expect((await openKnownRecords(execution).take(taken, [])).size).toBe(0);
});
