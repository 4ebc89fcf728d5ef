import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { startService } from '../../service/index.ts';
import { createClient, until } from './client.ts';

/** A mail server that speaks just enough SMTP (RFC 5321) and keeps what it is given. */
async function startMailServer() {
	const messages: string[] = [];
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on('error', () => {});
		let data: string | undefined;
		let buffered = '';
		socket.write('220 test ESMTP\r\n');
		socket.on('data', (chunk) => {
			buffered += chunk.toString();
			for (let end = buffered.indexOf('\r\n'); end >= 0; end = buffered.indexOf('\r\n')) {
				const line = buffered.slice(0, end);
				buffered = buffered.slice(end + 2);
				if (data !== undefined) {
					if (line !== '.') {
						data += `${line}\n`;
						continue;
					}
					messages.push(data);
					data = undefined;
					socket.write('250 queued\r\n');
				} else if (line === 'DATA') {
					data = '';
					socket.write('354 go on\r\n');
				} else if (line === 'QUIT') socket.end('221 bye\r\n');
				else socket.write('250 ok\r\n');
			}
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
		messages,
		async close() {
			for (const socket of sockets) socket.destroy();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}

/** Makes one subscription fail four times. */
async function pauseOne(smtpUrl: string) {
	const reported: string[] = [];
	const service = await startService({
		backoffMs: 1,
		smtpUrl,
		ownerEmail: 'boss@example.com',
		report: (message) => reported.push(message),
	});
	const api = createClient(service);
	const target = { target_url: 'http://127.0.0.1:1/', events: ['card.created'] };
	const { webhook_id: id } = (await api('POST', 'webhooks', target)).body;
	await api('POST', 'cards', { name: 'x' });
	return { service, id, reported };
}

test('the owner of a paused subscription gets an e-mail through the mail server', async () => {
	const mailServer = await startMailServer();
	const { service, id, reported } = await pauseOne(mailServer.url);
	try {
		await until('the e-mail is sent', () => service.control.outbox()[0]?.sentAt);
		expect(mailServer.messages).toHaveLength(1);
		expect(mailServer.messages[0]).toContain('To: boss@example.com');
		expect(mailServer.messages[0]).toContain('Subject: A webhook subscription was paused');
		expect(mailServer.messages[0]?.replaceAll('=\n', '')).toContain(id);
		expect(reported).toEqual([]);
	} finally {
		await service.close();
		await mailServer.close();
	}
});

test('an e-mail that cannot be sent stays in the outbox, with the reason', async () => {
	const { service, reported } = await pauseOne('smtp://127.0.0.1:1');
	try {
		await until('it was tried', () => service.control.outbox()[0]?.error);
		expect(service.control.outbox()).toEqual([
			expect.objectContaining({ sentAt: null, attempts: 1, error: expect.any(String) }),
		]);
		expect(reported).toEqual(['an e-mail to the owner of a subscription could not be sent']);
	} finally {
		await service.close();
	}
});
