/** Bytes count: bodies, pages and the traffic of a key are bounded, so that nobody waits for one key's large requests. */
import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { request } from 'undici';
import { defaultQuotas } from '../../service/foundation/quotas.ts';
import { readBody } from '../../service/http/body.ts';
import { exceededBound } from '../../service/http/complexity.ts';
import { refusalPauseMs } from '../../service/http/guard.ts';
import { type ControlledService, startService } from '../../service/index.ts';
import { leastOf, longestTurn, workMs } from '../support/cpuTime.mts';
import { createClient, type Json } from './client.ts';

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
		['[[[[…', '['.repeat(200_000), 422, 'body-too-complex'],
		['an object of 20,000 keys', `{"data":{${keys(20_000)}}}`, 422, 'body-too-complex'],
		['an array of 100,000 numbers', `[${repeat(100_000, '1')}]`, 422, 'body-too-complex'],
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
		for (let n = 0; n < 20; n++) {
			const data = { [fid]: 'x'.repeat(240_000) };
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

test.each<[string, (n: number) => string, 'bodyKeys' | 'bodyValues']>([
	['objects with a key of their own', (n) => `{"key ${n}":1}`, 'bodyKeys'],
	['different texts', (n) => `"${n}"`, 'bodyValues'],
	['empty arrays', () => '[]', 'bodyValues'],
])(
	'(L2) a body of as many %s as it may have is read in a few milliseconds',
	async (_name, text, bound) => {
		const elements = Array.from({ length: defaultQuotas[bound] }, (_, n) => text(n));
		const body = Buffer.from(`[${elements.join(',')}]`);
		expect(body.length).toBeLessThan(defaultQuotas.bodyBytes);
		const read = () => readBody({ headers: {} } as FastifyRequest, body, defaultQuotas);
		expect(read()).toHaveLength(elements.length);
		// With 20,000 keys it was 35 ms and more.
		expect(await leastOf(20, async () => await workMs(read))).toBeLessThan(20);
	},
);

test('(L2) a list of as many cards as there may be, and as long ones, is whole, and holds nobody up', async () => {
	const service = await startService({ quotas: { bytesPerSecond: 1e9 } });
	try {
		const api = createClient(service);
		const card = { name: '€'.repeat(1_000), description: '€'.repeat(10_000) };
		const made: string[] = [];
		for (let status = 201; status === 201; ) {
			const answer = await api('POST', 'cards', card);
			({ status } = answer);
			if (status === 201) made.push(answer.body.id);
			else expect(kindOf(answer.body)).toBe('quota-exceeded');
		}
		const url = `${service.baseUrl}/workspaces/${service.workspaceId}/cards`;
		const read = async () => {
			const { body } = await request(url, {
				headers: { authorization: `Bearer ${service.apiKey}` },
			});
			const chunks: Buffer[] = [];
			for await (const chunk of body) chunks.push(chunk as Buffer);
			return chunks;
		};
		const longest = await leastOf(100, async () => {
			const turn = await longestTurn(read);
			const { cards } = JSON.parse(Buffer.concat(turn.result).toString()) as { cards: Json[] };
			expect(cards.map(({ id }) => id)).toEqual(made);
			expect(cards.at(-1)).toMatchObject(card);
			return turn.longest;
		});
		expect(longest).toBeLessThan(100);
	} finally {
		await service.close();
	}
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

test('(L2) a refusal for bytes takes a moment, so that one key’s flood of them does not slow others', async () => {
	const service = await startService({ control: true, quotas: { bytesPerSecond: 1_000 } });
	try {
		const api = createClient(service);
		const body = { name: 'x'.repeat(2_000) };
		const began = performance.now();
		const statuses = [1, 2, 3].map(async () => (await api('POST', 'cards', body)).status);
		// Which of them arrives first is open.
		expect((await Promise.all(statuses)).sort()).toEqual([422, 429, 429]);
		expect(performance.now() - began).toBeGreaterThanOrEqual(refusalPauseMs - 1);
	} finally {
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
