/** Large bodies and answers: whole at the other end, and served in as many turns as they are long. */
import fastify, { type FastifyInstance } from 'fastify';
import type { Principal } from '../../../service/auth/authenticate.ts';
import { answerInTurns, readLargeBodies } from '../../../service/http/largeRequests.ts';

let turns: string[];
let app: FastifyInstance;
/** Whether records are large. */
let isLarge: boolean;
/** The answer of `GET /answer`. */
let answer: unknown;
/** Who sends the requests, where that is known. */
let principal: Principal | null;

beforeEach(() => {
	[turns, isLarge, answer, principal] = [[], false, {}, null];
	app = fastify();
	readLargeBodies(app, async (owner) => void turns.push(owner));
	app.setSerializerCompiler(() => (data) => JSON.stringify(data));
	app.decorateRequest('principal', null);
	app.addHook('onRequest', async (request) => void (request.principal = principal));
	answerInTurns(app, ({ cid }) => cid === 'large');
	app.addHook('preHandler', async (request) => {
		if (isLarge) request.isLarge = true;
	});
	app.get('/answer', () => answer);
	app.get('/text', () => 'text');
	app.get('/:cid/:rid', ({ isLarge }) => ({ isLarge }));
	app.get('/:cid', ({ isLarge }) => ({ isLarge }));
	app.post('/body', ({ body, isLarge }) => ({ length: JSON.stringify(body).length, isLarge }));
});
afterEach(async () => {
	jest.restoreAllMocks();
	await app.close();
});

const get = async (path: string) => await app.inject({ method: 'GET', url: path });

describe('an answer that is read in turns', () => {
	test.each([
		{},
		{ list: [] },
		{ list: [1], next: null },
		{ first: 'a', list: [{ b: 'c' }, [], null], last: { d: [1, 2] } },
		[],
		[1],
		[{ a: 1 }, { b: 2 }, 'c'],
	])('is the JSON of %j', async (value) => {
		[isLarge, answer] = [true, value];
		const { payload, statusCode } = await get('/answer');
		expect([statusCode, payload]).toEqual([200, JSON.stringify(value)]);
		expect(turns.length).toBeGreaterThan(0);
	});

	test('leaves out what is undefined, as JSON does', async () => {
		[isLarge, answer] = [true, { a: undefined, b: 1, c: undefined }];
		expect((await get('/answer')).payload).toBe('{"b":1}');
	});

	test('says what is wrong where it cannot be written', async () => {
		[isLarge, answer] = [true, { a: 1n }];
		expect((await get('/answer')).statusCode).toBe(500);
	});

	test('gives others a turn after each millisecond, in lists alone and in objects', async () => {
		let now = 0;
		jest.spyOn(performance, 'now').mockImplementation(() => now);
		/** Elements that take 0.6 ms each to write. */
		const element = {
			toJSON() {
				now += 0.6;
				return 'x';
			},
		};
		const list = Array<object>(10).fill(element);
		const before = async (value: unknown) => {
			[isLarge, answer, turns] = [true, value, []];
			expect((await get('/answer')).statusCode).toBe(200);
			return turns.length;
		};
		const one = await before([element]);
		expect(await before(list)).toBe(one + 4);
		expect(await before({ list })).toBe(one + 4);
	});

	test('that takes no longer needs no turn of others', async () => {
		let now = 0;
		jest.spyOn(performance, 'now').mockImplementation(() => now);
		const list = Array.from({ length: 3 }, () => ({ toJSON: () => (now = 1) }));
		[isLarge, answer] = [true, []];
		await get('/answer');
		const least = turns.length;
		[answer, turns] = [list, []];
		await get('/answer');
		expect(turns).toHaveLength(least);
	});
});

describe('a long answer', () => {
	const sentAtOnce = 64 * 1024;

	test.each([0, 1, 2])('keeps each character whole, whatever is before it: %d', async (shift) => {
		const text = 'x'.repeat(shift) + '😀'.repeat(sentAtOnce);
		[isLarge, answer] = [true, { text }];
		const { payload, headers } = await get('/answer');
		expect(payload === JSON.stringify({ text })).toBe(true);
		expect(headers['content-length']).toBe(String(Buffer.byteLength(payload)));
	});

	test('is sent in pieces, each in its turn', async () => {
		const turnsOf = async (length: number) => {
			[isLarge, answer, turns] = [true, ['x'.repeat(length - 4)], []];
			const { payload } = await get('/answer');
			expect(payload).toHaveLength(length);
			return turns.length;
		};
		const least = await turnsOf(sentAtOnce);
		expect(await turnsOf(sentAtOnce + 1)).toBe(least + 2);
		expect(await turnsOf(2 * sentAtOnce)).toBe(least + 2);
		expect(await turnsOf(2 * sentAtOnce + 1)).toBe(least + 3);
	});

	test('is sent at once where the request is a small one, or asks for the head alone', async () => {
		answer = ['x'.repeat(sentAtOnce + 10)];
		expect((await get('/answer')).payload).toHaveLength(sentAtOnce + 14);
		expect(turns).toEqual([]);
		isLarge = true;
		const head = await app.inject({ method: 'HEAD', url: '/answer' });
		expect([head.statusCode, head.payload]).toEqual([200, '']);
	});
});

describe('a request', () => {
	test('about a large record waits for its turn; one about its card does not', async () => {
		expect((await get('/large/record')).json()).toEqual({ isLarge: true });
		expect(turns.length).toBeGreaterThan(0);
		turns = [];
		expect((await get('/small/record')).json()).toEqual({ isLarge: false });
		expect((await get('/large')).json()).toEqual({ isLarge: false });
		expect(turns).toEqual([]);
	});

	test('has the turns of its key, or of its address before it is known', async () => {
		await get('/large/record');
		expect(new Set(turns)).toEqual(new Set(['127.0.0.1']));
		turns = [];
		principal = { id: 'key_1' } as Principal;
		await get('/large/record');
		expect(new Set(turns)).toEqual(new Set(['key_1']));
	});

	test.each([
		[8_191, false],
		[8_192, true],
		[20_000, true],
	])('with a body of %d bytes is large: %p', async (bytes, large) => {
		const payload = JSON.stringify('x'.repeat(bytes - 2));
		const headers = { 'content-type': 'application/json', 'content-length': String(bytes) };
		const sent = await app.inject({ method: 'POST', url: '/body', headers, payload });
		expect(sent.json()).toEqual({ length: bytes, isLarge: large });
		expect(turns.length > 0).toBe(large);
	});

	test('without a body is small', async () => {
		expect((await get('/text')).payload).toBe('text');
		isLarge = true;
		expect((await get('/text')).payload).toBe('text');
	});
});
