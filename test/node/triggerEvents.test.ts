/** Which events start the workflow, by their age, fields and filters, and what they return. */
import type { IDataObject } from 'n8n-workflow';
import { request as httpRequest } from 'node:http';
import { createTestClock } from '../support/clock';
import { signed, useDeliveries, valuesOf } from '../support/deliveries';
import { triggerNode, watchWarnings } from '../support/trigger';
import { startWebServer } from '../support/webServer';
import type { TestCard, TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
let warnings: { readonly lines: string[] };
const { activated, eventBody } = useDeliveries((made) => ({ workspace, card, warnings } = made));

/** Names of text fields, for a card. */
const textFields = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'text']));

describe('output', () => {
	it('gives ids where they are wanted, without asking for the fields', async () => {
		const trigger = await activated({ options: { fieldKeys: 'id' } });
		workspace.service.control.resetRequests();
		const { items } = await trigger.deliver(signed(trigger, eventBody()));
		expect(valuesOf(items)).toEqual({ [String(card.fieldIds.Title)]: 'Emma' });
		expect(workspace.requests()).toEqual([]);
	});

	it('asks for the fields of a card once a minute, not once a delivery', async () => {
		const own = await workspace.card('Names', textFields('Title'));
		const trigger = await activated();
		workspace.service.control.resetRequests();
		const data = { [String(own.fieldIds.Title)]: 'x' };
		const deliver = async () => {
			const { items } = await trigger.deliver(
				signed(trigger, eventBody({ card_id: own.id, data })),
			);
			expect(valuesOf(items)).toEqual({ Title: 'x' });
		};
		await Promise.all(Array.from({ length: 20 }, deliver));
		expect(workspace.requests()).toEqual([`GET /cards/${own.id}/fields`]);
	});

	it('gives the name of a field that was added a moment ago, and asks for it once', async () => {
		const own = await workspace.card('Growing', textFields('Title'));
		const trigger = await activated();
		const deliver = async (data: IDataObject) =>
			valuesOf(
				(await trigger.deliver(signed(trigger, eventBody({ card_id: own.id, data })))).items,
			);
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

	it("doesn't wait for a listing that only renews the one before", async () => {
		const own = await workspace.card('Renewed', textFields('Title'));
		const trigger = await activated();
		const data = { [String(own.fieldIds.Title)]: 'x' };
		const delivery = () => signed(trigger, eventBody({ card_id: own.id, data }));
		await trigger.deliver(delivery());
		workspace.fail('GET', '/fields$', { mode: 'hang' });
		const start = Date.now() + 61_000;
		const clock = createTestClock(start);
		const { items } = await trigger.deliver({ ...delivery(), clock });
		expect(valuesOf(items)).toEqual({ Title: 'x' });
		// A new listing would be waited for, for up to 3 s.
		expect(clock.now() - start).toBeLessThan(3_000);
	});

	it('asks every ten seconds while the listing fails, keeps the IDs, and says so once in the log', async () => {
		const trigger = await activated();
		const fresh = await workspace.card('Failing', textFields('Title'));
		const id = String(fresh.fieldIds.Title);
		const listings = () => workspace.requests().filter((line) => line.endsWith('/fields')).length;
		const start = Date.now();
		const at = async (seconds: number) => {
			jest.spyOn(Date, 'now').mockReturnValue(start + seconds * 1_000);
			const body = eventBody({ card_id: fresh.id, data: { [id]: 'Emma' } });
			const { items } = await trigger.deliver(signed(trigger, body));
			return [listings(), Object.keys(valuesOf(items))[0]];
		};
		workspace.fail('GET', '/fields$', { status: 503, times: 2 });
		workspace.service.control.resetRequests();
		const seen = [];
		for (const seconds of [0, 9.9, 10.1, 20]) seen.push(await at(seconds));
		expect(seen).toEqual([1, 1, 2, 2].map((asked) => [asked, id]));
		expect(warnings.lines).toEqual([
			expect.stringContaining(
				`The fields of card ${fresh.id} couldn't be read, so their IDs replace`,
			),
		]);
		expect(await at(20.2)).toEqual([3, 'Title']);
	});

	it('keeps the ids when the listing hangs, after at most three seconds', async () => {
		const own = await workspace.card('Hanging', textFields('Title'));
		const trigger = await activated();
		workspace.fail('GET', '/fields$', { mode: 'hang' });
		const data = { [String(own.fieldIds.Title)]: 'x' };
		const delivery = signed(trigger, eventBody({ card_id: own.id, data }));
		const start = Date.now();
		const clock = createTestClock(start);
		expect(valuesOf((await trigger.deliver({ ...delivery, clock })).items)).toEqual(data);
		expect(clock.now() - start).toBeLessThanOrEqual(3_000);
	});
});

describe('an item', () => {
	const about = () => ({
		event: 'record.created',
		timestamp: expect.any(String) as string,
		workspace_id: workspace.service.workspaceId,
		card_id: card.id,
		card_name: null,
		record_id: expect.any(String) as string,
		delivery_key: expect.any(String) as string,
	});

	it('has the values of the event first, then what it says about itself, then the rest in one object', async () => {
		const trigger = await activated();
		const body = eventBody({ more: { nested: true } });
		const { items } = await trigger.deliver(signed(trigger, body));
		expect(items).toEqual([{ Title: 'Emma', ...about(), extra: { more: { nested: true } } }]);
		expect(Object.keys(items?.[0] ?? {})).toEqual(['Title', ...Object.keys(about()), 'extra']);
	});

	it.each([
		{ error: 'e', fields: { a: 1 }, actor: { name: 'Ada' }, data: [1] },
		{ data: 'text', extra: 1, delivery_key: 'theirs', caught_up: 'no' },
		{ Title: 'as a member', id: 1, pairedItem: 2 },
	])('drops no member of the body %j, and keeps the keys of the fields', async (members) => {
		const trigger = await activated();
		const body = eventBody(members);
		const { items } = await trigger.deliver(signed(trigger, body));
		const values = 'data' in members ? {} : { Title: 'Emma' };
		expect(items).toEqual([{ ...values, ...about(), extra: members }]);
	});

	it('is the body as delivered with its key, without Simplify; n8n takes a member error for an error', async () => {
		const trigger = await activated({ simple: false });
		const body = eventBody({ more: { nested: true }, actor: 'Ada', data: [1] });
		const { items } = await trigger.deliver(signed(trigger, { ...body, error: 'e' }));
		expect(items).toEqual([{ ...body, error_: 'e', delivery_key: expect.any(String) }]);
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
		const names = ['event', 'card_name', 'id', 'extra', 'caught_up', 'delivery_key', 'error'];
		const own = await workspace.card('Used names', textFields(...names));
		const data = Object.fromEntries(Object.values(own.fieldIds).map((id) => [String(id), 'v']));
		const trigger = await activated();
		const deliver = async (members: IDataObject) => {
			const event = { ...eventBody(), ...members, card_id: own.id, data };
			return (await trigger.deliver(signed(trigger, event))).items;
		};
		const values = Object.fromEntries(names.map((name) => [`fields.${name}`, 'v']));
		const plain = { ...values, ...about(), card_id: own.id };
		expect(await deliver({})).toEqual([plain]);
		expect(await deliver({ actor: 'Ada' })).toEqual([{ ...plain, extra: { actor: 'Ada' } }]);
	});

	it('has both of two values that would have one name', async () => {
		const trigger = await activated();
		const id = String(card.fieldIds.Title);
		const body = eventBody({ data: { [id]: 'by ID', Title: 'by name' } });
		const values = valuesOf((await trigger.deliver(signed(trigger, body))).items);
		expect([values.Title, values[id]].sort()).toEqual(['by ID', 'by name']);
	});

	it('names the card where the parameter does', async () => {
		const watched = { watch: 'oneCard', cardId: { __rl: true, mode: 'name', value: 'Books' } };
		const trigger = await activated(watched);
		const { items } = await trigger.deliver(signed(trigger, eventBody()));
		expect(items).toEqual([{ Title: 'Emma', ...about(), card_name: 'Books' }]);
	});

	it("has no values where the event carries none, and nulls for what it doesn't say", async () => {
		const trigger = await activated({ events: ['card.created'] });
		const said = { event: 'card.created', card_name: 'as the service says' };
		const body = { ...eventBody(), ...said, record_id: undefined, data: undefined };
		const { items } = await trigger.deliver(signed(trigger, body));
		expect(items).toEqual([{ ...about(), ...said, record_id: null }]);
	});
});

describe('filters', () => {
	let own: TestCard;
	beforeEach(async () => {
		own = await workspace.card('Filtered', { Title: 'text', Pages: 'number', Due: 'datetime' });
	});

	/** Delivers events with values to a node with these conditions. */
	async function filtered(conditions: IDataObject[], watch = 'oneCard') {
		const trigger = await activated({
			watch,
			cardId: { __rl: true, mode: 'id', value: own.id },
			options: { filters: { conditions } },
		});
		return async (values: IDataObject, more: IDataObject = {}) => {
			const data = Object.fromEntries(
				Object.entries(values).map(([name, value]) => [own.fieldIds[name] ?? name, value]),
			);
			const body = eventBody({ card_id: own.id, data, ...more } as IDataObject);
			const { status, items } = await trigger.deliver(signed(trigger, body));
			expect(status).toBe(200);
			return items !== undefined;
		};
	}

	it.each([
		['an unknown field', { field: 'Nope', condition: 'equals', value: 1 }, "no field 'Nope'"],
		['a value of no use', { field: 'Pages', condition: 'equals', value: 'x' }, 'can\'t hold "x"'],
		['an unknown condition', { field: 'Pages', condition: 'isLike' }, "'Condition' can't be"],
	])('%s is told to who publishes, and nothing is subscribed', async (_, condition, message) => {
		const before = workspace.service.control.subscriptions().length;
		await expect(filtered([condition])).rejects.toThrow(message);
		expect(workspace.service.control.subscriptions()).toHaveLength(before);
	});

	it.each([
		['an expression that returns nothing', { condition: 'equals', value: '={{ undefined }}' }],
		['an empty value', { condition: 'greaterThan', value: '' }],
		['no value', { condition: 'isAnyOf' }],
	])('with all cards, %s is refused when the workflow is published', async (_, condition) => {
		workspace.service.control.resetRequests();
		const conditions = [{ field: 'Title', ...condition }];
		await expect(filtered(conditions, 'allCards')).rejects.toThrow(
			"'Value' is empty in a condition of 'Filters'. Enter a value",
		);
		expect(workspace.requests()).toEqual([]);
	});

	it("n8n starts: conditions that fit no longer don't end a published trigger", async () => {
		const trigger = triggerNode(workspace.apiKey, {
			events: ['record.created'],
			watch: 'oneCard',
			cardId: { __rl: true, mode: 'id', value: own.id },
			options: { filters: { conditions: [{ field: 'Nope', condition: 'isEmpty' }] } },
		});
		await trigger.activate('init');
		trigger.reload();
		const { items } = await trigger.deliver(signed(trigger, eventBody({ card_id: own.id })));
		expect(items).toHaveLength(1);
	});

	it('a choice that was removed from its field is compared; publishing asks for one that it has', async () => {
		const options = ['Open', 'Gone'];
		own = await workspace.card('Chosen', { Status: { type: 'single_select', options } });
		const equals = (value: string) => [{ field: 'Status', condition: 'equals', value }];
		await expect(filtered(equals('Never'))).rejects.toThrow('can\'t hold "Never"');
		const deliver = await filtered(equals('Gone'));
		const path = `/cards/${own.id}/fields/${own.fieldIds.Status}`;
		await workspace.send('PATCH', path, { options: ['Open'] });
		expect(await deliver({ Status: 'Gone' })).toBe(true);
		expect(await deliver({ Status: 'Open' })).toBe(false);
	});

	it("publishing succeeds although the fields can't be read", async () => {
		workspace.fail('GET', '/fields$', { status: 500, times: 5 });
		const deliver = await filtered([{ field: 'Pages', condition: 'isEmpty' }]);
		workspace.service.control.reset();
		expect(await deliver({ Pages: 2 })).toBe(false);
	});
});

it('watched fields that were added a moment ago start the workflow', async () => {
	const own = await workspace.card('Watched', textFields('Other', 'A'));
	const cardId = { __rl: true, mode: 'id', value: own.id };
	const options = { watchFields: ['A', 'B'] };
	const trigger = await activated({ watch: 'oneCard', cardId, options });
	const change = async (fieldId: unknown) => {
		const changed = { card_id: own.id, data: { [String(fieldId)]: 'x' } };
		const body = eventBody({ event: 'record.updated', ...changed });
		return (await trigger.deliver(signed(trigger, body))).items;
	};
	expect(await change(own.fieldIds.A)).toHaveLength(1);
	const path = `/cards/${own.id}/fields`;
	const added = (await workspace.send('POST', path, { name: 'B', type: 'text' })) as IDataObject;
	expect(await change(added.id)).toHaveLength(1);
	expect(await change(own.fieldIds.Other)).toBeUndefined();
	expect(warnings.lines).toEqual([]);
});

describe('when the local clock was wrong at the start and is put right', () => {
	const skewed = async (minutes: number) => {
		const now = Date.now.bind(Date);
		jest.spyOn(Date, 'now').mockImplementation(() => now() + minutes * 60_000);
		const trigger = await activated({ options: { maxEventAge: 5 } });
		jest.restoreAllMocks();
		warnings = watchWarnings();
		return trigger;
	};

	it.each([-20, 20])(
		'by %d minutes, takes fresh events, ignores old ones and says so',
		async (minutes) => {
			const trigger = await skewed(minutes);
			// Learns the time from the first event that seems to come from another time.
			expect((await trigger.deliver(signed(trigger, eventBody()))).items).toHaveLength(1);
			const timestamp = new Date(Date.now() - 6 * 60_000).toISOString();
			const old = await trigger.deliver(signed(trigger, eventBody({ timestamp })));
			expect(old.items).toBeUndefined();
			expect(warnings.lines).toEqual([expect.stringMatching(/it is 6 minutes old/)]);
		},
	);

	it('takes events whose age nobody can tell', async () => {
		const away = await skewed(-20);
		workspace.service.control.fail({ path: '/records$', status: 503 });
		expect((await away.deliver(signed(away, eventBody()))).items).toHaveLength(1);
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
	const parameters = { events: ['record.created'], options: { maxEventAge: 5 } };
	const trigger = triggerNode({ workspaceDataApi: credential }, parameters);
	await trigger.activate();
	trigger.reload();
	const timestamp = new Date(Date.now() - 2 * 3_600_000).toISOString();
	const { items } = await trigger.deliver(signed(trigger, eventBody({ timestamp })));
	expect(items).toHaveLength(1);
	await trigger.deactivate();
	await silent.close();
});

it('asks the service for its time once a minute, however many old events come', async () => {
	const trigger = await activated({ options: { maxEventAge: 5 } });
	const now = Date.now();
	const timestamp = new Date(now - 3_600_000).toISOString();
	workspace.service.control.resetRequests();
	const asked = async (seconds: number) => {
		jest.spyOn(Date, 'now').mockReturnValue(now + seconds * 1_000);
		for (let n = 0; n < 3; n += 1) {
			const old = await trigger.deliver(signed(trigger, eventBody({ timestamp })));
			expect(old.items).toBeUndefined();
		}
		jest.restoreAllMocks();
		return workspace.requests().filter((line) => line.includes('/records')).length;
	};
	// Publishing has told the time, too.
	expect([await asked(1), await asked(59), await asked(62)]).toEqual([0, 0, 1]);
	expect([await asked(120), await asked(124)]).toEqual([1, 2]);
});
