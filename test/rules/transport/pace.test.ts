/** How many requests of one key are under way at once: several executions, one service, and what they may risk. */
import * as fc from 'fast-check';
import type { IHttpRequestOptions } from 'n8n-workflow';
import type { ApiRequest } from '../../../nodes/WorkspaceData/transport/request';
import { createTestClock, type TestClock } from '../../support/clock';
import { cases } from '../../support/cases';
import { sessionOf } from '../../support/session';

interface Execution {
	method: ApiRequest['method'];
	count: number;
	/** After a number of ms. */
	startsAt: number;
	maxParallel?: number | undefined;
	/** Whether it sends a request past the others now and then, as for a field listing. */
	ahead: boolean;
}

interface Service {
	/** Requests that it serves at once; beyond them it answers 503. */
	capacity: number;
	latencyMs: number;
	told: boolean;
	/** It answers 503 to everything from a time on, for a number of ms. */
	down?: { at: number; forMs: number } | undefined;
	/** What it then says, in seconds. */
	retryAfter?: string | undefined;
}

/** A request at the service. */
interface Seen {
	method: string;
	isAhead: boolean;
	at: number;
	/** Requests under way when it came, itself included, without the few that go past all others. */
	level: number;
	status: number;
}

const TOLD = { 'x-ratelimit-limit': '100000', 'x-ratelimit-remaining': '90000' };

let keys = 0;

/** Runs executions against a service. @returns all requests in the order in which they came */
async function run(service: Service, executions: readonly Execution[], clock: TestClock) {
	const seen: Seen[] = [];
	const start = clock.now();
	const underWay = new Set<Seen>();
	let serving = 0;
	const apiKey = `key-of-pacing-${(keys += 1)}`;

	async function answer({ method, url }: IHttpRequestOptions) {
		const at = clock.now() - start;
		const request: Seen = {
			method: String(method),
			at,
			level: [...underWay].filter((other) => !other.isAhead).length + 1,
			isAhead: String(url).endsWith('/fields'),
			status: 200,
		};
		seen.push(request);
		underWay.add(request);
		const { down } = service;
		const isDown = down !== undefined && at >= down.at && at < down.at + down.forMs;
		const isRefused = isDown || serving >= service.capacity;
		if (!isRefused) serving += 1;
		await clock.sleep(isRefused ? 1 : service.latencyMs);
		if (!isRefused) serving -= 1;
		underWay.delete(request);
		request.status = isRefused ? 503 : 200;
		return {
			statusCode: request.status,
			headers: {
				...(isDown && { 'retry-after': service.retryAfter }),
				...(service.told && TOLD),
			},
			body: {},
		};
	}

	async function execute({ method, count, startsAt, maxParallel, ahead }: Execution) {
		await clock.sleep(startsAt);
		const session = await sessionOf(apiKey, clock, answer);
		const request: ApiRequest = {
			method,
			path: ['records'],
			...(maxParallel !== undefined && { maxParallel }),
			...(method === 'POST' && { body: {}, creates: 'record' }),
		};
		return await Promise.all(
			Array.from({ length: count }, async (_, place) => {
				const isAhead = ahead && place % 10 === 9;
				const sent: ApiRequest = isAhead
					? { method: 'GET', path: ['fields'], ahead: true }
					: request;
				return await session.request(sent).then(
					() => 'done',
					() => 'failed',
				);
			}),
		);
	}

	const results = await Promise.all(executions.map(execute));
	return { seen, results, ms: clock.now() - start };
}

const executionOf = (more: Partial<Record<keyof Execution, fc.Arbitrary<unknown>>> = {}) =>
	fc.record({
		method: fc.constantFrom<ApiRequest['method']>('POST', 'POST', 'PATCH', 'DELETE', 'GET'),
		count: fc.integer({ min: 1, max: 60 }),
		startsAt: fc.integer({ min: 0, max: 3_000 }),
		maxParallel: fc.option(fc.integer({ min: 1, max: 64 }), { nil: undefined, freq: 3 }),
		ahead: fc.boolean(),
		...more,
	}) as fc.Arbitrary<Execution>;

const serviceOf = (more: Partial<Record<keyof Service, fc.Arbitrary<unknown>>> = {}) =>
	fc.record({
		capacity: fc.integer({ min: 1, max: 70 }),
		latencyMs: fc.integer({ min: 2, max: 200 }),
		told: fc.boolean(),
		down: fc.option(
			fc.record({
				at: fc.integer({ min: 0, max: 2_000 }),
				forMs: fc.integer({ min: 1, max: 3_000 }),
			}),
			{ nil: undefined, freq: 3 },
		),
		...more,
	}) as fc.Arbitrary<Service>;

test('any executions, any service: 16 at once in all, 8 with a create among them, or what the user has set', async () => {
	await fc.assert(
		fc.asyncProperty(
			serviceOf(),
			fc.array(executionOf(), { minLength: 1, maxLength: 5 }),
			async (service, executions) => {
				const { seen, results } = await run(service, executions, createTestClock());
				expect(results.flat()).toHaveLength(executions.reduce((all, { count }) => all + count, 0));
				const most = (usual: number) =>
					Math.max(usual, ...executions.map(({ maxParallel = 0 }) => maxParallel));
				for (const { method, level, isAhead } of seen) {
					if (!isAhead) expect(level).toBeLessThanOrEqual(most(method === 'POST' ? 8 : 16));
				}
			},
		),
		cases(40),
	);
});

test.each([
	[undefined, 1_200],
	['59', 60_200],
])(
	'a service that has too much to do: half as many for a minute, also after %s s',
	async (retryAfter, from) => {
		const updates = { method: 'PATCH' as const, count: 400, startsAt: 0, ahead: false };
		const later = { ...updates, startsAt: 130_000 };
		const down = { at: 1_000, forMs: 1 };
		const service = { capacity: 1_000, latencyMs: 100, told: false, down, retryAfter };
		const { seen } = await run(service, [updates, later], createTestClock());
		const levels = (from: number, to: number) =>
			Math.max(...seen.filter(({ at }) => at >= from && at < to).map(({ level }) => level));
		expect(levels(0, 1_000)).toBe(16);
		expect(levels(from, from + 50_000)).toBe(8);
		expect(levels(130_000, Infinity)).toBe(16);
	},
);

test('any executions, a service that serves at least 8 at once: no create is refused', async () => {
	await fc.assert(
		fc.asyncProperty(
			serviceOf({ capacity: fc.integer({ min: 8, max: 40 }), down: fc.constant(undefined) }),
			fc.array(executionOf({ maxParallel: fc.constant(undefined), ahead: fc.constant(false) }), {
				minLength: 1,
				maxLength: 5,
			}),
			async (service, executions) => {
				const { seen } = await run(service, executions, createTestClock());
				const refused = seen.filter(({ method, status }) => method === 'POST' && status !== 200);
				expect(refused).toEqual([]);
			},
		),
		cases(40),
	);
});

test.each([2, 3, 4, 10])(
	'600 updates, a service that serves %d at once: none fails, though refused ones come back together',
	async (capacity) => {
		const updates = { method: 'PATCH' as const, count: 600, startsAt: 0, ahead: false };
		const service = { capacity, latencyMs: 20, told: false };
		const { results } = await run(service, [updates], createTestClock());
		expect(results.flat()).not.toContain('failed');
	},
);

test.each([8, 32])(
	'creates that begin together, %d in parallel, spread out and take no longer for it',
	async (maxParallel) => {
		const service = { capacity: 1_000, latencyMs: 256, told: false };
		const creates = { method: 'POST' as const, count: 640, startsAt: 0, ahead: false, maxParallel };
		const { seen, ms } = await run(service, [creates], createTestClock());
		const from = maxParallel + 1;
		const gaps = seen.slice(from).map(({ at }, place) => at - (seen[from + place - 1]?.at ?? 0));
		expect(Math.min(...gaps)).toBeGreaterThanOrEqual(4);
		expect(ms / ((creates.count / maxParallel) * service.latencyMs)).toBeLessThan(1.1);
	},
);
