import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { openSession } from '../../../nodes/WorkspaceData/transport/session';
import { Cancelled } from '../../../nodes/WorkspaceData/transport/failure/failures';
import type { ApiRequest } from '../../../nodes/WorkspaceData/transport/request';
import { createTestClock } from '../../support/clock';

type Answer =
	| Record<string, unknown>
	| Error
	| ((options: IHttpRequestOptions) => Record<string, unknown>);

const answer = (statusCode: number, headers: object = {}, body: unknown = {}) => ({
	statusCode,
	headers,
	body,
});
const ok = answer(200);
const failure = (code: string) => Object.assign(new Error(code), { code });

let keys = 0;

/**
 * The service behind n8n's request helper: gives the answers in turn, the last one forever. To reads, it answers 200 if
 * the answers are for writes only.
 */
async function service(...given: [{ toWrites: Answer[] }] | Answer[]) {
	const [first] = given;
	const isForWrites = first !== undefined && 'toWrites' in first;
	const answers = isForWrites ? (first.toWrites as Answer[]) : (given as Answer[]);
	let answered = 0;
	const clock = createTestClock();
	const sent: IHttpRequestOptions[] = [];
	const cancel = new AbortController();
	// A separate key for each test: the pace is shared by all that use the same key.
	const apiKey = `key-of-test-${(keys += 1)}`;
	const context = {
		getNode: () => ({ credentials: { workspaceDataApi: { id: '1', name: 'Test' } } }),
		getCredentials: async () => ({
			baseUrl: 'https://data.example.com/api/v1/',
			workspaceId: 'w 1',
			apiKey,
		}),
		helpers: {
			async httpRequestWithAuthentication(_type: string, options: IHttpRequestOptions) {
				sent.push(options);
				const isRead = isForWrites && options.method === 'GET';
				const next = isRead ? ok : answers[Math.min(answered, answers.length - 1)];
				if (!isRead) answered += 1;
				await clock.sleep(10);
				if (next instanceof Error) throw next;
				return typeof next === 'function' ? next(options) : next;
			},
		},
	};
	const open = async (signal: AbortSignal) => {
		const own = { ...context, getExecutionCancelSignal: () => signal };
		return await openSession(own as unknown as IExecuteFunctions, 'apiKey', clock);
	};
	/** `open` opens the service for another execution with the same key. */
	return { session: await open(cancel.signal), sent, clock, cancel, open };
}

const request = (method: ApiRequest['method'], more: Partial<ApiRequest> = {}): ApiRequest => ({
	method,
	path: ['cards', { value: 'c/1', parameter: 'Card' }, 'records'],
	...(method === 'POST' && { body: { data: {} }, creates: 'record' }),
	...more,
});
describe('retries: which requests, and how often at most', () => {
	const everything: Array<ApiRequest['method']> = ['GET', 'PATCH', 'DELETE', 'POST'];
	const rows: Array<[string, Answer, Record<string, number>]> = [
		['a refused connection', failure('ECONNREFUSED'), { GET: 3, PATCH: 3, DELETE: 3, POST: 3 }],
		['an unknown host', failure('ENOTFOUND'), { GET: 3, PATCH: 3, DELETE: 3, POST: 3 }],
		['a closed connection', failure('ECONNRESET'), { GET: 3, PATCH: 3, DELETE: 3, POST: 1 }],
		['a time-out', failure('ECONNABORTED'), { GET: 3, PATCH: 3, DELETE: 3, POST: 1 }],
		['a bad certificate', failure('CERT_HAS_EXPIRED'), { GET: 1, PATCH: 1, DELETE: 1, POST: 1 }],
		['status 408', answer(408), { GET: 3, PATCH: 3, DELETE: 3, POST: 1 }],
		['status 500', answer(500), { GET: 3, PATCH: 3, DELETE: 3, POST: 1 }],
		['status 503', answer(503), { GET: 3, PATCH: 3, DELETE: 3, POST: 1 }],
		['status 400', answer(400), { GET: 1, PATCH: 1, DELETE: 1, POST: 1 }],
		['status 401 with an API key', answer(401), { GET: 1, PATCH: 1, DELETE: 1, POST: 1 }],
		['status 403', answer(403), { GET: 1, PATCH: 1, DELETE: 1, POST: 1 }],
		['status 404', answer(404), { GET: 1, PATCH: 1, DELETE: 1, POST: 1 }],
		['status 409', answer(409), { GET: 1, PATCH: 1, DELETE: 1, POST: 1 }],
		['a redirect', answer(307), { GET: 1, PATCH: 1, DELETE: 1, POST: 1 }],
	];
	test.each(rows)('%s', async (_, fault, times) => {
		for (const method of everything) {
			const { session, sent } = await service(fault);
			await expect(session.request(request(method))).rejects.toThrow();
			expect([method, sent.length]).toEqual([method, times[method]]);
		}
	});
	test.each(rows)('%s: the editor does not wait', async (_, fault) => {
		const { session, sent } = await service(fault);
		await expect(session.request(request('GET', { impatient: true }))).rejects.toThrow();
		expect(sent).toHaveLength(1);
	});
	test('success after faults is success', async () => {
		for (const method of everything) {
			const { session } = await service(failure('ECONNREFUSED'), failure('ECONNREFUSED'), ok);
			expect(await session.request(request(method))).toMatchObject({ status: 200 });
		}
	});
	test('pauses grow and have jitter', async () => {
		const { session, clock } = await service(failure('ECONNREFUSED'));
		const start = clock.now();
		await expect(session.request(request('GET'))).rejects.toThrow();
		expect(clock.now() - start).toBe(3 * 10 + 300 + 600);
	});
});

describe('B20, B21: refusals for the rate', () => {
	const limited = (reset: number | undefined, status = 429) =>
		answer(status, {
			'x-ratelimit-limit': '10',
			'x-ratelimit-remaining': '0',
			...(reset !== undefined && { 'x-ratelimit-reset': String(reset) }),
			date: new Date(Date.UTC(2026, 0, 1)).toUTCString(),
		});
	const now = Date.UTC(2026, 0, 1) / 1000;

	test.each([
		[429, 'POST'],
		[429, 'GET'],
		[403, 'GET'],
		[403, 'PATCH'],
		[503, 'PATCH'],
		[503, 'DELETE'],
	] as const)('status %d waits for the reset and continues: %s', async (status, method) => {
		const { session, sent, clock } = await service(limited(now + 30, status), ok);
		const start = clock.now();
		expect(await session.request(request(method))).toMatchObject({ status: 200 });
		expect(sent).toHaveLength(2);
		expect(clock.now() - start).toBeGreaterThanOrEqual(30_000);
		expect(clock.now() - start).toBeLessThan(32_000);
	});
	test.each<[string, number | undefined]>([
		['in the past', now - 86_400],
		['a year away', now + 365 * 86_400],
		['missing', undefined],
	])(
		'with a reset %s for ever: ends with the refusal after at most about five minutes',
		async (_, reset) => {
			const { session, clock, sent } = await service(limited(reset));
			const start = clock.now();
			await expect(session.request(request('GET'))).rejects.toMatchObject({
				problem: { status: 429 },
				advice: expect.stringContaining("'Max Parallel Requests'"),
			});
			expect(clock.now() - start).toBeLessThan(6 * 60_000);
			expect(sent.length).toBeLessThan(15);
		},
	);
	test('the editor waits for a reset that is seconds away, and for no other', async () => {
		const soon = await service(limited(now + 2), ok);
		const impatient = request('GET', { impatient: true });
		expect(await soon.session.request(impatient)).toMatchObject({ status: 200 });
		const late = await service(limited(now + 30), ok);
		const start = late.clock.now();
		await expect(late.session.request(impatient)).rejects.toMatchObject({
			problem: { status: 429 },
		});
		expect(late.sent).toHaveLength(1);
		expect(late.clock.now() - start).toBeLessThan(1_000);
	});
});

test('cancelling ends the wait for the requests of another execution with the same key (B36)', async () => {
	const { session, sent, clock, open } = await service(answer(429, { 'retry-after': '60' }));
	const cancel = new AbortController();
	const other = await open(cancel.signal);
	const start = clock.now();
	const creates = Array.from(
		{ length: 8 },
		async () => await session.request(request('POST')).catch(() => {}),
	);
	const waiting = other.request(request('GET')).catch((error: unknown) => error);
	cancel.abort();
	expect(await waiting).toBeInstanceOf(Cancelled);
	expect(clock.now() - start).toBeLessThan(1_000);
	await Promise.all(creates);
	expect(sent.map(({ method }) => method)).not.toContain('GET');
});

describe('D3: refusals that tell no usable time', () => {
	test.each<[string, object]>([
		['Retry-After 0', { 'retry-after': '0' }],
		['a negative Retry-After', { 'retry-after': '-5' }],
		['a reset of 0', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '0' }],
		['a reset a moment ago', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }],
	])('%s: pauses of at least a second, which double', async (_, headers) => {
		const { session, clock, sent } = await service(answer(429, headers));
		const start = clock.now();
		const items = Array.from(
			{ length: 20 },
			async () => await session.request(request('POST')).catch((error: unknown) => error),
		);
		for (const error of await Promise.all(items)) {
			expect(error).toMatchObject({ problem: { status: 429 }, transient: true });
		}
		expect(clock.now() - start).toBeLessThan(6 * 60_000);
		expect(sent.length).toBeLessThan(120);
	});
	test('a call of the editor ends within seconds', async () => {
		const { session, clock, sent } = await service(answer(429, { 'retry-after': '0' }));
		const start = clock.now();
		await expect(session.request(request('GET', { impatient: true }))).rejects.toThrow();
		expect(clock.now() - start).toBeLessThan(6_000);
		expect(sent.length).toBeLessThanOrEqual(3);
	});
});

test('D11: a reset that is a day away: 50 items wait five minutes altogether', async () => {
	const { session, clock, sent } = await service(
		answer(429, {
			'x-ratelimit-remaining': '0',
			'x-ratelimit-reset': String(Date.UTC(2026, 0, 2) / 1000),
		}),
	);
	const start = clock.now();
	const items = Array.from(
		{ length: 50 },
		async () =>
			await session.request(request('GET', { maxParallel: 1 })).catch((error: unknown) => error),
	);
	for (const error of await Promise.all(items)) {
		expect(error).toMatchObject({ problem: { status: 429 }, transient: true });
	}
	expect(clock.now() - start).toBeLessThanOrEqual(5 * 60_000 + 1_000);
	expect(sent.length).toBeLessThan(12);
});

test('D11: a service that serves now and then is waited for as long as it takes', async () => {
	const refusal = answer(429, { 'retry-after': '50' });
	const { session, clock } = await service(
		...Array.from({ length: 20 }, () => [refusal, refusal, ok]).flat(),
	);
	const start = clock.now();
	const items = Array.from(
		{ length: 20 },
		async () => await session.request(request('GET', { maxParallel: 1 })),
	);
	expect(await Promise.all(items)).toHaveLength(20);
	expect(clock.now() - start).toBeGreaterThan(20 * 100_000);
});

test('D11: an item that waits in vain ends the others only if nothing was served meanwhile', async () => {
	const { session } = await service(({ url }) =>
		url.endsWith('/limited') ? answer(429, { 'retry-after': '50' }) : answer(200),
	);
	let failure: unknown;
	const limited = session
		.request(request('GET', { path: ['limited'] }))
		.catch((error: unknown) => (failure = error));
	while (failure === undefined) await session.request(request('GET'));
	await limited;
	expect(failure).toMatchObject({ problem: { status: 429 } });
	expect(await session.request(request('GET'))).toMatchObject({ status: 200 });
});

describe('D25: 503 with Retry-After and no rate headers', () => {
	const later = (seconds: string) => answer(503, { 'retry-after': seconds });
	test('holds for requests that may be sent twice', async () => {
		const { session, clock } = await service(later('20'), ok);
		const start = clock.now();
		expect(await session.request(request('PATCH'))).toMatchObject({ status: 200 });
		expect(clock.now() - start).toBeGreaterThanOrEqual(20_000);
	});
	test('may be a date', async () => {
		const { session, clock } = await service(later('Thu, 01 Jan 2026 00:00:30 GMT'), ok);
		const start = clock.now();
		await session.request(request('GET'));
		expect(clock.now() - start).toBeGreaterThanOrEqual(29_000);
	});
	test('is not waited for beyond five minutes, nor by a create', async () => {
		for (const [method, seconds] of [
			['GET', '301'],
			['POST', '1'],
		] as const) {
			const { session, sent } = await service(later(seconds), ok);
			await expect(session.request(request(method))).rejects.toMatchObject({
				problem: { status: 503 },
			});
			expect(sent).toHaveLength(1);
		}
	});
});

describe('a service that keeps silent', () => {
	const silence = new Promise<never>(() => {}) as unknown as Answer;
	const never = [silence] as const;

	test('D9: 20 deletes: three time-outs, then the rest fails at once, unsent', async () => {
		const { session, clock, sent } = await service(...never);
		const start = clock.now();
		const items = Array.from(
			{ length: 20 },
			async () =>
				await session
					.request(request('DELETE', { maxParallel: 1 }))
					.catch((error: unknown) => error),
		);
		const errors = await Promise.all(items);
		expect(clock.now() - start).toBeLessThan(100_000);
		expect(sent).toHaveLength(3);
		expect(errors[0]).toMatchObject({
			message: 'The change may have been carried out: no answer came in time',
			transient: true,
		});
		expect(errors[19]).toMatchObject({ message: expect.stringContaining('was not sent') });
	});

	test('a request that was sent, and not again, is not said to be unsent', async () => {
		const { session, sent } = await service(...never);
		const both = [request('GET'), request('GET')];
		const errors = await Promise.all(
			both.map(async (one) => await session.request(one).catch((error: unknown) => error)),
		);
		for (const error of errors) {
			expect(error).toMatchObject({
				message: 'The service could not be reached: no answer came in time',
			});
		}
		// The last three of their six tries were not sent.
		expect(sent).toHaveLength(3);
	});

	test('D10: a time-out is for the whole answer, and ends the connection', async () => {
		const { session, clock, sent } = await service(...never);
		const start = clock.now();
		await expect(session.request(request('POST', { timeoutMs: 1_000 }))).rejects.toMatchObject({
			message: expect.stringContaining('may'),
		});
		expect(clock.now() - start).toBeLessThan(1_300);
		expect(sent[0]?.abortSignal?.aborted).toBe(true);
	});

	test('G11: after an answer, nothing is left to end: the client would make an error of it', async () => {
		const { session, sent } = await service(ok);
		await session.request(request('GET'));
		expect(sent[0]?.abortSignal?.aborted).toBe(false);
	});

	test('C11: 200 impatient calls of a hanging API take 10 s altogether', async () => {
		const { session, clock, sent } = await service(...never);
		const impatient = request('GET', { impatient: true, timeoutMs: 10_000 });
		const start = clock.now();
		for (let n = 0; n < 200; n += 1) {
			await expect(session.request(impatient)).rejects.toMatchObject({ transient: true });
			clock.pass(100);
		}
		expect(clock.now() - start).toBeLessThanOrEqual(20_000 + 10_000);
		expect(sent).toHaveLength(1);
	});

	test('K6: what a person asks for is sent right after the time-out of another request', async () => {
		const { session, clock } = await service(...never.slice(0, 1), ok);
		const deletion = request('DELETE', { impatient: true, timeoutMs: 8_000 });
		await expect(session.request(deletion)).rejects.toMatchObject({ transient: true });
		const publishing = request('POST', { impatient: true, timeoutMs: 10_000 });
		await expect(session.request(publishing)).rejects.toThrow('was not sent');
		clock.pass(100);
		expect((await session.request({ ...publishing, insistent: true })).status).toBe(200);
		expect((await session.request(publishing)).status).toBe(200);
	});

	test('K8: a creation is never cut short to see whether the service answers again', async () => {
		const { session, clock, sent } = await service(...never);
		const creation = request('POST', { impatient: true, timeoutMs: 10_000 });
		for (let n = 0; n < 2; n += 1) {
			await expect(session.request(creation)).rejects.toMatchObject({ transient: true });
			clock.pass(20_000);
		}
		expect(sent.map(({ timeout }) => timeout)).toEqual([10_000, 10_000]);
	});
});
