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
	test.each([
		['problem', 500, /^application\/problem\+json/, /"status":500/],
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

	test.each([
		['dropBefore', 0],
		['dropAfter', 1],
	] as const)('%s: no response, and %d records more', async (mode, more) => {
		const before = await countRecords();
		service.control.fail({ method: 'POST', path: '/records$', mode });
		await expect(create()).rejects.toThrow('fetch failed');
		expect(await countRecords()).toBe(before + more);
	});

	test('so many requests at once, and no more', async () => {
		service.control.setLatency({ ms: 200, atOnce: 1 });
		const statuses = (await Promise.all([create(), create()])).map(({ status }) => status);
		expect(statuses.sort()).toEqual([201, 503]);
	});
});

describe('over HTTP', () => {
	test('has the same calls behind its own token', async () => {
		const { controlUrl, controlToken } = service;
		const remote = connectControl(controlUrl ?? '', controlToken ?? '');
		await remote.fail({ status: 403 });
		expect((await api('GET', 'cards')).status).toBe(403);
		expect(await remote.fillCard({ cardId: cid, count: 1 })).toEqual({ count: expect.any(Number) });
		await expect(remote.setLatency({ ms: -1 })).rejects.toThrow('422');
		const other = connectControl(controlUrl ?? '', service.apiKey);
		await expect(other.reset()).rejects.toThrow('401');
	});

	test('is not there unless asked for: no route, no header, no call', async () => {
		const plain = await startAnother();
		expect([plain.controlUrl, plain.controlToken, 'control' in plain]).toEqual([null, null, false]);
		expect((await createClient(plain, null)('POST', '/control/reset', {})).status).toBe(404);
	});
});

test('the README has every call', () => {
	const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
	const names = Object.keys(service.control);
	expect(names.filter((name) => !readme.includes(`| \`${name}\` |`))).toEqual([]);
});
