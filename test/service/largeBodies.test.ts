import { toStored } from '../../service/domain/recordData.ts';
import { type Service, startService } from '../../service/index.ts';
import { leastOf, workMs } from '../support/cpuTime.mts';
import { type Client, createClient } from './client.ts';

let service: Service;
let api: Client;
let cid: string;

beforeAll(async () => {
	service = await startService({
		quotas: { bodyBytes: 8 * 1024 * 1024, bodyKeys: 1e9, bodyValues: 1e9, bytesPerSecond: 1e9 },
	});
	api = createClient(service);
	cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
});
afterAll(async () => await service.close());

const repeat = (times: number, text: string) => Array<string>(times).fill(text).join(',');
const keys = (times: number) => Array.from({ length: times }, (_, n) => `"k${n}":1`).join(',');

test.each<[string, () => [path: string, body: string]]>([
	[
		'a million events',
		() => ['webhooks', `{"target_url":"http://x","events":[${repeat(1_000_000, '1')}]}`],
	],
	[
		'as many events as fit',
		() => ['webhooks', `{"target_url":"http://x","events":[${repeat(4_100_000, '1')}]}`],
	],
	[
		'200,000 options',
		() => [
			`cards/${cid}/fields`,
			`{"name":"x","type":"single_select","options":[${repeat(200_000, '1')}]}`,
		],
	],
	['300,000 unknown fields', () => [`cards/${cid}/records`, `{"data":{${keys(300_000)}}}`]],
	['300,000 unknown properties', () => [`cards/${cid}/records`, `{"data":{},${keys(300_000)}}`]],
])('%s: refused soon and in few words', async (_name, make) => {
	const [path, body] = make();
	const least = await leastOf(3_000, async () => {
		return await workMs(async () => {
			const answer = await api('POST', path, body);
			expect(answer.status).toBe(422);
			expect(answer.body.detail).toMatch(/./);
			expect(answer.body.errors.length).toBeLessThanOrEqual(100);
			expect(answer.text.length).toBeLessThan(100_000);
		});
	});
	// Only the reading of the body remains; before, it was up to 18 s.
	expect(least).toBeLessThan(3_000);
});

test('of 300,000 unknown fields, no more are read than the refusal names', () => {
	const many = Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [`k${n}`, n]));
	const looked = new Set<PropertyKey>();
	const look = (key: PropertyKey) => looked.add(key);
	const data = new Proxy(many, {
		get: (target, key) => look(key) && Reflect.get(target, key),
		getOwnPropertyDescriptor: (target, key) =>
			look(key) && Reflect.getOwnPropertyDescriptor(target, key),
	});
	const refused = () => toStored('crd_1', { list: [], byId: new Map() }, data);
	expect(refused).toThrow('Field "k0" does not exist in card "crd_1".');
	expect(looked.size).toBe(100);
});

test('a multi_select value with more entries than options is not searched through', async () => {
	const options = Array.from({ length: 500 }, (_, n) => `option ${n}`);
	const field = { name: 'x', type: 'multi_select', options };
	const { id } = (await api('POST', `cards/${cid}/fields`, field)).body;
	const body = `{"data":{"${id}":[${repeat(500_000, '"option 499"')}]}}`;
	const least = await leastOf(2_000, async () => {
		return await workMs(async () => {
			const { body: problem } = await api('POST', `cards/${cid}/records`, body);
			expect(problem).toMatchObject({ status: 422, type: expect.stringMatching(/invalid-value$/) });
		});
	});
	expect(least).toBeLessThan(2_000);
});
