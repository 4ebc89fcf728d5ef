/** Faults that tests ask for: which requests they meet, and how many. */
import type { ServerResponse } from 'node:http';
import { Faults, faultSchema, TokenFaults } from '../control/faults.ts';

const fault = (given: object = {}) => faultSchema.parse(given);

describe('a fault', () => {
	test('has its defaults', () => {
		expect(fault()).toEqual({
			path: '',
			times: 1,
			skip: 0,
			mode: 'answer',
			status: 500,
			body: 'problem',
			headers: {},
			byteMs: 1_000,
		});
	});

	test.each([
		{ times: 0 },
		{ times: 1.5 },
		{ skip: -1 },
		{ status: 199 },
		{ status: 600 },
		{ byteMs: -1 },
		{ mode: 'other' },
		{ body: 'xml' },
		{ unknown: 1 },
		{ headers: { 'a b': 'x' } },
		{ headers: { a: 'x\r\ny' } },
	])('cannot be %j', (given) => {
		expect(() => fault(given)).toThrow();
	});

	test.each([{ times: 1 }, { skip: 0 }, { status: 200 }, { status: 599 }, { byteMs: 0 }])(
		'can be %j',
		(given) => {
			expect(fault(given)).toMatchObject(given);
		},
	);

	test('meets requests of its method and path only', () => {
		const faults = new Faults();
		faults.add(fault({ method: 'post', path: '/records$' }));
		expect(faults.take('GET', '/records')).toBeUndefined();
		expect(faults.take('POST', '/records/1')).toBeUndefined();
		expect(faults.take('POST', '/cards/1/records')).toMatchObject({ method: 'POST' });
		expect(faults.take('POST', '/cards/1/records')).toBeUndefined();
	});

	test('without a method meets any', () => {
		const faults = new Faults();
		faults.add(fault({ times: 2 }));
		expect(['GET', 'PUT', 'GET'].map((method) => faults.take(method, '/x')?.status)).toEqual([
			500,
			500,
			undefined,
		]);
	});

	test('lets some matching requests through, then fails so many', () => {
		const faults = new Faults();
		faults.add(fault({ path: 'x', skip: 2, times: 2 }));
		const taken = ['x', 'y', 'x', 'x', 'y', 'x', 'x'].map((path) => !!faults.take('GET', path));
		expect(taken).toEqual([false, false, false, true, false, true, false]);
	});

	test('waits for its turn behind an earlier one, and counts down what it lets through', () => {
		const faults = new Faults();
		faults.add(fault({ status: 501 }));
		faults.add(fault({ status: 502, skip: 1 }));
		const taken = [1, 2, 3, 4].map(() => faults.take('GET', '/')?.status);
		expect(taken).toEqual([501, undefined, 502, undefined]);
	});

	test('is forgotten with all others', () => {
		const faults = new Faults(() => 0);
		faults.add(fault());
		faults.drop = { ratio: 1, when: 'before' };
		faults.clear();
		expect(faults.take('GET', '/')).toBeUndefined();
		expect(faults.drop).toEqual({ ratio: 0, when: 'either' });
	});
});

describe('dropped connections', () => {
	const modeOf = (ratio: number, when: 'before' | 'after' | 'either', ...random: number[]) => {
		const faults = new Faults(() => random.shift() ?? 0);
		faults.drop = { ratio, when };
		return faults.take('GET', '/')?.mode;
	};
	test.each([
		[0.5, 'before', [0.49, 0.9], 'dropBefore'],
		[0.5, 'before', [0.5], undefined],
		[0, 'before', [0], undefined],
		[0.5, 'after', [0, 0], 'dropAfter'],
		[0.5, 'either', [0, 0.49], 'dropBefore'],
		[0.5, 'either', [0, 0.5], 'dropAfter'],
	] as const)('of a share of %d, %s, with chances %j: %s', (ratio, when, random, mode) => {
		expect(modeOf(ratio, when, ...random)).toBe(mode);
	});

	test('come after the faults that were asked for', () => {
		const faults = new Faults(() => 0);
		faults.drop = { ratio: 1, when: 'before' };
		faults.add(fault({ status: 502 }));
		expect(faults.take('GET', '/')).toMatchObject({ mode: 'answer', status: 502 });
		expect(faults.take('GET', '/')?.mode).toBe('dropBefore');
	});
});

describe('the token endpoint', () => {
	/** A response that notes what is done to it. */
	function response() {
		const seen: unknown[] = [];
		const fake = {
			destroy: () => seen.push('destroyed'),
			writeHead: (status: number) => (seen.push(status), fake),
			end: (text: string) => seen.push(text),
		};
		return { seen, response: fake as unknown as ServerResponse };
	}

	test.each([
		['down', ['destroyed']],
		['unavailable', [503, '{"error":"temporarily_unavailable"}']],
		['html', [200, expect.stringContaining('<!doctype html>')]],
	] as const)('can be %s for some requests', (mode, expected) => {
		const faults = new TokenFaults();
		faults.set(mode, 2);
		for (let n = 0; n < 2; n++) {
			const { seen, response: one } = response();
			expect(faults.answer(one)).toBe(true);
			expect(seen).toEqual(expected);
		}
		const { seen, response: last } = response();
		expect([faults.answer(last), seen]).toEqual([false, []]);
	});

	test.each([
		['missingExpiresIn', {}],
		['expiresInString', { expires_in: '300' }],
		['expiresInZero', { expires_in: 0 }],
		['expiresInOne', { expires_in: 1 }],
	] as const)('can answer with %s', (mode, expected) => {
		const faults = new TokenFaults();
		faults.set(mode, 2);
		expect(faults.answer(response().response)).toBe(false);
		const answers = [1, 2, 3].map(() => {
			const body = { expires_in: 300 };
			faults.alter(body);
			return body;
		});
		expect(answers).toEqual([expected, expected, { expires_in: 300 }]);
	});

	test('is well again when its faults are forgotten', () => {
		const faults = new TokenFaults();
		faults.set('down', 5);
		faults.clear();
		expect(faults.answer(response().response)).toBe(false);
	});
});
