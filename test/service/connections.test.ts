/** Connections are bounded, and what is under way is answered when the service stops. */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Service, startService } from '../../service/index.ts';
import { createClient, until } from './client.ts';
import { connectControl } from '../../service/index.ts';
import { killServices, startServiceProcess } from './commandLine.ts';
import { startReceiver } from './receiver.ts';

let sockets: Socket[] = [];
afterEach(async () => {
	for (const socket of sockets) socket.destroy();
	sockets = [];
	await killServices();
});

const open = async (url: string) => {
	const { hostname, port } = new URL(url);
	const socket = connect(Number(port), hostname).on('error', () => {});
	sockets.push(socket);
	await new Promise<void>((resolve) => {
		socket.once('connect', () => resolve());
		socket.once('close', () => resolve());
	});
	return socket;
};

describe('(L4)', () => {
	test('readers that never read are dropped', async () => {
		const service = await startService({
			control: true,
			quotas: { idleMs: 300, bytesPerSecond: 1e9 },
		});
		try {
			const api = createClient(service);
			const cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
			const fid = (await api('POST', `cards/${cid}/fields`, { name: 'x', type: 'long_text' })).body
				.id;
			for (let n = 0; n < 8; n++) {
				await api('POST', `cards/${cid}/records`, { data: { [fid]: 'x'.repeat(250_000) } });
			}
			// The client of this test keeps a connection, too.
			const others = service.control.memory().connections;
			const socket = await open(service.baseUrl);
			socket.pause();
			const { pathname } = new URL(service.baseUrl);
			const request = `GET ${pathname}/workspaces/${service.workspaceId}/cards/${cid}/records HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.apiKey}\r\n\r\n`;
			// More than the buffers of both sides hold.
			socket.write(request.repeat(30));
			const connections = () => service.control.memory().connections;
			await until('it is there', () => connections() > others);
			await until('it is dropped', () => connections() <= others);
		} finally {
			await service.close();
		}
	});

	test.each([
		['headers', 'POST /api/v1/x HTTP/1.1\r\nhost: x\r\n'],
		[
			'a body',
			'POST /api/v1/x HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
		],
	])('half a request (%s) is answered with 408 and dropped', async (_name, text) => {
		const service = await startService({ quotas: { idleMs: 300 } });
		try {
			for (const url of [service.baseUrl, service.authUrl]) {
				const socket = await open(url);
				let answer = '';
				socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
				const closed = new Promise((resolve) => socket.once('close', resolve));
				socket.write(text);
				await closed;
				expect(answer === '' || /^HTTP\/1\.1 (408|401|404)/.test(answer)).toBe(true);
			}
		} finally {
			await service.close();
		}
	});

	test('connections beyond the most are not accepted, and others are when some end', async () => {
		const service = await startService({ quotas: { connections: 3 } });
		try {
			const first = [];
			for (let n = 0; n < 3; n++) first.push(await open(service.baseUrl));
			const refused = await open(service.baseUrl);
			await until(
				'it is closed',
				() => refused.destroyed || refused.readableEnded || refused.closed,
			);
			for (const socket of first) socket.destroy();
			await until(
				'others are accepted',
				async () =>
					(await createClient(service)('GET', 'cards').catch(() => undefined))?.status === 200,
			);
		} finally {
			await service.close();
		}
	});
});

describe('(L8) SIGTERM', () => {
	let folder: string;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'workspace-data-'));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	test('what is under way is answered, and no delivery is repeated for it', async () => {
		const receiver = await startReceiver();
		const file = join(folder, 'service.sqlite');
		try {
			const { child, addresses, ended } = await startServiceProcess(['--control', '--file', file]);
			const service = addresses as unknown as Service;
			const api = createClient(service);
			const control = connectControl(addresses.controlUrl ?? '', addresses.controlToken ?? '');
			await api('POST', 'webhooks', { target_url: receiver.url, events: ['card.created'] });
			let answered = false;
			receiver.answer = () => {
				child.kill('SIGTERM');
				return null;
			};
			await control.setLatency({ ms: 700 });
			const slow = api('GET', 'cards').then(({ status }) => ((answered = true), status));
			const created = api('POST', 'cards', { name: 'x' });
			await until('the delivery is under way', () => receiver.received.length === 1);
			// Answered only after the signal.
			await until('the service stops listening', async () => {
				const refused = await open(service.baseUrl);
				await new Promise((resolve) => setTimeout(resolve, 20));
				return refused.destroyed || refused.readyState !== 'open';
			});
			receiver.release(200);
			expect([await slow, answered, (await created).status]).toEqual([200, true, 201]);
			expect(await ended).toEqual({ code: 0, signal: null });
			receiver.answer = () => 200;
			const again = await startServiceProcess(['--control', '--file', file]);
			const after = connectControl(
				again.addresses.controlUrl ?? '',
				again.addresses.controlToken ?? '',
			);
			const [delivery] = await after.deliveries();
			expect(delivery).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] });
			expect(receiver.received).toHaveLength(1);
		} finally {
			await receiver.close();
		}
	});

	test('the wait is bounded: a target that does not answer is given up', async () => {
		const receiver = await startReceiver();
		receiver.answer = () => null;
		const service = await startService({ drainMs: 200 });
		try {
			const api = createClient(service);
			await api('POST', 'webhooks', { target_url: receiver.url, events: ['card.created'] });
			await api('POST', 'cards', { name: 'x' });
			await until('the delivery is under way', () => receiver.received.length === 1);
			const started = performance.now();
			await service.close();
			expect(performance.now() - started).toBeLessThan(5_000);
		} finally {
			receiver.hangUp();
			await receiver.close();
		}
	});

	test('/health says whether it serves', async () => {
		const service = await startService({ rate: { limit: 1 } });
		const url = `${new URL(service.baseUrl).origin}/health`;
		for (let n = 0; n < 3; n++) {
			const answer = await fetch(url);
			expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
		}
		await service.close();
		await expect(fetch(url)).rejects.toThrow('fetch failed');
	});
});
