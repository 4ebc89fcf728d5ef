/** One attempt to deliver: what is sent, what is kept of the answer, and which connections are used again. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createSender } from '../../../service/delivery/sender.ts';

let server: Server;
let url: string;
let answer: (response: ServerResponse, request: IncomingMessage) => void;
let sockets: Set<Socket>;
let seen: Array<{ url: string | undefined; headers: IncomingMessage['headers']; body: string }>;
let sender: ReturnType<typeof createSender>;

beforeEach(async () => {
	[sockets, seen] = [new Set(), []];
	answer = (response) => response.end('ok');
	server = createServer((request, response) => {
		sockets.add(request.socket);
		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('end', () => {
			seen.push({ url: request.url, headers: request.headers, body });
			answer(response, request);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=b`;
	sender = createSender({ sockets: 2 });
});
afterEach(async () => {
	sender.close();
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

const post = async (more: { signature?: string | null; signal?: AbortSignal; ms?: number } = {}) =>
	await sender.post(url, Buffer.from('{"ä":1}'), more.signature ?? null, {
		timeoutMs: more.ms ?? 10_000,
		signal: more.signal ?? new AbortController().signal,
	});

test('the bytes go out as JSON, with the signature where there is one', async () => {
	await post({ signature: 'abc' });
	await post();
	const [signed, unsigned] = seen;
	expect(signed).toMatchObject({
		url: '/hook?a=b',
		body: '{"ä":1}',
		headers: {
			'content-type': 'application/json; charset=utf-8',
			'user-agent': 'workspace-data-service',
			'x-service-signature': 'abc',
			'content-length': '8',
		},
	});
	expect(unsigned?.headers).not.toHaveProperty('x-service-signature');
});

test.each([
	[200, null],
	[204, null],
	[299, null],
	[300, 'answered 300'],
	[302, 'answered 302'],
	[404, 'answered 404'],
	[500, 'answered 500'],
])('an answer of %d is taken as: %s', async (status, error) => {
	answer = (response) => response.writeHead(status, { location: '/elsewhere' }).end();
	expect(await post()).toEqual({ status, error, answer: null, durationMs: expect.any(Number) });
	expect(seen).toHaveLength(1);
});

test('1,000 characters of an answer are kept, and a long one is given up', async () => {
	answer = (response) => response.end('é'.repeat(1_500));
	expect((await post()).answer).toBe('é'.repeat(1_000));
	answer = (response) => response.end('x'.repeat(64 * 1024));
	expect((await post()).answer).toBe('x'.repeat(1_000));
	let written = 0;
	answer = (response) => {
		const more = () => {
			written += 1;
			if (!response.destroyed) response.write('y'.repeat(16_384), () => setImmediate(more));
		};
		more();
	};
	const outcome = await post();
	expect(outcome).toMatchObject({ status: 200, error: null, answer: 'y'.repeat(1_000) });
	expect(written).toBeLessThan(1_000);
});

test('an answer that comes in parts is put together', async () => {
	answer = (response) =>
		response.write('x'.repeat(600), () => setTimeout(() => response.end('y'.repeat(600)), 1));
	expect((await post()).answer).toBe('x'.repeat(600) + 'y'.repeat(400));
});

test('connections are used again after an answer that was read to its end', async () => {
	for (let n = 0; n < 3; n++) await post();
	expect(sockets.size).toBe(1);
	answer = (response) => response.end('x'.repeat(200_000));
	await post();
	answer = (response) => response.end();
	await post();
	expect([sockets.size, seen.length]).toEqual([2, 5]);
});

test('as many connections as may deliver are kept, not more', async () => {
	const held: ServerResponse[] = [];
	answer = (response) => held.push(response);
	const atOnce = async (count: number) => {
		const posts = Array.from({ length: count }, async () => await post());
		while (held.length < count) await new Promise((resolve) => setImmediate(resolve));
		for (const response of held.splice(0)) response.end();
		await Promise.all(posts);
	};
	await atOnce(3);
	expect(sockets.size).toBe(3);
	await atOnce(2);
	expect(sockets.size).toBe(3);
	await atOnce(3);
	expect(sockets.size).toBe(4);
});

test('a target that is silent is given up after its time, and one that is not there at once', async () => {
	answer = () => {};
	expect(await post({ ms: 20 })).toMatchObject({
		status: null,
		error: 'no answer within 20 ms',
		answer: null,
	});
	await new Promise((resolve) => (server.closeAllConnections(), server.close(resolve)));
	expect(await post()).toMatchObject({
		status: null,
		error: expect.stringMatching(/^ECONNREFUSED: ./),
	});
	server.listen();
});

test('an answer that is cut short says so', async () => {
	const cutting = new AbortController();
	answer = () => cutting.abort();
	expect(await post({ signal: cutting.signal })).toMatchObject({
		status: null,
		error: expect.stringContaining('AbortError'),
	});
});

test('a connection that breaks without an answer is tried again, once, if it was used before', async () => {
	await post();
	const isFirst = () => seen.length === 2;
	answer = (response, request) => (isFirst() ? request.socket.resetAndDestroy() : response.end());
	expect(await post()).toMatchObject({ status: 200, error: null });
	expect([seen.length, sockets.size]).toEqual([3, 2]);
	answer = (_response, request) => request.socket.resetAndDestroy();
	expect(await post()).toMatchObject({ status: null });
	expect(seen).toHaveLength(5);
	expect(await post()).toMatchObject({ status: null });
	expect(seen).toHaveLength(6);
});

test('a connection that breaks in the middle of an answer is not tried anew', async () => {
	await post();
	answer = (response, request) => {
		response.writeHead(200, { 'content-length': 100 });
		response.write('begun', () => request.socket.resetAndDestroy());
	};
	expect(await post()).toMatchObject({ status: null });
	expect(seen).toHaveLength(2);
});
