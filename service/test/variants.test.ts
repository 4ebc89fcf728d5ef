import { type ControlledService, startService, type Variants } from '../index.ts';
import { type Client, createClient, requestToken } from './client.ts';

let service: ControlledService;
let api: Client;
let cid: string;

beforeAll(async () => {
	service = await startService({ control: true });
	api = createClient(service);
	cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
	const field = { name: 'Size', type: 'single_select', options: ['S', 'L'] };
	await api('POST', `cards/${cid}/fields`, field);
});
afterEach(() => service.control.reset());
afterAll(async () => await service.close());

const use = (variants: Partial<Variants>) => service.control.setVariants(variants);

test.each([
	['named', ['cards'], ['fields']],
	['data', ['data'], ['data']],
	['items', ['items'], ['items']],
	['bare', [], []],
] as const)('lists: %s', async (lists, cards, fields) => {
	use({ lists });
	for (const [path, keys] of [
		['cards', cards],
		[`cards/${cid}/fields`, fields],
	] as const) {
		const { body } = await api('GET', path);
		const list: unknown = keys.length === 0 ? body : body[keys[0] ?? ''];
		expect(list).toEqual([expect.objectContaining({ id: expect.any(String) })]);
	}
	const page = (await api('GET', `cards/${cid}/records`)).body;
	expect(page).toEqual({ records: [], next_cursor: null });
});

test.each([
	['bare', undefined],
	['named', 'card'],
	['data', 'data'],
] as const)('objects: %s', async (objects, key) => {
	use({ objects });
	const { body } = await api('GET', `cards/${cid}`);
	expect(key === undefined ? body : body[key]).toMatchObject({ id: cid, name: 'Card' });
});

test.each([201, 200, 204] as const)('created with %d', async (createStatus) => {
	use({ createStatus });
	const answer = await api('POST', `cards/${cid}/records`, { data: {} });
	expect([answer.status, answer.text === '']).toEqual([createStatus, createStatus === 204]);
});

test.each([200, 204] as const)('updated and deleted with %d', async (status) => {
	const { id } = (await api('POST', `cards/${cid}/records`, { data: {} })).body;
	use({ updateStatus: status, deleteStatus: status });
	const updated = await api('PATCH', `cards/${cid}/records/${id}`, { data: {} });
	const deleted = await api('DELETE', `cards/${cid}/records/${id}`);
	for (const answer of [updated, deleted]) {
		expect([answer.status, answer.body?.id]).toEqual([status, status === 200 ? id : undefined]);
	}
});

test('a changed record with its ID alone', async () => {
	use({ changedRecords: 'id' });
	const { body } = await api('POST', `cards/${cid}/records`, { data: {} });
	const updated = await api('PATCH', `cards/${cid}/records/${body.id}`, { data: {} });
	expect([body, updated.body]).toEqual(Array(2).fill({ id: expect.any(String) }));
});

test.each([
	[{ webhookIdKey: 'id' }, { id: expect.any(String), secret: expect.any(String) }],
	[
		{ webhookSecret: 'wrapped' },
		{
			webhook: expect.objectContaining({
				webhook_id: expect.any(String),
				secret: expect.any(String),
			}),
		},
	],
	[
		{ objects: 'named' },
		{
			webhook: expect.objectContaining({ webhook_id: expect.any(String) }),
			secret: expect.any(String),
		},
	],
	[
		{ objects: 'data', webhookSecret: 'wrapped' },
		{ data: expect.objectContaining({ secret: expect.any(String) }) },
	],
] as Array<[Partial<Variants>, object]>)('new subscription with %j', async (variants, shape) => {
	use(variants);
	const hook = { target_url: 'http://127.0.0.1:9/', events: ['card.created'] };
	expect((await api('POST', 'webhooks', hook)).body).toMatchObject(shape);
});

test.each([
	['strings', ['S', 'L']],
	['idName', [{ id: expect.any(String), name: 'S' }, expect.anything()]],
	['valueLabel', [{ value: 'S', label: 'S' }, expect.anything()]],
] as const)('options as %s, which can be sent back', async (fieldOptions, shape) => {
	use({ fieldOptions });
	const [field] = (await api('GET', `cards/${cid}/fields`)).body.fields;
	expect(field?.options).toEqual(shape);
	const sent = await api('PATCH', `cards/${cid}/fields/${field?.id}`, { options: field?.options });
	expect(sent.body.options).toEqual(field?.options);
});

test('the id of an option is taken for its name', async () => {
	use({ fieldOptions: 'idName' });
	const [field] = (await api('GET', `cards/${cid}/fields`)).body.fields;
	const { id } = field?.options[1] as { id: string };
	const record = await api('POST', `cards/${cid}/records`, { data: { [field?.id ?? '']: id } });
	expect(record.body.data).toEqual({ [field?.id ?? '']: 'L' });
});

test('field_id', async () => {
	use({ fieldIdKey: 'field_id' });
	const [field] = (await api('GET', `cards/${cid}/fields`)).body.fields;
	expect(Object.keys(field ?? {})).toEqual(['field_id', 'name', 'type', 'options']);
});

test('extra properties', async () => {
	use({ extraProperties: true });
	expect((await api('GET', `cards/${cid}`)).body).toMatchObject({ id: cid, x_revision: 7 });
});

test('a token answer without expires_in', async () => {
	use({ tokenExpiresIn: false });
	expect(Object.keys((await requestToken(service)).body)).toEqual(['access_token', 'token_type']);
});

test('a limit above the maximum, clamped', async () => {
	use({ limitAboveMaximum: 'clamp' });
	expect((await api('GET', `cards/${cid}/records?limit=10000`)).status).toBe(200);
});

test('cleared fields as null', async () => {
	use({ clearedFields: 'null' });
	const [field] = (await api('GET', `cards/${cid}/fields`)).body.fields;
	const record = await api('POST', `cards/${cid}/records`, { data: {} });
	expect(record.body.data).toEqual({ [field?.id ?? '']: null });
});

test('unknown variants are refused', () => {
	expect(() => use({ lists: 'upside down' } as unknown as Partial<Variants>)).toThrow();
});
