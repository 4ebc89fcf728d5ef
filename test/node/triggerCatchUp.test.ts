/** Catching up in n8n's real contexts: what was missed while n8n was down comes once. */
import type { IDataObject } from 'n8n-workflow';
import { until } from '../support/lifecycle';
import { hurry } from '../support/quickTime';
import { triggerNode, watchWarnings, type TestTrigger } from '../support/trigger';
import { startWorkspace, type TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;

beforeAll(async () => {
	workspace = await startWorkspace();
});
afterAll(async () => await workspace.close());
/** The triggers of a test; n8n ends them with it. */
let watched: TestTrigger[] = [];
afterEach(async () => {
	workspace.service.control.reset();
	jest.restoreAllMocks();
	await Promise.all(watched.map(async (trigger) => await trigger.deactivate()));
	watched = [];
});

/** A card, and a trigger that watches it and catches up. */
async function watching(options: IDataObject = {}, parameters: IDataObject = {}) {
	const card = await workspace.card('Watched', { Title: 'text' });
	const trigger = triggerNode(workspace.apiKey, {
		events: ['record.created'],
		watch: 'oneCard',
		cardId: { __rl: true, mode: 'id', value: card.id },
		options: { catchUp: true, ...options },
		...parameters,
	});
	watched.push(trigger);
	const titles = (names: string[]) => names.map((Title) => ({ Title }));
	const create = async (...names: string[]) => await workspace.records(card.id, titles(names));
	return { card, trigger, create };
}

/** n8n starts: subscribes, and the trigger orders what is to be looked for. @param ends whether that ends well */
async function restart(
	trigger: TestTrigger,
	ends = true,
	how: 'init' | 'activate' = 'init',
): Promise<IDataObject[]> {
	await trigger.activate(how);
	if (ends) trigger.endNext({});
	await trigger.start(how);
	const before = trigger.emitted.length;
	jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 6_000);
	trigger.tick();
	// The tick has nothing to wait for.
	await new Promise(setImmediate);
	jest.restoreAllMocks();
	const [order] = trigger.emitted.slice(before);
	return (order ?? []).map(({ json }) => json);
}

/** As `restart`, with the execution that it starts. */
const caughtUp = async (trigger: TestTrigger): Promise<IDataObject[]> =>
	await trigger.execute(await restart(trigger), 'trigger');

const live = (cardId: string, recordId: string | undefined): IDataObject => ({
	event: 'record.created',
	card_id: cardId,
	record_id: recordId,
});

const ids = (items: IDataObject[]) => items.map(({ record_id }) => record_id);

/** Times of the service are whole milliseconds; what comes next is later than what was. */
const nextMillisecond = async () => await new Promise((resolve) => setTimeout(resolve, 2));

it('returns records created since it last ran, in order, once', async () => {
	const { card, trigger, create } = await watching();
	await create('before');
	await nextMillisecond();
	await trigger.activate();
	await nextMillisecond();
	const [seen] = await create('seen');
	expect(await trigger.execute([live(card.id, seen)])).toHaveLength(1);
	const lost = await create('lost 1', 'lost 2');

	const items = await caughtUp(trigger);
	expect(ids(items)).toEqual(lost);
	expect(items[0]).toEqual({
		event: 'record.created',
		timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
		workspace_id: workspace.service.workspaceId,
		card_id: card.id,
		card_name: null,
		record_id: lost[0],
		Title: 'lost 1',
		caught_up: true,
		delivery_key: expect.stringMatching(/^[0-9a-f]{64}$/),
	});
	// A late retry, and further starts.
	expect(await trigger.execute([live(card.id, lost[0])])).toEqual([]);
	expect(await caughtUp(trigger)).toEqual([]);
	expect(await caughtUp(trigger)).toEqual([]);
});

it('saves at once how far it has searched, because a killed n8n would search there again', async () => {
	const { trigger } = await watching();
	await trigger.activate();
	const before = trigger.emitted.length;
	await restart(trigger);
	const events = () => trigger.emitted.slice(before).map(([item]) => item?.json.event);
	await until('the end of the search to be saved', () => (events().length > 1 ? true : undefined));
	expect(events()).toEqual(['catch_up', 'subscription_renewed']);
});

it.each([
	['just now', 0],
	['before, whose event came late', 120_000],
])('gives a record created %s once when its event runs during the search', async (_, ms) => {
	const { card, trigger, create } = await watching();
	await trigger.activate();
	await nextMillisecond();
	const [created] = await create('delivered during the search');
	const timestamp = new Date().toISOString();
	const order = await restart(trigger);
	order.forEach((item) => (item.to = new Date(Date.now() + ms).toISOString()));
	// The search has looked up which records are known, and waits for the names of the fields.
	const { control } = workspace.service;
	control.fail({ method: 'GET', path: '/fields$', mode: 'slowBody', byteMs: 4 });
	const search = trigger.execute(order, 'trigger');
	await until('the search to ask for fields', () =>
		workspace.requests().some((request) => request.endsWith('/fields')) ? true : undefined,
	);
	const event = { ...live(card.id, created), timestamp };
	const delivered = await trigger.execute([event]);
	expect(ids([...delivered, ...(await search)])).toEqual([created]);
	expect(await trigger.execute([event])).toEqual([]);
});

it('reads the records again if its pages show one twice', async () => {
	const { trigger, create, card } = await watching();
	await trigger.activate();
	await nextMillisecond();
	const lost = await create('1', '2', '3');
	const path = `/cards/${card.id}/records?limit=100`;
	const { records } = (await workspace.send('GET', path)) as { records: object[] };
	const order = await restart(trigger);
	const page = (json: object) =>
		workspace.fail('GET', '/records$', { status: 200, body: 'json', json });
	page({ records: records.slice(0, 2), next_cursor: '2' });
	page({ records: records.slice(0, 1), next_cursor: null });
	expect(ids(await trigger.execute(order, 'trigger'))).toEqual(lost);
});

it('returns what was created while the events were changed and published again, and nothing twice', async () => {
	const { card, trigger, create } = await watching();
	await trigger.activate();
	await nextMillisecond();
	const before = await create('before 1', 'before 2');
	for (const id of before) {
		expect(await trigger.execute([live(card.id, id)])).toHaveLength(1);
	}
	await trigger.deactivate();
	const lost = await create('lost 1', 'lost 2');
	await nextMillisecond();
	trigger.node.parameters.events = ['record.created', 'record.updated'];
	trigger.reload();
	const order = await restart(trigger, false, 'activate');
	const after = await create('after');
	expect(await trigger.execute([live(card.id, after[0])])).toHaveLength(1);
	expect(ids(await trigger.execute(order, 'trigger'))).toEqual(lost);
});

it('returns nothing of the time in which it was off', async () => {
	const { trigger, create } = await watching();
	await trigger.activate();
	for (const catchUp of [false, true]) {
		await trigger.deactivate();
		await nextMillisecond();
		trigger.node.parameters.options = { catchUp };
		trigger.reload();
		await trigger.activate();
		if (!catchUp) await create('meanwhile');
	}
	expect(await caughtUp(trigger)).toEqual([]);
});

it.each([
	['fields', { status: 503, times: 3 }],
	['records', { status: 404 }],
])("fails while the %s can't be read, and returns all later", async (what, failure) => {
	const filters = { conditions: [{ field: 'Title', condition: 'equals', value: 'wanted' }] };
	const { trigger, create } = await watching({ filters });
	await trigger.activate();
	await nextMillisecond();
	const [wanted] = await create('wanted', 'unwanted');
	const order = await restart(trigger, false);
	workspace.fail('GET', `/${what}$`, failure);
	hurry();
	const failed = { name: 'NodeApiError', httpCode: String(failure.status) };
	await expect(trigger.execute(order, 'trigger')).rejects.toMatchObject(failed);
	workspace.service.control.clearFailures();
	const items = await trigger.execute(order, 'retry');
	expect(items).toMatchObject([{ record_id: wanted, Title: 'wanted' }]);
});

it("runs for each created record whose event doesn't say which", async () => {
	const { card, trigger } = await watching();
	for (const record_id of [undefined, null, undefined, null]) {
		const item = { event: 'record.created', card_id: card.id, record_id };
		expect(await trigger.execute([item])).toHaveLength(1);
	}
});

it("names the card once whose records don't state when they were created", async () => {
	const { trigger, card } = await watching();
	await trigger.activate();
	const order = await restart(trigger);
	const warnings = watchWarnings();
	const records = [{ created_at: 'lately' }, {}].map((more, id) => ({ id, data: {}, ...more }));
	workspace.fail('GET', '/records$', { status: 200, body: 'json', json: { records } });
	expect(await trigger.execute(order, 'trigger')).toEqual([]);
	expect(warnings.lines).toEqual([
		expect.stringContaining(`Records of card ${card.id} state no usable 'created_at'`),
	]);
});

it('knows a record again whose identifiers came as numbers', async () => {
	const { trigger } = await watching();
	const event = { event: 'record.created', card_id: 7, record_id: 1 };
	expect(await trigger.execute([event])).toHaveLength(1);
	expect(await trigger.execute([{ ...event, card_id: '7', record_id: '1' }])).toEqual([]);
});

it.each([
	['it is off', { catchUp: false }, {}],
	["created records aren't asked for", {}, { events: ['record.deleted'] }],
])('orders nothing when %s', async (_, options, parameters) => {
	const { trigger, create } = await watching(options, parameters);
	await trigger.activate();
	await create('lost');
	expect(await restart(trigger)).toEqual([]);
});

it('returns the records again when the execution that returned them died, also after an event about one', async () => {
	const { card, trigger, create } = await watching();
	await trigger.activate();
	await nextMillisecond();
	const lost = await create('lost 1', 'lost 2');
	const order = await restart(trigger, false);
	expect(ids(await trigger.execute(order, 'trigger'))).toEqual(lost);
	expect(await trigger.execute([live(card.id, lost[0])])).toEqual([]);
	expect(ids(await trigger.execute(order, 'trigger'))).toEqual(lost);
});

it('remembers every record of deliveries that run at the same time', async () => {
	const { card, trigger, create } = await watching();
	await trigger.activate();
	await nextMillisecond();
	const made = await create(...Array.from({ length: 30 }, (_, n) => `record ${n}`));
	const outputs = await Promise.all(
		made.map(async (id) => await trigger.execute([live(card.id, id)])),
	);
	expect(outputs.flat()).toHaveLength(30);
	expect(await caughtUp(trigger)).toEqual([]);
});

it('leaves out records older than the greatest age', async () => {
	const { trigger, create } = await watching({ maxEventAge: 1 });
	await trigger.activate();
	await nextMillisecond();
	await create('old');
	const order = await restart(trigger);
	workspace.service.control.setClockOffset({ seconds: 120 });
	expect(await trigger.execute(order, 'trigger')).toEqual([]);
});

it('returns what it can read of all cards, also as delivered, and names the card that it may not read', async () => {
	const names = ['Forbidden', 'Gone', 'Readable', 'Other'];
	const cards = await Promise.all(
		names.map(async (name) => await workspace.card(name, { Title: 'text' })),
	);
	const [forbidden, gone, readable, other] = cards.map(({ id }) => id) as [string, ...string[]];
	const events = ['record.created'];
	const all = { events, simple: false, options: { catchUp: true } };
	const trigger = triggerNode(workspace.apiKey, all);
	await trigger.activate();
	const lost: unknown[] = [];
	for (const id of [forbidden, gone, readable, other]) {
		await nextMillisecond();
		const [record] = await workspace.records(String(id), [{ Title: 'lost' }]);
		if (id === readable || id === other) lost.push(record);
	}
	const order = await restart(trigger);
	const warnings = watchWarnings();
	const refuse = (id: unknown, response: object) =>
		workspace.fail('GET', `/${String(id)}/records$`, { times: 9, ...response });
	refuse(forbidden, { status: 403 });
	const kind = 'https://service.example.com/problems/card-not-found';
	refuse(gone, { status: 404, body: 'json', json: { type: kind, title: 'Card not found' } });
	const items = await trigger.execute(order, 'trigger');
	expect(ids(items)).toEqual(lost);
	const data = { [String(cards[3]?.fieldIds.Title)]: 'lost' };
	expect(items[1]).toMatchObject({ data, caught_up: true });
	expect(items[1]).not.toHaveProperty('fields');
	expect(warnings.lines).toEqual([
		expect.stringContaining(`Missed records of card 'Forbidden' (${forbidden}) are left out`),
	]);
	// A temporary fault fails the search, so that it is tried again.
	refuse(readable, { status: 500 });
	await expect(trigger.execute(order, 'trigger')).rejects.toMatchObject({ httpCode: '500' });
});

it.each([
	["couldn't", undefined, 3],
	['died', null, 3],
	['ended in another node', 'Other', 1],
])('searches again after 1 and 2 minutes if an execution %s', async (_name, last, searches) => {
	const { trigger } = await watching();
	await trigger.activate();
	await trigger.activate('init');
	await trigger.start();
	const start = Date.now() + 6_000;
	const ending = {
		status: 'error',
		...(last !== undefined && { lastNodeExecuted: last }),
	} as const;
	for (const seconds of [0, 59, 61, 179, 182]) {
		trigger.endNext(ending);
		jest.spyOn(Date, 'now').mockReturnValue(start + seconds * 1_000);
		trigger.tick();
		await trigger.idle();
	}
	const searched = trigger.emitted.filter(([item]) => item?.json.event === 'catch_up');
	expect(searched).toEqual(Array(searches).fill(trigger.emitted[0]));
});

it('returns nothing for an order that is tried again once catching up is off', async () => {
	const { trigger } = await watching({ catchUp: false });
	const order = { event: 'catch_up', from: '2026-01-31T12:00:00Z', to: '2026-01-31T13:00:00Z' };
	expect(await trigger.execute([order], 'retry')).toEqual([]);
});

it('passes on the items of a delivery whose execution n8n tries again', async () => {
	const { card, trigger, create } = await watching();
	const [id] = await create('tried again');
	const items = [live(card.id, id)];
	expect(await trigger.execute(items)).toEqual(items);
	expect(await trigger.execute(items, 'retry')).toEqual(items);
});

it('takes no order from a delivery', async () => {
	const { trigger } = await watching();
	const forged = { event: 'catch_up', from: '2000-01-01', to: '2100-01-01' };
	expect(await trigger.execute([forged], 'webhook')).toEqual([forged]);
});

it('counts records older than all that n8n remembers as seen, also deleted ones', async () => {
	const { card, trigger } = await watching();
	await trigger.activate();
	const [job] = await restart(trigger);
	const to = Date.parse(String(job?.to));
	const from = to - 3_600_000;
	const order = [{ ...job, from: new Date(from).toISOString() }];
	/** Records that the service is said to list, newest last. */
	const records = Array.from({ length: 3_000 }, (_, index) => ({
		id: `rec_${String(index).padStart(7, '0')}`,
		data: {},
		created_at: new Date(from + ((to - from) * (index + 1)) / 3_001).toISOString(),
	}));
	// 2,900 came live; n8n remembers the last 2,000 of them. The last 100 were missed, and 150 were deleted.
	for (const { id } of records.slice(0, 2_900)) await trigger.execute([live(card.id, id)]);
	const listed = [...records.slice(0, 2_500), ...records.slice(2_650)];
	const json = { records: listed, next_cursor: null };
	workspace.fail('GET', '/records$', { status: 200, body: 'json', json, times: 2 });
	const missed = records.slice(2_900).map(({ id }) => id);
	expect(ids(await trigger.execute(order, 'trigger'))).toEqual(missed);
});
