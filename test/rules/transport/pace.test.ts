/** How many requests of one key are under way at once, and whose turn it is: several executions and one service. */
import * as fc from 'fast-check';
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
	/** Whether it sends a request before its others now and then, as for a field listing. */
	ahead: boolean;
}

interface Service {
	latencyMs: number;
	/** Whether it tells a rate limit, which is never reached. */
	told: boolean;
}

/** A request at the service. */
interface Seen {
	execution: number;
	method: string;
	/** Requests under way when it came, itself included: of all executions, and of its own. */
	level: number;
	ownLevel: number;
}

const TOLD = { 'x-ratelimit-limit': '100000', 'x-ratelimit-remaining': '90000' };

let keys = 0;

/** Runs executions against a service. @returns all requests in the order in which they came */
async function run(service: Service, executions: readonly Execution[], clock: TestClock) {
	const seen: Seen[] = [];
	const underWay = new Set<Seen>();
	const apiKey = `key-of-pacing-${(keys += 1)}`;

	async function execute({ method, count, startsAt, maxParallel, ahead }: Execution, nth: number) {
		await clock.sleep(startsAt);
		const session = await sessionOf(apiKey, clock, async (options) => {
			const own = [...underWay].filter(({ execution }) => execution === nth);
			const request: Seen = {
				execution: nth,
				method: String(options.method),
				level: underWay.size + 1,
				ownLevel: own.length + 1,
			};
			seen.push(request);
			underWay.add(request);
			await clock.sleep(service.latencyMs);
			underWay.delete(request);
			return { statusCode: 200, headers: service.told ? TOLD : {}, body: {} };
		});
		const request: ApiRequest = {
			method,
			path: ['records'],
			...(maxParallel !== undefined && { maxParallel }),
			...(method === 'POST' && { body: {}, creates: 'record' }),
		};
		await Promise.all(
			Array.from({ length: count }, async (_, place) => {
				const first: ApiRequest = { ...request, method: 'GET', path: ['fields'], ahead: true };
				await session.request(ahead && place % 10 === 9 ? first : request);
			}),
		);
	}

	await Promise.all(executions.map(execute));
	return seen;
}

const executionOf = (more: Partial<Record<keyof Execution, fc.Arbitrary<unknown>>> = {}) =>
	fc.record({
		method: fc.constantFrom<ApiRequest['method']>('POST', 'PATCH', 'DELETE', 'GET'),
		count: fc.integer({ min: 1, max: 60 }),
		startsAt: fc.integer({ min: 0, max: 3_000 }),
		maxParallel: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined, freq: 3 }),
		ahead: fc.boolean(),
		...more,
	}) as fc.Arbitrary<Execution>;

const serviceOf = fc.record({ latencyMs: fc.integer({ min: 2, max: 200 }), told: fc.boolean() });

test('any executions: 16 at once in all, or the largest number that a user has set, up to 64; each its own', async () => {
	await fc.assert(
		fc.asyncProperty(
			serviceOf,
			fc.array(executionOf(), { minLength: 1, maxLength: 5 }),
			async (service, executions) => {
				const seen = await run(service, executions, createTestClock());
				expect(seen).toHaveLength(executions.reduce((all, { count }) => all + count, 0));
				const own = executions.map(({ maxParallel = 16 }) => Math.min(maxParallel, 64));
				for (const { execution, level, ownLevel } of seen) {
					expect(level).toBeLessThanOrEqual(Math.max(16, ...own));
					expect(ownLevel).toBeLessThanOrEqual(own[execution] ?? 0);
				}
			},
		),
		cases(40),
	);
});

test.each<[ApiRequest['method'], number | undefined, number]>([
	['POST', undefined, 16],
	['POST', 100, 64],
	['DELETE', 1, 1],
])('%s with %s in parallel: %d are used', async (method, maxParallel, most) => {
	const one = { method, count: 200, startsAt: 0, maxParallel, ahead: false };
	const seen = await run({ latencyMs: 50, told: false }, [one], createTestClock());
	expect(Math.max(...seen.map(({ level }) => level))).toBe(most);
});

test('executions take turns: a short one is done long before a long one that began earlier', async () => {
	await fc.assert(
		fc.asyncProperty(
			serviceOf,
			fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
			async (service, counts) => {
				const long = { method: 'POST' as const, count: 200, startsAt: 0, ahead: false };
				const short = counts.map((count) => ({ ...long, count, startsAt: 1 }));
				const seen = await run(service, [long, ...short], createTestClock());
				const nth = seen.map(({ execution }) => execution);
				const from = nth.findIndex((execution) => execution > 0);
				const turns = counts.length + 1;
				// After the first turn of each, none waits for more than one request of each other.
				for (const [place, count] of counts.entries()) {
					const last = nth.lastIndexOf(place + 1);
					expect(last - from).toBeLessThanOrEqual(turns * (count + 1) + 16);
				}
			},
		),
		cases(40),
	);
});

test('one with the usual number is served next to one that has set more', async () => {
	const many = { method: 'POST' as const, count: 640, startsAt: 0, maxParallel: 64, ahead: false };
	const usual = { method: 'PATCH' as const, count: 16, startsAt: 500, ahead: false };
	const seen = await run({ latencyMs: 100, told: false }, [many, usual], createTestClock());
	const nth = seen.map(({ execution }) => execution);
	expect(nth.lastIndexOf(1) - nth.indexOf(1)).toBeLessThanOrEqual(40);
});
