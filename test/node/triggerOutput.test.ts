/** The output of an event: names of fields, with and without a listing of them. */
import type { IDataObject } from 'n8n-workflow';
import { createTestClock } from '../support/clock';
import { signed, useDeliveries, valuesOf } from '../support/deliveries';
import type { watchWarnings } from '../support/trigger';
import type { TestCard, TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
let warnings: ReturnType<typeof watchWarnings>;
const { activated, eventBody } = useDeliveries((made) => ({ workspace, card, warnings } = made));

describe('output', () => {
	it('gives ids where they are wanted, without asking for the fields', async () => {
		const trigger = await activated({ options: { fieldKeys: 'id' } });
		workspace.service.control.resetRequests();
		const { items } = await trigger.deliver(signed(trigger, eventBody()));
		expect(valuesOf(items)).toEqual({ [String(card.fieldIds.Title)]: 'Emma' });
		expect(workspace.requests()).toEqual([]);
	});

	it('asks for the fields of a card once a minute, not once a delivery', async () => {
		const own = await workspace.card('Names', [{ name: 'Title', type: 'text' }]);
		const trigger = await activated();
		workspace.service.control.resetRequests();
		const data = { [String(own.fieldIds.Title)]: 'x' };
		const answers = await Promise.all(
			Array.from(
				{ length: 20 },
				async () => await trigger.deliver(signed(trigger, eventBody({ card_id: own.id, data }))),
			),
		);
		expect(answers.map(({ items }) => valuesOf(items))).toEqual(
			Array.from({ length: 20 }, () => ({ Title: 'x' })),
		);
		expect(workspace.requests()).toEqual([`GET /cards/${own.id}/fields`]);
	});

	it('gives the name of a field that was added a moment ago, and asks for it once', async () => {
		const own = await workspace.card('Growing', [{ name: 'Title', type: 'text' }]);
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
		const own = await workspace.card('Renewed', [{ name: 'Title', type: 'text' }]);
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

	it('asks every ten seconds while the listing fails', async () => {
		const trigger = await activated();
		const fresh = await workspace.card('Failing', [{ name: 'Title', type: 'text' }]);
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
		expect(await at(20.2)).toEqual([3, 'Title']);
	});

	it('keeps the ids when the listings answer 503, and one line in the log says so', async () => {
		const own = await workspace.card('Overloaded', [{ name: 'Title', type: 'text' }]);
		const trigger = await activated();
		workspace.fail('GET', '/fields$', { status: 503, times: 99 });
		const id = String(own.fieldIds.Title);
		for (let n = 0; n < 5; n += 1) {
			const event = eventBody({ card_id: own.id, data: { [id]: n } });
			expect(valuesOf((await trigger.deliver(signed(trigger, event))).items)).toEqual({ [id]: n });
		}
		expect(warnings.lines).toEqual([
			expect.stringMatching(
				new RegExp(`The fields of card ${own.id} couldn't be read, so their IDs replace the names`),
			),
		]);
	});

	it('keeps the ids when the listing hangs, after at most three seconds', async () => {
		const own = await workspace.card('Hanging', [{ name: 'Title', type: 'text' }]);
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

	it('is the body as delivered with its key, without Simplify', async () => {
		const trigger = await activated({ simple: false });
		const body = eventBody({ more: { nested: true }, actor: 'Ada', data: [1] });
		const { items } = await trigger.deliver(signed(trigger, body));
		expect(items).toEqual([{ ...body, delivery_key: expect.any(String) }]);
	});

	it('holds no member without Simplify that n8n takes for an error', async () => {
		const trigger = await activated({ simple: false });
		const body = eventBody();
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
		const own = await workspace.card(
			'Used names',
			names.map((name) => ({ name, type: 'text' })),
		);
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
