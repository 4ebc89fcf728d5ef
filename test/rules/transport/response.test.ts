/** Bodies that come in very many parts. */
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { readResponse } from '../../../nodes/WorkspaceData/transport/http/response';
import { retainedBytes } from '../../support/heap';

const PARTS = 10_000;

const bodyOf = async (body: Readable, maxBytes: number): Promise<unknown> =>
	(await readResponse({ statusCode: 200, headers: {}, body }, maxBytes)).body;

test('more parts than are kept one by one come in their order', async () => {
	const numbers = Array.from({ length: 5_000 }, (_, n) => n);
	const parts = JSON.stringify(numbers).split(/(?<=,)/);
	const stream = Readable.from(parts.map((part) => Buffer.from(part)));
	expect(await bodyOf(stream, 100_000)).toEqual(numbers);
});

test('many parts of one byte take less than 20 bytes each', async () => {
	const stream = new PassThrough();
	const before = retainedBytes();
	const reading = bodyOf(stream, 2_000_000);
	for (let n = 0; n < PARTS; n += 1) {
		stream.write(Uint8Array.of(0x20));
		// Else the stream itself puts the bytes together.
		while (stream.readableLength > 0) await turnOfTheLoop();
	}
	expect(retainedBytes() - before).toBeLessThan(PARTS * 20);
	stream.end('[]');
	expect(await reading).toEqual([]);
});
