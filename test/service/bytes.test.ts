/** Bytes count: bodies, pages and the traffic of a key are bounded, so that nobody waits for one key's large requests. */
import fc from 'fast-check';
import { exceededBound } from '../../service/http/complexity.ts';
import { type ControlledService, startService } from '../../service/index.ts';
import { longestTurn } from '../support/cpuTime.mts';
import { createClient } from './client.ts';

const mebibyte = 1024 * 1024;
const kindOf = (body: { type?: unknown } | undefined) => String(body?.type).split('/').at(-1);
const repeat = (times: number, text: string) => Array<string>(times).fill(text).join(',');
const keys = (times: number) => Array.from({ length: times }, (_, n) => `"k${n}":1`).join(',');

describe('(L2) by default', () => {
	let service: ControlledService;
	let cid: string;
	let fid: string;
	beforeAll(async () => {
		service = await startService({ control: true });
		const api = createClient(service);
		cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
		const field = { name: 'x', type: 'long_text' };
		fid = (await api('POST', `cards/${cid}/fields`, field)).body.id;
	});
	afterAll(async () => await service.close());

	test.each<[string, string, number, string]>([
		['8 MB', `{"data":{},"x":"${'x'.repeat(8 * mebibyte)}"}`, 413, 'body-too-large'],
		['[[[[…', '['.repeat(500_000), 422, 'body-too-complex'],
		['an object of 60,000 keys', `{"data":{${keys(60_000)}}}`, 422, 'body-too-complex'],
		['an array of 400,000 numbers', `[${repeat(400_000, '1')}]`, 422, 'body-too-complex'],
	])('a body of %s is refused, and holds nobody up', async (_name, body, status, kind) => {
		const api = createClient(service, service.control.createKey().apiKey);
		const { result, longest } = await longestTurn(
			async () => await api('POST', `cards/${cid}/records`, body),
		);
		expect([result.status, kindOf(result.body)]).toEqual([status, kind]);
		expect(longest).toBeLessThan(100);
	});

	test('pages end at 2 MiB and lose nothing', async () => {
		const api = createClient(service, service.control.createKey().apiKey);
		const made: string[] = [];
		for (let n = 0; n < 8; n++) {
			const data = { [fid]: 'x'.repeat(600_000) };
			made.push((await api('POST', `cards/${cid}/records`, { data })).body.id);
		}
		const seen: string[] = [];
		for (let query = '?limit=1000'; query !== ''; ) {
			const { body, text } = await api('GET', `cards/${cid}/records${query}`);
			expect(text.length).toBeLessThan(2 * mebibyte + 10_000);
			seen.push(...body.records.map(({ id }) => id));
			query = body.next_cursor === null ? '' : `?limit=1000&cursor=${body.next_cursor}`;
		}
		expect(seen).toEqual(made);
	});
});

test('(L2) a key that has used its bytes is refused until the next window, and others are not', async () => {
	const service = await startService({ control: true, quotas: { bytesPerSecond: 100_000 } });
	try {
		const noisy = createClient(service, service.control.createKey().apiKey);
		const quiet = createClient(service, service.control.createKey().apiKey);
		const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
		const begun = performance.now();
		const large = { name: 'x'.repeat(60_000) };
		expect((await noisy('POST', 'cards', large)).status).toBe(422);
		expect((await noisy('POST', 'cards', large)).status).toBe(422);
		const refused = await noisy('GET', 'cards');
		expect([refused.status, kindOf(refused.body)]).toEqual([429, 'rate-limit-exceeded']);
		expect(refused.body.detail).toContain('bytes');
		expect(refused.headers.get('retry-after')).toBe('1');
		expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
		expect((await quiet('GET', 'cards')).status).toBe(200);
		clock.mockReturnValue(begun + 1_000);
		expect((await noisy('GET', 'cards')).status).toBe(200);
	} finally {
		jest.restoreAllMocks();
		await service.close();
	}
});

test('(L2) answers count, too, and the windows that follow pay for what was too much', async () => {
	const service = await startService({ control: true, quotas: { bytesPerSecond: 10_000 } });
	try {
		const api = createClient(service);
		const { id } = (await api('POST', 'cards', { name: 'Card', description: 'x'.repeat(9_000) }))
			.body;
		const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 5_000);
		const begun = performance.now();
		const statusAt = async (seconds: number) => {
			clock.mockReturnValue(begun + seconds * 1_000);
			return (await api('GET', `cards/${id}`)).status;
		};
		expect([await statusAt(0), await statusAt(0), await statusAt(0)]).toEqual([200, 200, 429]);
		// 18,000 bytes: 8,000 of them belong to the second window, in which one more answer has room.
		expect([await statusAt(1), await statusAt(1), await statusAt(2)]).toEqual([200, 429, 200]);
	} finally {
		jest.restoreAllMocks();
		await service.close();
	}
});

test('(L2) depth, keys and values of any JSON are counted as parsing would', () => {
	const count = (value: unknown): { depth: number; keys: number; values: number } => {
		if (typeof value !== 'object' || value === null) return { depth: 0, keys: 0, values: 0 };
		const parts = Object.values(value).map(count);
		const sum = (of: 'keys' | 'values') => parts.reduce((total, part) => total + part[of], 0);
		return {
			depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
			keys: sum('keys') + (Array.isArray(value) ? 0 : parts.length),
			// Elements after the first: the commas.
			values: sum('values') + Math.max(0, parts.length - 1),
		};
	};
	fc.assert(
		fc.property(fc.jsonValue(), fc.boolean(), (value, isWide) => {
			const text = Buffer.from(JSON.stringify(value, null, isWide ? 2 : 0));
			const exact = count(JSON.parse(text.toString()));
			expect(exceededBound(text, exact)).toBeUndefined();
			for (const name of ['depth', 'keys', 'values'] as const) {
				if (exact[name] === 0) continue;
				expect(exceededBound(text, { ...exact, [name]: exact[name] - 1 })).toBe(name);
			}
		}),
	);
});
