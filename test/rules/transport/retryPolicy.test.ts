/** What follows one try of a request: never a second create by mistake, and never a wait without end. */
import fc from 'fast-check';
import { NetworkFailure } from '../../../nodes/WorkspaceData/transport/failure/failureKinds';
import {
	nextStep,
	UNTRIED,
	type History,
} from '../../../nodes/WorkspaceData/transport/http/retryPolicy';
import type { ApiRequest } from '../../../nodes/WorkspaceData/transport/request';

type Method = ApiRequest['method'];
const NOW = Date.UTC(2026, 0, 1);
const METHODS: Method[] = ['GET', 'POST', 'PATCH', 'DELETE'];
const answer = (status: number, headers = {}) => ({ status, headers, body: '' });
const step = (
	outcome: Parameters<typeof nextStep>[0],
	method: Method,
	history: Partial<History> = {},
	how: Omit<Parameters<typeof nextStep>[1], 'method'> = {},
) => nextStep(outcome, { method, ...how }, { ...UNTRIED, ...history }, NOW);
const lost = new NetworkFailure('closed', { transient: true, sent: true });
const refused = new NetworkFailure('refused', { transient: true });
const untrusted = new NetworkFailure('not trusted', { transient: false });

test.each(METHODS)('%s: success and refusals end it', (method) => {
	for (const status of [200, 204, 299])
		expect(step(answer(status), method)).toEqual({ act: 'done' });
	for (const status of [199, 300, 400, 401, 404, 409, 422]) {
		expect(step(answer(status), method)).toEqual({ act: 'fail' });
	}
	expect(step(untrusted, method)).toEqual({ act: 'fail' });
});

describe('after a fault', () => {
	const again = (faults = 1) => ({ act: 'again', history: { ...UNTRIED, faults } });

	test("that can't have arrived, everything is sent again, three times in all", () => {
		for (const method of METHODS) {
			expect(step(refused, method)).toEqual(again());
			expect(step(refused, method, { faults: 1 })).toEqual(again(2));
			expect(step(refused, method, { faults: 2 })).toEqual({ act: 'fail' });
			expect(step(refused, method, {}, { impatient: true })).toEqual({ act: 'fail' });
		}
	});
	test('of time, one that the caller can do without is not sent again; one that is sent once, after none', () => {
		const late = new NetworkFailure('late', { httpCode: 'ETIMEDOUT', transient: true });
		expect(step(late, 'GET')).toEqual(again());
		expect(step(late, 'GET', {}, { optional: true })).toEqual({ act: 'fail' });
		expect(step(lost, 'GET', {}, { optional: true })).toEqual(again());
		for (const outcome of [late, lost, answer(503)])
			expect(step(outcome, 'GET', {}, { once: true })).toEqual({ act: 'fail' });
		expect(step(answer(429), 'GET', {}, { once: true })).toMatchObject({ act: 'wait' });
	});
	test('that may have arrived, all but creates', () => {
		for (const outcome of [lost, answer(500), answer(408), answer(503)]) {
			for (const method of METHODS) {
				expect(step(outcome, method)).toEqual(method === 'POST' ? { act: 'fail' } : again());
			}
			expect(step(outcome, 'GET', { faults: 2 })).toEqual({ act: 'fail' });
			expect(step(outcome, 'GET', {}, { impatient: true })).toEqual({ act: 'fail' });
		}
	});
	test('503 says when to come back, for requests that may be sent twice, and for five minutes at most', () => {
		const history = { ...UNTRIED, faults: 1, refusedMs: 20_000 };
		const soon = step(answer(503, { 'retry-after': '20' }), 'PATCH');
		expect(soon).toEqual({ act: 'wait', ms: 20_000, history });
		const date = new Date(NOW + 30_000).toUTCString();
		expect(step(answer(503, { 'retry-after': date }), 'GET')).toMatchObject({ ms: 30_000 });
		const long = step(answer(503, { 'retry-after': '301' }), 'GET');
		expect(long).toEqual({ act: 'closed', until: NOW + 301_000 });
		expect(step(answer(503, { 'retry-after': '1' }), 'POST')).toEqual({ act: 'fail' });
	});
});

describe('after a refusal for the rate', () => {
	const limited = answer(429, { 'retry-after': '30' });

	test.each(METHODS)('%s waits as long as it is told', (method) => {
		const history = { ...UNTRIED, faults: 2, refusals: 1, refusedMs: 30_000 };
		expect(step(limited, method, { faults: 2 })).toEqual({ act: 'wait', ms: 30_000, history });
	});
	test('up to five minutes in all; somebody who waits, five seconds', () => {
		expect(step(limited, 'GET', { refusedMs: 270_000 })).toMatchObject({ act: 'wait' });
		const closed = { act: 'closed', until: NOW + 30_000 };
		expect(step(limited, 'GET', { refusedMs: 270_001 })).toEqual(closed);
		const soon = answer(429, { 'retry-after': '5' });
		expect(step(soon, 'GET', {}, { impatient: true })).toMatchObject({ act: 'wait', ms: 5_000 });
		const later = step(soon, 'GET', { refusedMs: 1 }, { impatient: true });
		expect(later).toMatchObject({ act: 'closed' });
	});
	test.each(METHODS)('%s: a wait of more than five minutes is not begun', (method) => {
		const reset = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1_000 + 301) };
		expect(step(answer(429, reset), method)).toEqual({ act: 'closed', until: NOW + 301_000 });
		const inTime = { ...reset, 'x-ratelimit-reset': String(NOW / 1_000 + 300) };
		expect(step(answer(429, inTime), method)).toMatchObject({ act: 'wait', ms: 300_000 });
	});
	test.each(METHODS)('%s: 403 and 503 with none remaining count, except for creates', (method) => {
		for (const status of [403, 503]) {
			const none = answer(status, { 'x-ratelimit-remaining': '0', 'x-ratelimit-limit': '5' });
			expect(step(none, method)).toMatchObject({ act: method === 'POST' ? 'fail' : 'wait' });
		}
	});
});

describe('a conflict that asks to try again', () => {
	const conflict = (body: unknown, headers = {}) => ({ status: 409, headers, body });
	test.each<[string, ReturnType<typeof conflict>]>([
		['in its detail', conflict({ title: 'Conflict', detail: 'Please try again.' })],
		['in a text', conflict('Locked, retry.')],
	])('%s: a change is sent again, three times in all', (_, outcome) => {
		expect(step(outcome, 'PATCH')).toMatchObject({ act: 'again' });
		expect(step(outcome, 'PATCH', { faults: 2 })).toEqual({ act: 'fail' });
		expect(step(outcome, 'PATCH', {}, { impatient: true })).toEqual({ act: 'fail' });
		for (const method of ['GET', 'POST', 'DELETE'] as const)
			expect(step(outcome, method)).toEqual({ act: 'fail' });
	});
	test('by Retry-After: after that time', () => {
		expect(step(conflict('', { 'retry-after': '2' }), 'PATCH')).toMatchObject({ ms: 2_000 });
	});
	test('any other is a refusal', () => {
		const unique = conflict({ title: 'Conflict', detail: "'Key' must be unique" });
		expect(step(unique, 'PATCH')).toEqual({ act: 'fail' });
	});
});

test('any course of answers ends, after at most five minutes of waiting for the rate', () => {
	const outcome = fc.oneof(
		fc.constantFrom(lost, refused, untrusted),
		fc.constantFrom(200, 401, 403, 404, 429, 500, 503).map((status) => answer(status)),
		fc.nat(120).map((s) => answer(429, { 'retry-after': String(s) })),
	);
	fc.assert(
		fc.property(
			fc.constantFrom(...METHODS),
			fc.array(outcome, { minLength: 60, maxLength: 60 }),
			(method, outcomes) => {
				let history: History = UNTRIED;
				let waited = 0;
				const sent: Array<(typeof outcomes)[number]> = [];
				for (const one of outcomes) {
					sent.push(one);
					const next = step(one, method, history);
					if (!('history' in next)) break;
					if (next.act === 'wait') waited += next.ms;
					history = next.history;
				}
				expect(sent.length).toBeLessThan(60);
				expect(waited).toBeLessThanOrEqual(300_000);
				// A create is never sent after a try that may have stored it.
				if (method === 'POST')
					expect(sent.indexOf(lost) + 1).toBe(sent.includes(lost) ? sent.length : 0);
			},
		),
	);
});
