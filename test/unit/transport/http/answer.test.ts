/** How much of an answer is read, and what becomes of its connection. */
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { readBody, readAnswer } from '../../../../nodes/WorkspaceData/transport/http/answer';
import {
	AnswerTooLarge,
	NetworkFailure,
} from '../../../../nodes/WorkspaceData/transport/failure/failures';

import { retainedBytes } from '../../../support/heap';

const MANY = 1_000;
const PARTS = 300_000;
const streamOf = (...parts: Array<string | Uint8Array>) =>
	Readable.from(parts.map((part) => Buffer.from(part)));
const failing = (code: string, message = code) => {
	const stream = new PassThrough();
	stream.write('{"id":');
	setImmediate(() => stream.destroy(Object.assign(new Error(message), { code })));
	return stream;
};
const lostInTheMiddle = {
	message: 'the answer was cut off',
	transient: true,
	sent: 'yes',
};

describe('G10: the text of a body', () => {
	test.each<[string, Uint8Array[], unknown]>([
		['JSON in one part', [Buffer.from('{"a":1}')], { a: 1 }],
		[
			'a character that comes in parts',
			[...Buffer.from('{"a":"ü€😀"}')].map((byte) => Uint8Array.of(byte)),
			{ a: 'ü€😀' },
		],
		['a byte order mark', [Buffer.from('\uFEFF{"a":1}')], { a: 1 }],
		[
			'a byte order mark that comes in parts',
			[Uint8Array.of(0xef), Uint8Array.of(0xbb), Buffer.from('\uFEFF[]').subarray(2)],
			[],
		],
		['JSON in a text, as far as a body goes', [Buffer.from('"{}"')], '{}'],
		['a bare value', [Buffer.from('12')], 12],
		['a web page', [Buffer.from('<!doctype html>')], '<!doctype html>'],
		['JSON that breaks off', [Buffer.from('{"a":')], '{"a":'],
		['nothing', [], ''],
	])('%s', async (_, parts, value) => {
		expect(await readBody(Readable.from(parts), MANY)).toEqual(value);
		expect(await readBody(Buffer.concat(parts), MANY)).toEqual(value);
	});

	test.each<[string, number[], string | undefined, string]>([
		['the declared charset', [0x22, 0xe9, 0x22], 'application/json; charset=iso-8859-1', 'é'],
		['UTF-16 with a mark', [0xff, 0xfe, 0x22, 0, 0xe9, 0, 0x22, 0], undefined, 'é'],
		['UTF-16 without a mark', [0, 0x22, 0, 0xe9, 0, 0x22], 'x/y;charset="UTF-16BE"', 'é'],
		['a charset that nobody knows', [0x22, 0xc3, 0xa9, 0x22], 'x/y; charset=x-unknown', 'é'],
	])('%s (O6)', async (_, bytes, contentType, value) => {
		expect(await readBody(Uint8Array.from(bytes), MANY, { contentType })).toBe(value);
	});

	test('bytes that are not UTF-8 are refused, except where nothing is stored of them (O6)', async () => {
		const bytes = Uint8Array.of(0x22, 0xff, 0x22);
		await expect(readBody(bytes, MANY)).rejects.toThrow('bytes that are not UTF-8');
		await expect(readBody(bytes, MANY, { contentType: 'x/y; charset=utf-8' })).rejects.toThrow(
			'bytes that are not utf-8',
		);
		expect(await readBody(bytes, MANY, { lossy: true })).toBe('\uFFFD');
	});

	test('a stream that gives texts', async () => {
		expect(await readBody(Readable.from(['{"a":', '"ü"}']), MANY)).toEqual({ a: 'ü' });
	});

	test.each([{ a: 1 }, [1], 'text', '', null, undefined, 12])(
		'%p was read by somebody else: it stays unchanged',
		async (body) => expect(await readBody(body, MANY)).toBe(body),
	);

	test('more parts than are kept one by one come in their order', async () => {
		const numbers = Array.from({ length: 5_000 }, (_, n) => n);
		const parts = JSON.stringify(numbers).split(/(?<=,)/);
		expect(await readBody(streamOf(...parts), 100_000)).toEqual(numbers);
	});

	test('many parts of one byte take less than 20 bytes each', async () => {
		const stream = new PassThrough();
		const before = retainedBytes();
		const reading = readBody(stream, 2_000_000);
		for (let n = 0; n < PARTS; n += 1) {
			if (!stream.write(Uint8Array.of(0x20))) await once(stream, 'drain');
		}
		// What the stream still holds is no matter of ours.
		while (stream.readableLength > 0) await turnOfTheLoop();
		expect(retainedBytes() - before).toBeLessThan(PARTS * 20);
		stream.end('[]');
		expect(await reading).toEqual([]);
	});
});

describe('G10: a body that is too large', () => {
	test('as many bytes as allowed are read, and no more', async () => {
		const text = `"${'x'.repeat(8)}"`;
		expect(await readBody(streamOf(text), 10)).toBe('xxxxxxxx');
		const stream = streamOf(text);
		await expect(readBody(stream, 9)).rejects.toThrow(AnswerTooLarge);
		expect(stream.destroyed).toBe(true);
		await expect(readBody(Buffer.from(text), 9)).rejects.toThrow(AnswerTooLarge);
	});

	test('a stream that never ends is read up to the bound, and destroyed', async () => {
		let given = 0;
		const stream = new Readable({
			read() {
				given += 100;
				this.push(Buffer.alloc(100));
			},
		});
		await expect(readBody(stream, 10_000)).rejects.toMatchObject({
			message: 'the answer is too large',
			transient: false,
			sent: 'yes',
		});
		expect(stream.destroyed).toBe(true);
		expect(given).toBeLessThan(10_000 + 2 * stream.readableHighWaterMark);
	});

	test.each(['1001', 1001])('a declared length of %p is not read at all', async (declared) => {
		const read = jest.fn();
		const stream = new Readable({ read });
		await expect(readBody(stream, MANY, { declared })).rejects.toThrow(AnswerTooLarge);
		expect(stream.destroyed).toBe(true);
		expect(read).not.toHaveBeenCalled();
	});

	test.each([undefined, '', '1000', 'nonsense', ['5']])(
		'a declared length of %p is no reason',
		async (declared) => expect(await readBody(streamOf('[]'), MANY, { declared })).toEqual([]),
	);

	test('the answer of the API has 64 MB at most; one that is refused says enough with its status', async () => {
		const part = Buffer.alloc(1_000_000, ' ');
		const answer = (statusCode: number, megabytes: number) => {
			const body = Readable.from(Array.from({ length: megabytes }, () => part));
			return { statusCode, headers: {}, body };
		};
		expect(await readAnswer(answer(200, 64))).toMatchObject({ status: 200 });
		await expect(readAnswer(answer(200, 65))).rejects.toThrow(AnswerTooLarge);
		const refused = answer(503, 10);
		expect(await readAnswer(refused)).toEqual({ status: 503, headers: {}, body: '' });
		expect(refused.body.destroyed).toBe(true);
	});
});

describe('G11: a body that does not come to its end', () => {
	test.each([
		['ECONNRESET', 'aborted'],
		['EPIPE', 'write EPIPE'],
		['ERR_STREAM_PREMATURE_CLOSE', 'Premature close'],
	])('%s: it was cut off', async (code, message) => {
		await expect(readBody(failing(code, message), MANY)).rejects.toMatchObject(lostInTheMiddle);
	});

	test.each([
		'Z_DATA_ERROR',
		'HPE_INVALID_CHUNK_SIZE',
		'EPROTO',
		'ERR_SSL_BAD_RECORD',
		'ECONNREFUSED',
		'',
	])('%s: whatever it is, the request has arrived', async (code) => {
		await expect(readBody(failing(code), MANY)).rejects.toMatchObject({
			message: 'the answer could not be read',
			transient: true,
			sent: 'yes',
		});
	});

	test('a time-out of the connection is called one', async () => {
		await expect(readBody(failing('ETIMEDOUT'), MANY)).rejects.toMatchObject({
			message: 'no answer came in time',
			httpCode: 'ETIMEDOUT',
			sent: 'maybe',
		});
	});

	test('closed without an end, before or while it is read', async () => {
		const closed = new PassThrough();
		closed.destroy();
		await once(closed, 'close');
		await expect(readBody(closed, MANY)).rejects.toMatchObject(lostInTheMiddle);
		const closing = new PassThrough();
		setImmediate(() => closing.destroy());
		await expect(readBody(closing, MANY)).rejects.toMatchObject(lostInTheMiddle);
	});

	test('ended from outside, before or while it is read: its connection ends, too', async () => {
		const end = new AbortController();
		const stream = new PassThrough();
		const reading = readBody(stream, MANY, { signal: end.signal });
		end.abort();
		await expect(reading).rejects.toThrow(NetworkFailure);
		expect(stream.destroyed).toBe(true);
		const late = new PassThrough();
		await expect(readBody(late, MANY, { signal: end.signal })).rejects.toThrow(NetworkFailure);
		expect(late.destroyed).toBe(true);
		// Nobody waits for it any more; an error must not end the process.
		late.emit('error', new Error('too late'));
	});

	test('the end of the request after its body changes nothing', async () => {
		const end = new AbortController();
		const stream = streamOf('{"a":1}');
		expect(await readBody(stream, MANY, { declared: '7', signal: end.signal })).toEqual({ a: 1 });
		end.abort();
		expect(stream.errored).toBeNull();
	});
});
