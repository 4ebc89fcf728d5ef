/** Cursors, and the bounds of bodies, without a service around them. */
import type { FastifyRequest } from 'fastify';
import { defaultQuotas } from '../../../service/foundation/quotas.ts';
import { readBody } from '../../../service/http/body.ts';
import { exceededBound } from '../../../service/http/complexity.ts';
import { createCursors } from '../../../service/http/cursor.ts';

describe('a cursor', () => {
	const { encode, decode } = createCursors('key');

	test('leads back to its record, for its card and with its key only', () => {
		const cursor = encode('crd_1', 'rec_1');
		expect(cursor).toMatch(/^[\w-]+$/);
		expect(decode('crd_1', cursor)).toBe('rec_1');
		expect(() => decode('crd_2', cursor)).toThrow('crd_2');
		expect(() => createCursors('other').decode('crd_1', cursor)).toThrow('crd_1');
	});

	test('is worthless when any of its characters is another', () => {
		const cursor = encode('crd_1', 'rec_1');
		for (let at = 0; at < cursor.length - 1; at++) {
			const other = cursor[at] === 'A' ? 'B' : 'A';
			const changed = cursor.slice(0, at) + other + cursor.slice(at + 1);
			expect(() => decode('crd_1', changed)).toThrow('The cursor is not one');
		}
	});

	test.each(['', 'A', 'AAAA', 'AAAAAAAAAAAAAAA', 'AAAAAAAAAAAAAAAA', '€'])(
		'%j is none',
		(cursor) => {
			expect(() => decode('crd_1', cursor)).toThrow('The cursor is not one');
		},
	);
});

describe('the bounds of a JSON text', () => {
	const exceeded = (text: string, most = {}) =>
		exceededBound(Buffer.from(text), { depth: 2, keys: 2, values: 2, ...most });

	test.each([
		['[[1]]', undefined],
		['[[[', 'depth'],
		['{"a":{"b":{', 'depth'],
		['[[],[]]', undefined],
		['[{},{},1]', undefined],
		['{"a":1,"b":2}', undefined],
		['{"a":1,"b":2,"c"', undefined],
		['{"a":1,"b":2,"c":', 'keys'],
		['[1,2,3]', undefined],
		['[1,2,3,', 'values'],
		['', undefined],
	])('%s exceeds %s', (text, bound) => {
		expect(exceeded(text)).toBe(bound);
	});

	// Longer than the 64 bytes after which the end is searched for as a whole, and shorter; every place of an escape.
	const lengths = [0, 1, 2, 61, 62, 63, 64, 65, 66, 127, 128, 129, 300];
	test.each(lengths)('nothing in a string of %d bytes counts', (length) => {
		const filler = ',:[{'.repeat(100).slice(0, length);
		const isRead = (text: string) => exceeded(`[${text},1,`) === undefined;
		const isOver = (text: string) => exceeded(`[${text},1,1,`) === 'values';
		for (const end of [
			'',
			'\\"',
			'\\\\',
			'\\\\\\"',
			'\\"\\"',
			'\\\\\\\\',
			'\\"x',
			'\\\\x',
			'\\u0041',
		]) {
			for (const text of [`"${filler}${end}"`, `"${end}${filler}"`, `"${filler}${end}${filler}"`]) {
				expect([text, isRead(text), isOver(text)]).toEqual([text, true, true]);
			}
		}
	});

	test.each(lengths)(
		'a string of %d bytes without an end is read to the end of the text',
		(length) => {
			for (const end of ['', '\\', '\\"', '\\\\\\"']) {
				expect(exceeded(`"${',:[{'.repeat(100).slice(0, length)}${end}`)).toBeUndefined();
			}
		},
	);
});

describe('a body', () => {
	const read = (body: string | Buffer, headers = {}, quotas = {}) =>
		readBody({ headers } as FastifyRequest, Buffer.from(body), { ...defaultQuotas, ...quotas });

	test.each(['application/json', 'application/json;charset=utf-8', 'a/b; charset = "UTF8"'])(
		'of type %s is read',
		(type) => {
			expect(read('{"ä":1}', { 'content-type': type })).toEqual({ ä: 1 });
		},
	);

	test.each(['utf-16', 'latin1', 'xutf-8', 'utf-8x', 'us-asciix', 'utf--8'])(
		'in %s is refused',
		(charset) => {
			const type = { 'content-type': `application/json; charset=${charset}` };
			expect(() => read('{}', type)).toThrow(`Send bodies as UTF-8, not ${charset}.`);
		},
	);

	test('in US-ASCII, and one that says that it is not compressed, are read', () => {
		const headers = { 'content-type': 'a/b;charset=us-ascii', 'content-encoding': 'Identity' };
		expect(read('[1]', headers)).toEqual([1]);
		expect(() => read('[1]', { 'content-encoding': 'gzip' })).toThrow('without Content-Encoding');
	});

	test('of no bytes is none', () => {
		expect(read('')).toBeUndefined();
	});

	test('that is not JSON, or not UTF-8, is refused with the reason', () => {
		expect(() => read('{"a":')).toThrow(/^The body is not JSON: .*JSON/);
		expect(() => read(Buffer.of(0x22, 0xff, 0x22))).toThrow(
			'The body is not JSON: it is not UTF-8.',
		);
	});

	test.each([
		['[[1]]', { bodyDepth: 1 }, 'nested at most 1 levels'],
		['{"a":1,"b":1}', { bodyKeys: 1 }, 'at most 1 members'],
		['[1,2,3]', { bodyValues: 1 }, 'at most 1 elements'],
	])('%s beyond its bound is refused by its name', (body, quotas, detail) => {
		expect(() => read(body, {}, quotas)).toThrow(detail);
	});

	test('has given its memory back once it is read', () => {
		const bytes = Buffer.from(new TextEncoder().encode('{"a":1}').buffer);
		const request = { headers: {} } as FastifyRequest;
		expect(readBody(request, bytes, defaultQuotas)).toEqual({ a: 1 });
		expect(bytes.length).toBe(0);
		const shared = Buffer.from(new Uint8Array(64).fill(0x20).buffer, 0, 32);
		shared.write('[1]');
		expect(readBody(request, shared, defaultQuotas)).toEqual([1]);
		expect(shared.length).toBe(32);
	});
});
