import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { createClient, until, useServices } from './client.ts';

const startService = useServices();

/** A mail server that takes everything and keeps what it is given. */
async function startMailServer() {
	const messages: string[] = [];
	const server = new SMTPServer({
		authOptional: true,
		disabledCommands: ['STARTTLS'],
		onData(stream, _session, done) {
			const chunks: Buffer[] = [];
			stream.on('data', (chunk: Buffer) => chunks.push(chunk));
			stream.on('end', () => {
				messages.push(Buffer.concat(chunks).toString().replaceAll('\r\n', '\n'));
				done();
			});
		},
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
		messages,
		close: async () => await new Promise<void>((resolve) => server.close(resolve)),
	};
}

test('the owner of a paused subscription gets an e-mail through the mail server', async () => {
	const mailServer = await startMailServer();
	const { url: smtpUrl } = mailServer;
	const owner = { ownerEmail: 'boss@example.com' };
	const service = await startService({ control: true, backoffMs: 1, smtpUrl, ...owner });
	const api = createClient(service);
	const target = { target_url: 'http://127.0.0.1:1/', events: ['card.created'] };
	const { webhook_id: id } = (await api('POST', 'webhooks', target)).body;
	await api('POST', 'cards', { name: 'x' });
	await until('the e-mail is sent', () => service.control.outbox()[0]?.sentAt);
	expect(mailServer.messages).toHaveLength(1);
	expect(mailServer.messages[0]).toContain('To: boss@example.com');
	expect(mailServer.messages[0]).toContain('Subject: A webhook subscription was paused');
	expect(mailServer.messages[0]?.replaceAll('=\n', '')).toContain(id);
	await mailServer.close();
});
