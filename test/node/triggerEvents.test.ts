/** Which events start the workflow, by their age, fields and filters, and what they return. */
import type { IDataObject } from 'n8n-workflow';
import { request as httpRequest } from 'node:http';
import type { TestTrigger } from '../support/trigger';
import { startWebServer } from '../support/webServer';
import {
	afterRestart,
	books,
	current,
	eventBody,
	itemsFor,
	live,
	oneCard,
	pass,
	published,
	refuseNext,
	runs,
	signed,
	useTriggers,
	valuesOf,
	warnings,
	watchAll,
} from '../support/lifecycle';
import { workspace } from '../support/workspace';

useTriggers();

/** A published trigger for events of records. */
const activated = async (parameters: IDataObject = {}): Promise<TestTrigger> =>
	await published({ events: ['record.created', 'record.updated'], ...parameters });

/** Names of text fields, for a card. */
const textFields = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'text']));

describe('output', () => {
	it('gives ids where they are wanted, without asking for the fields', async () => {
		const trigger = await activated({ options: { fieldKeys: 'id' } });
		workspace.service.control.resetRequests();
		const items = await itemsFor(trigger);
		expect(valuesOf(items)).toEqual({ [String(books.fieldIds.Title)]: 'Emma' });
		expect(workspace.requests()).toEqual([]);
	});

	it('asks for the fields of a card once a minute, not once a delivery', async () => {
		const own = await workspace.card('Names', textFields('Title'));
		const trigger = await activated();
		workspace.service.control.resetRequests();
		const data = { [String(own.fieldIds.Title)]: 'x' };
		const deliver = async () => valuesOf(await itemsFor(trigger, { card_id: own.id, data }));
		const delivered = await Promise.all(Array.from({ length: 20 }, deliver));
		expect(delivered).toEqual(delivered.map(() => ({ Title: 'x' })));
		expect(workspace.requests()).toEqual([`GET /cards/${own.id}/fields`]);
	});

	it('gives the name of a field that was added a moment ago, and asks for it once', async () => {
		const own = await workspace.card('Growing', textFields('Title'));
		const trigger = await activated();
		const deliver = async (data: IDataObject) =>
			valuesOf(await itemsFor(trigger, { card_id: own.id, data }));
		expect(await deliver({ [String(own.fieldIds.Title)]: 'x' })).toEqual({ Title: 'x' });
		const path = `/cards/${own.id}/fields`;
		const added = (await workspace.send('POST', path, { name: 'Year', type: 'text' })) as {
			id: string;
		};
		workspace.service.control.resetRequests();
		expect(await deliver({ [added.id]: '1815' })).toEqual({ Year: '1815' });
		for (let n = 0; n < 5; n += 1) {
			expect(await deliver({ fld_nobody_knows: n })).toEqual({ fld_nobody_knows: n });
		}
		expect(workspace.requests()).toEqual([`GET ${path}`]);
	});

	it('renews a listing after a minute, before the event: its field was renamed meanwhile', async () => {
		const own = await workspace.card('Renewed', textFields('Status'));
		const trigger = await activated();
		const id = String(own.fieldIds.Status);
		const deliver = async () =>
			valuesOf(await itemsFor(trigger, { card_id: own.id, data: { [id]: 'x' } }));
		expect(await deliver()).toEqual({ Status: 'x' });
		await workspace.send('PATCH', `/cards/${own.id}/fields/${id}`, { name: 'State' });
		expect(await deliver()).toEqual({ Status: 'x' });
		pass({ seconds: 61 });
		expect(await deliver()).toEqual({ State: 'x' });
		// One that fails leaves the one before.
		workspace.fail('GET', '/fields$', { status: 503 });
		pass({ seconds: 61 });
		expect(await deliver()).toEqual({ State: 'x' });
	});

	it('asks every ten seconds while the listing fails, keeps the IDs, and says so once in the log', async () => {
		const trigger = await activated();
		const fresh = await workspace.card('Failing', textFields('Title'));
		const id = String(fresh.fieldIds.Title);
		const listings = () => workspace.requests(/fields$/).length;
		const after = async (seconds: number) => {
			pass({ seconds });
			const items = await itemsFor(trigger, { card_id: fresh.id, data: { [id]: 'Emma' } });
			return [listings(), Object.keys(valuesOf(items))[0]];
		};
		workspace.fail('GET', '/fields$', { status: 503, times: 2 });
		workspace.service.control.resetRequests();
		const seen = [];
		for (const seconds of [0, 9, 2, 8]) seen.push(await after(seconds));
		expect(seen).toEqual([1, 1, 2, 2].map((asked) => [asked, id]));
		expect(warnings).toEqual([
			expect.stringContaining(
				`The fields of card ${fresh.id} couldn't be read, so their IDs replace`,
			),
		]);
		expect(await after(3)).toEqual([3, 'Title']);
	});

	it.each([
		['listing', () => workspace.fail('GET', '/fields$', { mode: 'hang' })],
		['auth server', () => workspace.service.control.fail({ listener: 'auth', mode: 'hang' })],
	])('keeps the ids when the %s hangs, after at most three seconds', async (_, hang) => {
		const own = await workspace.card('Hanging', textFields('Title'));
		const trigger = await published({ events: ['record.created'] }, workspace.serviceAccount);
		pass({ minutes: 6 });
		hang();
		const data = { [String(own.fieldIds.Title)]: 'x' };
		const start = performance.now();
		expect(valuesOf(await itemsFor(trigger, { card_id: own.id, data }))).toEqual(data);
		expect(performance.now() - start).toBeLessThan(4_500);
	});
});

describe('an item', () => {
	const about = () => ({
		event: 'record.created',
		timestamp: expect.any(String) as string,
		workspace_id: workspace.service.workspaceId,
		card_id: books.id,
		card_name: null,
		record_id: expect.any(String) as string,
		delivery_key: expect.any(String) as string,
	});

	it('has the values of the event first, then what it says about itself, then the rest in one object', async () => {
		const trigger = await activated();
		const items = await itemsFor(trigger, { more: { nested: true } });
		expect(items).toEqual([{ Title: 'Emma', ...about(), extra: { more: { nested: true } } }]);
		expect(Object.keys(items?.[0] ?? {})).toEqual(['Title', ...Object.keys(about()), 'extra']);
	});

	it.each([
		{ error: 'e', fields: { a: 1 }, actor: { name: 'Ada' }, data: [1] },
		{ data: 'text', extra: 1, delivery_key: 'theirs', caught_up: 'no' },
		{ Title: 'as a member', id: 1, pairedItem: 2 },
	])('drops no member of the body %j, and keeps the keys of the fields', async (members) => {
		const trigger = await activated();
		const items = await itemsFor(trigger, members);
		const values = 'data' in members ? {} : { Title: 'Emma' };
		expect(items).toEqual([{ ...values, ...about(), extra: members }]);
	});

	it('is the body as delivered with its key, without Simplify; n8n takes a member error for an error', async () => {
		const trigger = await activated({ simple: false });
		const body = eventBody({ more: { nested: true }, actor: 'Ada', data: [1] });
		const { items } = await trigger.deliver(signed(trigger, { ...body, error: 'e' }));
		expect(items).toEqual([{ ...body, error_: 'e', delivery_key: expect.any(String) }]);
		const theirs = await trigger.deliver(signed(trigger, { ...body, delivery_key: 'theirs' }));
		expect(theirs.items).toEqual([{ ...body, delivery_key: 'theirs' }]);
	});

	it('keeps field names that would change an object', async () => {
		const trigger = await activated();
		const body = JSON.stringify(eventBody()).replace(
			/"data":\{/,
			'"data":{"__proto__":"p","constructor":1,"error":"e",',
		);
		const { items } = await trigger.deliver(signed(trigger, body));
		const values = valuesOf(items);
		expect(Object.keys(values).sort()).toEqual(
			['Title', '__proto__', 'constructor', 'fields.error'].sort(),
		);
		expect(Object.getOwnPropertyDescriptor(items?.[0], '__proto__')?.value).toBe('p');
		expect(({} as IDataObject).p).toBeUndefined();
	});

	it('has a field whose name the node uses under fields.<name>, whatever else the body has', async () => {
		const names = ['event', 'card_name', 'id', 'extra', 'delivery_key', 'error'];
		const own = await workspace.card('Used names', textFields(...names));
		const data = Object.fromEntries(Object.values(own.fieldIds).map((id) => [String(id), 'v']));
		const trigger = await activated();
		const deliver = async (members: IDataObject) =>
			await itemsFor(trigger, { ...members, card_id: own.id, data });
		const values = Object.fromEntries(names.map((name) => [`fields.${name}`, 'v']));
		const plain = { ...values, ...about(), card_id: own.id };
		expect(await deliver({})).toEqual([plain]);
		expect(await deliver({ actor: 'Ada' })).toEqual([{ ...plain, extra: { actor: 'Ada' } }]);
	});

	it('has both of two values that would have one name', async () => {
		const trigger = await activated();
		const id = String(books.fieldIds.Title);
		const data = { [id]: 'by ID', Title: 'by name' };
		const values = valuesOf(await itemsFor(trigger, { data }));
		expect([values.Title, values[id]].sort()).toEqual(['by ID', 'by name']);
	});

	it('names the card where the parameter does', async () => {
		const trigger = await activated(oneCard('Books', 'name'));
		expect(await itemsFor(trigger)).toEqual([{ Title: 'Emma', ...about(), card_name: 'Books' }]);
	});

	it("has no values where the event carries none, and nulls for what it doesn't say", async () => {
		const trigger = await activated({ events: ['card.created'] });
		const said = { event: 'card.created', card_name: 'as the service says' };
		const items = await itemsFor(trigger, { ...said, record_id: undefined, data: undefined });
		expect(items).toEqual([{ ...about(), ...said, record_id: null }]);
	});
});

describe('filters', () => {
	let own: typeof books;
	beforeEach(async () => {
		own = await workspace.card('Filtered', { Title: 'text', Pages: 'number', Due: 'datetime' });
	});

	/** Delivers events with values to a node with these conditions. */
	async function filtered(conditions: IDataObject[], watched = oneCard(own.id)) {
		const trigger = await activated({ ...watched, options: { filters: { conditions } } });
		const deliver = async (values: IDataObject, more: IDataObject = {}) => {
			const data = Object.fromEntries(
				Object.entries(values).map(([name, value]) => [own.fieldIds[name] ?? name, value]),
			);
			const body = eventBody({ card_id: own.id, data, ...more } as IDataObject);
			const { status, items } = await trigger.deliver(signed(trigger, body));
			expect(status).toBe(200);
			return items !== undefined;
		};
		return Object.assign(deliver, { idle: trigger.idle });
	}

	it.each([
		['a value of no use', { field: 'Pages', condition: 'equals', value: 'x' }, 'can\'t hold "x"'],
		['an unknown condition', { field: 'Pages', condition: 'isLike' }, "'Condition' can't be"],
	])('%s is told to who publishes, and nothing is subscribed', async (_, condition, message) => {
		const before = workspace.service.control.subscriptions().length;
		await expect(filtered([condition])).rejects.toThrow(message);
		expect(workspace.service.control.subscriptions()).toHaveLength(before);
	});

	const createdAt = { field: 'created_at', condition: 'greaterThan', value: '2026-01-01' };
	const updated = ['record.updated'];
	const nope = { conditions: [{ field: 'Nope', condition: 'isEmpty' }] };
	it.each<[string, IDataObject, string]>([
		['a condition on such a field', { options: { filters: nope } }, "no field 'Nope'"],
		[
			'a field to watch that the card lacks',
			{ options: { watchFields: ['Status'] } },
			"no field 'Status'",
		],
		[
			'events of new cards',
			{ events: ['card.created', ...updated] },
			"can't include 'Card Created'",
		],
		[
			'the time of creation, of records that change',
			{ events: updated, options: { filters: { conditions: [createdAt] } } },
			"'Filters' can't compare 'Created At' without the event 'Record Created'",
		],
	])(
		'%s is refused when the workflow is published, but not at a start',
		async (_, parameters, message) => {
			const trigger = watchAll({ ...oneCard(own.id), ...parameters });
			await expect(trigger.activate()).rejects.toThrow(message);
			expect(live(trigger)).toEqual([]);
			await afterRestart(trigger).activate('init');
			expect(live(trigger)).toHaveLength(1);
		},
	);

	it.each([
		['an expression that returns nothing', { condition: 'equals', value: '={{ undefined }}' }],
		['an empty value', { condition: 'greaterThan', value: '' }],
		['no value', { condition: 'isAnyOf' }],
	])('with all cards, %s is refused when the workflow is published', async (_, condition) => {
		workspace.service.control.resetRequests();
		const conditions = [{ field: 'Title', ...condition }];
		await expect(filtered(conditions, { watch: 'allCards' })).rejects.toThrow(
			"'Value' is empty in a condition of 'Filters'. Enter a value",
		);
		expect(workspace.requests()).toEqual([]);
	});

	it('conditions that fit no longer start the workflow with every event, and the log says so', async () => {
		const options = ['Open', 'Gone'];
		own = await workspace.card('Chosen', { Status: { type: 'single_select', options } });
		const equals = (value: string) => [{ field: 'Status', condition: 'equals', value }];
		await expect(filtered(equals('Never'))).rejects.toThrow(/Never/);
		const deliver = await filtered(equals('Gone'));
		expect(await deliver({ Status: 'Open' })).toBe(false);
		const path = `/cards/${own.id}/fields/${own.fieldIds.Status}`;
		await workspace.send('PATCH', path, { options: ['Open'] });
		pass({ minutes: 1.1 });
		// The new listing comes in the background.
		await deliver({ Status: 'Open' });
		await deliver.idle();
		expect(await deliver({ Status: 'Open' })).toBe(true);
		expect(warnings).toEqual([expect.stringContaining("'Filters' can't be compared")]);
	});

	it("publishing succeeds although the fields can't be read", async () => {
		workspace.fail('GET', '/fields$', { status: 500, times: 5 });
		const deliver = await filtered([{ field: 'Pages', condition: 'isEmpty' }]);
		workspace.service.control.clearFailures();
		expect(await deliver({ Pages: 2 })).toBe(false);
	});
});

it('watched fields that were added a moment ago start the workflow', async () => {
	const own = await workspace.card('Watched', textFields('Other', 'A'));
	const trigger = await activated({ options: { watchFields: ['A', 'B'] } });
	const change = async (fieldId: unknown) => {
		const data = { [String(fieldId)]: 'x' };
		return await itemsFor(trigger, { event: 'record.updated', card_id: own.id, data });
	};
	expect(await change(own.fieldIds.A)).toHaveLength(1);
	const path = `/cards/${own.id}/fields`;
	const added = (await workspace.send('POST', path, { name: 'B', type: 'text' })) as IDataObject;
	expect(await change(added.id)).toHaveLength(1);
	expect(await change(own.fieldIds.Other)).toBeUndefined();
	expect(warnings).toEqual([]);
});

describe("the age of an event, by the service's clock", () => {
	const old = (minutes: number) => ({
		timestamp: new Date(Date.now() - minutes * 60_000).toISOString(),
	});
	const setClock = (minutes: number) =>
		workspace.service.control.setClockOffset({ seconds: minutes * 60 + 0.001 });
	const limited = async () => await activated({ options: { maxEventAge: 5 } });
	const runsAt = async (trigger: TestTrigger, minutes: number) =>
		await runs(trigger, current(trigger), old(minutes));
	const asked = () => workspace.requests(/cards$/).length;

	it.each([-20, 20])('is right if that clock is %d minutes ahead', async (ahead) => {
		setClock(ahead);
		const trigger = await limited();
		expect([await runsAt(trigger, -ahead), await runsAt(trigger, 6 - ahead)]).toEqual([1, 0]);
		expect(warnings).toEqual([expect.stringMatching(/it is 6 minutes old/)]);
	});

	it.each([-20, 20])('is right a minute after that clock was %d minutes ahead', async (ahead) => {
		setClock(ahead);
		const trigger = await limited();
		setClock(0);
		pass({ minutes: 1.1 });
		expect([await runsAt(trigger, 0), await runsAt(trigger, 6)]).toEqual([1, 0]);
	});

	it('is right when the service is away at the start', async () => {
		setClock(-60);
		const trigger = await limited();
		const next = afterRestart(trigger);
		refuseNext({ status: 503 });
		await next.activate('init');
		expect([await runsAt(next, 61), await runsAt(next, 66)]).toEqual([1, 0]);
	});

	it('is asked for once a minute, however many old events come', async () => {
		const trigger = await limited();
		const askedAfter = async (seconds: number) => {
			pass({ seconds });
			for (let n = 0; n < 3; n += 1) expect(await runsAt(trigger, 60)).toBe(0);
			return asked();
		};
		workspace.service.control.resetRequests();
		// Publishing has told the time, too.
		expect([await askedAfter(1), await askedAfter(57), await askedAfter(4)]).toEqual([0, 0, 1]);
		expect([await askedAfter(57), await askedAfter(4)]).toEqual([1, 2]);
	});

	it("counts as recent if the service can't be asked", async () => {
		const trigger = await limited();
		pass({ minutes: 1.1 });
		workspace.service.control.fail({ path: '/cards', status: 503 });
		expect(await runsAt(trigger, 6)).toBe(1);
	});
});

it("takes an event as recent if the service doesn't state its time and has another clock", async () => {
	const { port } = new URL(String(workspace.apiKey.workspaceDataApi?.baseUrl));
	const silent = await startWebServer((request, response) => {
		response.sendDate = false;
		const { method, url, headers } = request;
		const forwarded = httpRequest({ port, method, path: url, headers }, (answer) => {
			delete answer.headers.date;
			response.writeHead(answer.statusCode ?? 500, answer.headers);
			answer.pipe(response);
		});
		request.pipe(forwarded);
	});
	const credential = { ...workspace.apiKey.workspaceDataApi, baseUrl: `${silent.url}/api/v1` };
	const parameters = { options: { maxEventAge: 5 } };
	const trigger = await published(parameters, { workspaceDataApi: credential });
	pass({ minutes: 1.1 });
	const timestamp = new Date(Date.now() - 2 * 3_600_000).toISOString();
	expect(await runs(trigger, current(trigger), { timestamp })).toBe(1);
	await trigger.deactivate();
	await silent.close();
});
