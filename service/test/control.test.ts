import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectControl, type ControlledService } from '../index.ts';
import { type Client, createClient, useService, useServices } from './client.ts';

let service: ControlledService;
let api: Client;
let cid: string;

useService(async (started, client) => {
	[service, api] = [started, client];
	cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
});
const startAnother = useServices();

const countRecords = async () => (await api('GET', `cards/${cid}/records`)).body.records.length;
const create = async () => await api('POST', `cards/${cid}/records`, { data: {} });

describe('faults', () => {
	test('answers of a proxy change nothing and end after their number', async () => {
		const before = await countRecords();
		service.control.fail({ method: 'POST', status: 503, body: 'plain', times: 2 });
		for (const answer of [await create(), await create()]) {
			expect(answer.status).toBe(503);
			expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
			expect(answer.text).toMatch(/^upstream/);
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
