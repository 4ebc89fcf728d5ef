import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectControl, type ControlledService, type Variants } from '../index.ts';
import { type Client, createClient, requestToken, useService, useServices } from './client.ts';

let service: ControlledService;
let api: Client;
let cid: string;
let fid: string;

useService(async (started, client) => {
	[service, api] = [started, client];
	cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
	const field = { name: 'Size', type: 'single_select', options: ['S', 'L'] };
	fid = (await api('POST', `cards/${cid}/fields`, field)).body.id;
});
const startAnother = useServices();

const countRecords = async () => (await api('GET', `cards/${cid}/records`)).body.records.length;
const create = async () => await api('POST', `cards/${cid}/records`, { data: {} });

describe('the shapes that the interface leaves open', () => {
	const use = (variants: Partial<Variants>) => service.control.setVariants(variants);
	const text = expect.any(String) as unknown;
	const listed = [expect.objectContaining({ id: text })];
	const optionsAre = (first: object) => ({ fields: [{ options: [first, {}] }] });
	const created = expect.objectContaining({ webhook_id: text, secret: text }) as unknown;

	/** Variants, a path with `{cid}` for the card, and what is in the response; a POST to webhooks creates one. */
	test.each<[Partial<Variants>, string, unknown]>([
		[{ lists: 'data' }, 'cards', { data: listed }],
		[{ lists: 'items' }, 'cards/{cid}/fields', { items: listed }],
		[{ lists: 'bare' }, 'cards', listed],
		[{ lists: 'bare' }, 'cards/{cid}/records', { records: [], next_cursor: null }],
		[{ objects: 'named' }, 'cards/{cid}', { card: { name: 'Card' } }],
		[{ objects: 'data' }, 'cards/{cid}', { data: { name: 'Card' } }],
		[{ fieldOptions: 'idName' }, 'cards/{cid}/fields', optionsAre({ id: text, name: 'S' })],
		[{ fieldOptions: 'valueLabel' }, 'cards/{cid}/fields', optionsAre({ value: 'S', label: 'S' })],
		[{ fieldIdKey: 'field_id' }, 'cards/{cid}/fields', { fields: [{ field_id: text }] }],
		[{ extraProperties: true }, 'cards/{cid}', { name: 'Card', x_revision: 7 }],
		[{ limitAboveMaximum: 'clamp' }, 'cards/{cid}/records?limit=10000', { records: [] }],
		[{ webhookIdKey: 'id' }, 'webhooks', { id: text, secret: text }],
		[{ webhookSecret: 'wrapped' }, 'webhooks', { webhook: created }],
		[{ objects: 'named' }, 'webhooks', { webhook: { webhook_id: text }, secret: text }],
		[{ objects: 'data', webhookSecret: 'wrapped' }, 'webhooks', { data: created }],
	])('%j: %s', async (variants, path, shape) => {
		use(variants);
		const hook = { target_url: 'http://127.0.0.1:9/', events: ['card.created'] };
		const { body } =
			path === 'webhooks'
				? await api('POST', path, hook)
				: await api('GET', path.replace('{cid}', cid));
		expect(body).toMatchObject(shape as object);
	});

	test.each([
		[201, 200],
		[200, 204],
		[204, 204],
	] as const)('created with %d, changed and deleted with %d', async (createStatus, status) => {
		const records = `cards/${cid}/records`;
		const { id } = (await api('POST', records, { data: {} })).body;
		use({ createStatus, updateStatus: status, deleteStatus: status });
		const made = await api('POST', records, { data: {} });
		expect([made.status, made.text === '']).toEqual([createStatus, createStatus === 204]);
		for (const method of ['PATCH', 'DELETE']) {
			const answer = await api(method, `${records}/${id}`, { data: {} });
			expect([answer.status, answer.body?.id]).toEqual([status, status === 200 ? id : undefined]);
		}
	});

	test.each(['strings', 'idName', 'valueLabel'] as const)(
		'options as %s can be sent back, and the id of one is taken for its name',
		async (fieldOptions) => {
			use({ fieldOptions });
			const [field] = (await api('GET', `cards/${cid}/fields`)).body.fields;
			const options = field?.options as Array<string | { id: string }>;
			const sent = await api('PATCH', `cards/${cid}/fields/${fid}`, { options });
			expect(sent.body.options).toEqual(options);
			const last = options[1];
			const value = typeof last === 'object' && 'id' in last ? last.id : 'L';
			const record = await api('POST', `cards/${cid}/records`, { data: { [fid]: value } });
			expect(record.body.data).toEqual({ [fid]: 'L' });
		},
	);

	test('a changed record with its ID alone', async () => {
		use({ changedRecords: 'id' });
		const { body } = await api('POST', `cards/${cid}/records`, { data: {} });
		const updated = await api('PATCH', `cards/${cid}/records/${body.id}`, { data: {} });
		expect([body, updated.body]).toEqual(Array(2).fill({ id: expect.any(String) }));
	});

	test('a token response without expires_in, cleared fields as null, and no unknown variants', async () => {
		use({ tokenExpiresIn: false, clearedFields: 'null' });
		expect(Object.keys((await requestToken(service)).body)).toEqual(['access_token', 'token_type']);
		const record = await api('POST', `cards/${cid}/records`, { data: {} });
		expect(record.body.data).toEqual({ [fid]: null });
		expect(() => use({ lists: 'upside down' } as unknown as Partial<Variants>)).toThrow();
	});

	test('an option that is renamed with its ID keeps it', async () => {
		use({ fieldOptions: 'idName' });
		const other = { name: 'Other size', type: 'single_select', options: ['S', 'L'] };
		const made = (await api('POST', `cards/${cid}/fields`, other)).body;
		const options = (made.options as object[]).map((one, n) => ({ ...one, name: `Size ${n}` }));
		const path = `cards/${cid}/fields/${made.id}`;
		expect((await api('PATCH', path, { options })).body.options).toEqual(options);
	});
});

describe('faults', () => {
	test.each([
		['problem', 500, /^application\/problem\+json/, /"status":500/],
		['html', 502, /^text\/html/, /^<!doctype html>/],
		['plain', 503, /^text\/plain/, /^upstream/],
		['empty', 500, /^$/, /^$/],
	] as const)('%s answers change nothing and end after their number', async (...row) => {
		const [body, status, type, text] = row;
		const before = await countRecords();
		service.control.fail({ method: 'POST', status, body, times: 2 });
		for (const answer of [await create(), await create()]) {
			expect(answer.status).toBe(status);
			expect(answer.headers.get('content-type') ?? '').toMatch(type);
			expect(answer.text).toMatch(text);
		}
		expect(await countRecords()).toBe(before);
		expect((await create()).status).toBe(201);
	});

	test.each(['repeatCursor', 'endless'] as const)('cursors that never end: %s', async (mode) => {
		await create();
		service.control.setPaging({ mode });
		const first = (await api('GET', `cards/${cid}/records`)).body.next_cursor;
		const next = await api('GET', `cards/${cid}/records?cursor=${first}`);
		expect([next.status, typeof next.body.next_cursor]).toEqual([200, 'string']);
	});
});

test.each<[keyof ControlledService['control'], Record<string, unknown>]>([
	['setLatency', { ms: 3e9 }],
	['setDeliveryTimeout', { ms: 1500.5 }],
	['setClockOffset', { seconds: 1e15 }],
	['setRate', { rate: { limit: 1, windowSeconds: 1e300 } }],
	['fail', { headers: { 'bad header': 'x' } }],
])('%s %j is refused and changes nothing', async (name, input) => {
	const answer = await api('POST', `/control/${name}`, input, {
		authorization: `Bearer ${service.controlToken}`,
	});
	expect(answer.status).toBe(422);
	expect((await api('POST', 'cards', { name: 'Card' })).status).toBe(201);
});

test('reset goes back to the variants of the start, resetVariants to those of the service', async () => {
	const other = await startAnother({ control: true, variants: { lists: 'bare' } });
	other.control.setVariants({ lists: 'items', objects: 'named' });
	other.control.reset();
	expect(other.control.setVariants({})).toMatchObject({ lists: 'bare', objects: 'bare' });
	other.control.resetVariants();
	expect(other.control.setVariants({})).toMatchObject({ lists: 'named', objects: 'bare' });
});

describe('over HTTP', () => {
	test('has the same calls behind its own token', async () => {
		const { controlUrl, controlToken } = service;
		const remote = connectControl(controlUrl ?? '', controlToken ?? '');
		await remote.setVariants({ lists: 'bare' });
		expect(Array.isArray((await api('GET', 'cards')).body)).toBe(true);
		await remote.resetVariants();
		expect(await remote.fillCard({ cardId: cid, count: 1 })).toEqual({ count: expect.any(Number) });
		await expect(remote.setLatency({ ms: -1 })).rejects.toThrow('422');
		await expect(remote.fillCard({ cardId: 'none', count: 1 })).rejects.toThrow('none');
		const other = connectControl(controlUrl ?? '', service.apiKey);
		await expect(other.reset()).rejects.toThrow('401');
	});

	test('is not there unless asked for: no route, no header, no call', async () => {
		const plain = await startAnother();
		expect([plain.controlUrl, plain.controlToken, 'control' in plain]).toEqual([null, null, false]);
		const api = createClient(plain, null);
		for (const name of Object.keys(service.control)) {
			const answer = await api('POST', `/control/${name}`, {});
			const type = expect.stringMatching(/route-not-found$/) as unknown;
			expect([name, answer.status, answer.body.type]).toEqual([name, 404, type]);
		}
	});
});

test('the README has every call and every variant', () => {
	const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
	const names = [...Object.keys(service.control), ...Object.keys(service.control.setVariants({}))];
	expect(names.filter((name) => !readme.includes(`| \`${name}\` |`))).toEqual([]);
});
