/** A target that closes idle connections without saying so. */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { startService } from '../../service/index.ts';
import { createClient, until } from './client.ts';

/** A target that serves so many requests on a connection and hangs up on the next. */
async function startTarget(requestsOfConnection: number) {
	const served = new Map<Socket, number>();
	const received: string[] = [];
	let hungUp = 0;
	const server = createServer((request, response) => {
		const count = served.get(request.socket) ?? 0;
		served.set(request.socket, count + 1);
		if (count >= requestsOfConnection) {
			hungUp += 1;
			request.socket.resetAndDestroy();
			return;
		}
		let text = '';
		request.on('data', (chunk: Buffer) => (text += chunk.toString()));
		request.on('end', () => {
			received.push((JSON.parse(text) as { card: { name: string } }).card.name);
			response.end('ok');
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
		received,
		hungUp: () => hungUp,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

test('(L5) a failure on a reused connection is tried again at once and not counted', async () => {
	const target = await startTarget(2);
	const service = await startService({ control: true, backoffMs: 60_000 });
	try {
		const api = createClient(service);
		await api('POST', 'webhooks', { target_url: target.url, events: ['card.created'] });
		const names = Array.from({ length: 10 }, (_, n) => `Card ${n}`);
		for (const name of names) await api('POST', 'cards', { name });
		await until('all arrive', () => target.received.length === names.length);
		expect(target.received).toEqual(names);
		expect(target.hungUp()).toBeGreaterThan(2);
		const delivered = () =>
			service.control.deliveries().filter(({ state }) => state === 'delivered');
		await until('all are noted', () => delivered().length === names.length);
		const attempts = delivered().map(({ attempts }) => attempts.map(({ status }) => status));
		expect(attempts).toEqual(names.map(() => [200]));
	} finally {
		await service.close();
		await target.close();
	}
});

test('(L5) a target that hangs up on new connections, too, gets four attempts', async () => {
	const target = await startTarget(0);
	const service = await startService({ control: true, backoffMs: 1 });
	try {
		const api = createClient(service);
		await api('POST', 'webhooks', { target_url: target.url, events: ['card.created'] });
		await api('POST', 'cards', { name: 'x' });
		await until('it is paused', () => service.control.subscriptions()[0]?.state === 'paused');
		expect(target.hungUp()).toBe(4);
	} finally {
		await service.close();
		await target.close();
	}
});
