/** Data and shapes that a test asks for: by its control, over HTTP. */
import { type ControlledService, startService, type Variants } from '../../../service/index.ts';
import { fieldTypes } from '../../../service/foundation/fieldTypes.ts';
import { type Client, createClient, until } from '../client.ts';
import { type Receiver, startReceiver } from '../receiver.ts';

let service: ControlledService;
let receiver: Receiver;
let api: Client;
beforeAll(async () => {
	service = await startService({ control: true, backoffMs: 60_000 });
	receiver = await startReceiver();
	api = createClient(service);
});
afterEach(() => {
	service.control.reset({ data: true });
	receiver.received.length = 0;
	receiver.answer = () => 200;
});
afterAll(async () => {
	receiver.hangUp();
	await service.close();
	await receiver.close();
});

const use = (variants: Partial<Variants>) => service.control.setVariants(variants);
const seed = (...fields: object[]) => {
	const card = { name: 'Card', fields: fields as never };
	return service.control.seed({ cards: [card] }).cards[0] as { id: string } & {
		fieldIds: Record<string, string>;
	};
};

test('records that fill a card have a value of each type, another in each record', async () => {
	const options = ['A', 'B', 'C'];
	const card = seed(
		...fieldTypes.map((type) => ({
			...{ name: type, type },
			...(type.endsWith('_select') && { options }),
		})),
		{ name: 'empty', type: 'single_select' },
		{ name: 'none', type: 'multi_select' },
	);
	expect(service.control.fillCard({ cardId: card.id, count: 4 })).toEqual({ count: 4 });
	const { records } = (await api('GET', `cards/${card.id}/records`)).body;
	const names = new Map(Object.entries(card.fieldIds).map(([name, id]) => [id, name]));
	const named = records.map(({ data }) =>
		Object.fromEntries(Object.entries(data).map(([id, value]) => [names.get(id), value])),
	);
	const of = (n: number, option: string) => ({
		text: `text ${n}`,
		long_text: `long_text ${n}\nSecond line.`,
		number: n,
		boolean: n % 2 === 0,
		date: `2020-01-0${n + 1}`,
		datetime: `2020-01-01T00:0${n}:00.000Z`,
		single_select: option,
		multi_select: [option],
		email: `person${n}@example.com`,
		url: `https://example.com/${n}`,
		json: { n },
		none: [],
	});
	expect(named).toEqual([of(0, 'A'), of(1, 'B'), of(2, 'C'), of(3, 'A')]);
	expect(() => service.control.fillCard({ cardId: card.id, count: 0 })).toThrow();
	expect(() => service.control.fillCard({ cardId: 'none', count: 1 })).toThrow('"none"');
});

test.each(['bare', 'named', 'data'] as const)(
	'objects that are %s are so for every kind and verb',
	async (objects) => {
		use({ objects, deleteStatus: 200 });
		const { id: cid } = seed();
		const inner = (noun: string, body: Record<string, unknown>) =>
			(objects === 'bare' ? body : body[objects === 'data' ? 'data' : noun]) as { id: string };
		const card = inner('card', (await api('PATCH', `cards/${cid}`, { name: 'New' })).body);
		expect(card).toMatchObject({ id: cid, name: 'New' });
		const input = { name: 'a', type: 'single_select', options: ['x', 'y'] };
		const field = inner('field', (await api('POST', `cards/${cid}/fields`, input)).body);
		expect(field).toEqual({ id: expect.any(String), ...input });
		const record = inner('record', (await api('POST', `cards/${cid}/records`, { data: {} })).body);
		expect(record).toMatchObject({ data: {} });
		const hook = { target_url: 'http://127.0.0.1:1/', events: ['card.created'] };
		const made = (await api('POST', 'webhooks', hook)).body;
		expect(made.secret).toMatch(/^whsec_/);
		const { webhook_id: wid } = inner('webhook', made) as unknown as { webhook_id: string };
		const removed = async (noun: string, path: string) => {
			const answer = await api('DELETE', path);
			expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
			return [answer.status, inner(noun, answer.body)];
		};
		const { id: rid } = record;
		expect(await removed('record', `cards/${cid}/records/${rid}`)).toEqual([200, record]);
		expect(await removed('field', `cards/${cid}/fields/${field.id}`)).toEqual([200, field]);
		expect(await removed('webhook', `webhooks/${wid}`)).toEqual([
			200,
			{ webhook_id: wid, ...hook, card_id: null, state: 'active', created_at: expect.any(String) },
		]);
		expect(await removed('card', `cards/${cid}`)).toEqual([200, card]);
		expect((await api('DELETE', `cards/${cid}`)).status).toBe(404);
	},
);

test('properties that nobody asked for are on every object, and on pages', async () => {
	use({ extraProperties: true });
	const { id: cid } = seed({ name: 'a', type: 'text' });
	await api('POST', `cards/${cid}/records`, { data: {} });
	const extra = { _links: { self: null }, x_revision: 7, x_labels: ['extra'] };
	const page = (await api('GET', `cards/${cid}/records`)).body;
	expect(page).toMatchObject({ ...extra, records: [extra] });
	expect((await api('GET', `cards/${cid}/fields`)).body).toMatchObject({ fields: [extra] });
	expect((await api('GET', 'cards')).body).toMatchObject({ cards: [extra] });
});

describe('the limit of a page', () => {
	test.each([
		['1000', 200],
		['1001', 200],
		['999999999', 200],
		['9999999999', 400],
		['-1', 400],
		['1e4', 400],
	])('%s is taken as the maximum or refused: %d', async (limit, status) => {
		const { id } = seed();
		use({ limitAboveMaximum: 'clamp' });
		expect((await api('GET', `cards/${id}/records?limit=${limit}`)).status).toBe(status);
	});

	test('that is below it stays unchanged', async () => {
		const { id } = seed();
		service.control.fillCard({ cardId: id, count: 3 });
		use({ limitAboveMaximum: 'clamp' });
		expect((await api('GET', `cards/${id}/records?limit=2`)).body.records).toHaveLength(2);
	});
});

test.each([
	[{}, { changed: 'new' }],
	[{ updatedEventData: 'full' }, { kept: 'k', changed: 'new' }],
	[
		{ updatedEventData: 'full', clearedFields: 'null' },
		{ kept: 'k', changed: 'new', none: null },
	],
] as Array<[Partial<Variants>, object]>)('an event with %j has %j', async (variants, expected) => {
	const { id, fieldIds } = seed(
		...['kept', 'changed', 'none'].map((name) => ({ name, type: 'text' })),
	);
	const of = (name: string) => fieldIds[name] ?? '';
	const path = `cards/${id}/records`;
	const data = { [of('kept')]: 'k', [of('changed')]: 'old' };
	const record = (await api('POST', path, { data })).body;
	const events = ['record.updated', 'record.deleted', 'card.updated'];
	await api('POST', 'webhooks', { target_url: receiver.url, events });
	use(variants);
	await api('PATCH', `${path}/${record.id}`, { data: { [of('changed')]: 'new' } });
	await api('DELETE', `${path}/${record.id}`);
	await api('PATCH', `cards/${id}`, { name: 'New' });
	await until('all are there', () => receiver.received.length === 3);
	const named = Object.entries(expected).map(([name, value]) => [of(name), value]);
	const [updated, deleted, card] = receiver.received.map(({ body }) => body);
	expect(updated?.data).toEqual(Object.fromEntries(named));
	expect(deleted?.data).toEqual({
		...{ [of('kept')]: 'k', [of('changed')]: 'new' },
		...(variants.clearedFields === 'null' && { [of('none')]: null }),
	});
	expect(card).not.toHaveProperty('data');
});

test('cursors that never end repeat themselves, or begin again', async () => {
	const { id } = seed();
	service.control.fillCard({ cardId: id, count: 3 });
	const page = async (query: string) =>
		(await api('GET', `cards/${id}/records?limit=2${query}`)).body;
	const { next_cursor: first } = await page('');
	service.control.setPaging({ mode: 'repeatCursor' });
	expect((await page('')).next_cursor).toBe(first);
	expect((await page(`&cursor=${first}`)).next_cursor).toBe(first);
	const whole = (await api('GET', `cards/${id}/records?limit=3`)).body;
	const rest = await page(`&cursor=${whole.next_cursor}`);
	expect([whole.records.length, rest.records.length]).toEqual([3, 0]);
	service.control.setPaging({ mode: 'endless' });
	expect((await page('')).next_cursor).toBe(first);
	const { records, next_cursor: again } = await page(`&cursor=${first}`);
	expect(records).toHaveLength(1);
	expect((await page(`&cursor=${again}`)).records).toHaveLength(2);
	const empty = seed();
	service.control.setPaging({ mode: 'repeatCursor' });
	expect((await api('GET', `cards/${empty.id}/records`)).body.next_cursor).toBeNull();
});

test('what failed for the fourth time pauses, with the last reason in the e-mail', async () => {
	service.control.setBackoff({ ms: 0 });
	receiver.answer = () => 503;
	await api('POST', 'webhooks', { target_url: receiver.url, events: ['card.created'] });
	await api('POST', 'cards', { name: 'x' });
	await until('it is paused', () => service.control.subscriptions()[0]?.state === 'paused');
	const [mail] = service.control.outbox();
	expect(receiver.received).toHaveLength(4);
	expect(mail?.text).toContain('after 4 failed attempts');
	expect(mail?.text).toContain('The last attempt: answered 503.');
	expect(mail?.text).toContain(service.workspaceId);
});
