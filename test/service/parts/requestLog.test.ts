/** The log of requests for tests: how much of it is kept, and that it has no secret. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { createRequestLog } from '../../../service/control/requestLog.ts';

const mebibyte = 1024 * 1024;
type Log = ReturnType<typeof createRequestLog>;

/** Notes a request. */
function note(log: Log, url: string, headers = {}) {
	const request = { method: 'POST', url, headers } as IncomingMessage;
	const response = Object.assign(new EventEmitter(), { statusCode: 201 });
	const entry = log.note('api', request, response as unknown as ServerResponse);
	return { request, response, entry };
}

/** Notes a request with a body of some parts. */
async function noteBody(log: Log, url: string, ...parts: Buffer[]) {
	const { request } = note(log, url);
	const stream = new PassThrough();
	log.readBody(request, stream);
	const ended = new Promise((resolve) => stream.on('end', resolve));
	for (const part of parts) stream.write(part);
	stream.end();
	await ended;
}
const bodies = (log: Log) => log.list().map(({ body }) => body?.length ?? null);

test('an address is split into path and query, and the status comes with the answer', () => {
	const log = createRequestLog();
	const { request, response, entry } = note(log, '/a/b?c=d?e&f', { 'x-a': '1' });
	expect(log.entryOf(request)).toBe(entry);
	expect(log.list()).toEqual([
		{
			...{ listener: 'api', method: 'POST', path: '/a/b', query: 'c=d?e&f', status: null },
			...{ authorization: 'none', headers: { 'x-a': '1' }, body: null, time: expect.any(Number) },
		},
	]);
	response.emit('finish');
	expect(log.list()[0]?.status).toBe(201);
	log.reset();
	expect(log.list()).toEqual([]);
});

test.each([1_999, 2_000, 2_001])('of an address of %d characters 2,000 are kept', (length) => {
	const log = createRequestLog();
	note(log, `/a?${'x'.repeat(length - 3)}`);
	const [entry] = log.list();
	expect(`${entry?.path}?${entry?.query}`).toHaveLength(Math.min(length, 2_000));
});

test('secrets are redacted in headers and forms, and nothing else is', () => {
	const log = createRequestLog();
	const secret = { authorization: 'a', 'proxy-authorization': 'b', cookie: 'c' };
	const { request, entry } = note(log, '/', { ...secret, accept: 'd' });
	expect(entry.authorization).toBe('unknown');
	const form = { client_secret: 'e', client_assertion: 'f', client_id: 'g' };
	log.noteForm(request, form);
	const shown = '[redacted]';
	expect(log.list()[0]?.headers).toEqual({
		...{ authorization: shown, 'proxy-authorization': shown, cookie: shown, accept: 'd' },
	});
	expect(JSON.parse(log.list()[0]?.body ?? '')).toEqual({
		...{ client_secret: shown, client_assertion: shown, client_id: 'g' },
	});
	expect(form.client_secret).toBe('e');
});

test('a body is kept up to 1 MiB, with the whole parts that fit in', async () => {
	const log = createRequestLog();
	await noteBody(log, '/none');
	await noteBody(log, '/small', Buffer.from('é'), Buffer.from('b'));
	await noteBody(log, '/full', Buffer.alloc(mebibyte - 1, 'x'), Buffer.from('y'));
	await noteBody(log, '/more', Buffer.alloc(mebibyte, 'x'), Buffer.from('y'));
	expect(bodies(log)).toEqual([null, 2, mebibyte, mebibyte]);
	expect(log.list()[1]?.body).toBe('éb');
});

test('of all bodies 16 MiB are kept, and the oldest go first', async () => {
	const log = createRequestLog();
	const large = Buffer.alloc(mebibyte, 'x');
	for (let n = 0; n < 16; n++) await noteBody(log, `/${n}`, large);
	expect(bodies(log)).toEqual(Array(16).fill(mebibyte));
	await noteBody(log, '/16', Buffer.from('y'));
	expect(bodies(log)).toEqual([null, ...Array(15).fill(mebibyte), 1]);
	await noteBody(log, '/17', large);
	expect(bodies(log)).toEqual([null, null, ...Array(14).fill(mebibyte), 1, mebibyte]);
	log.reset();
	for (let n = 0; n < 16; n++) await noteBody(log, `/${n}`, large);
	expect(bodies(log)).toEqual(Array(16).fill(mebibyte));
});

test('the latest requests are kept, with their bodies', async () => {
	const log = createRequestLog(2);
	for (let n = 0; n < 7; n++) await noteBody(log, `/${n}`, Buffer.from('x'.repeat(n)));
	expect(log.list().map(({ path, body }) => [path, body?.length])).toEqual([
		['/5', 5],
		['/6', 6],
	]);
});
