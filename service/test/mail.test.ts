import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { createClient, until, useFile, useServices } from './client.ts';

const startService = useServices();
const file = useFile();
let mailServer: Awaited<ReturnType<typeof startMailServer>>;
beforeEach(async () => {
	mailServer = await startMailServer();
});
afterEach(async () => await mailServer.close());

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

/** Makes one subscription fail four times. */
async function pauseOne(smtpUrl: string) {
	const reported: string[] = [];
	const service = await startService({
		control: true,
		file: file(),
		backoffMs: 1,
		smtpUrl,
		ownerEmail: 'boss@example.com',
		logTo: { write: (line) => reported.push((JSON.parse(line) as { msg: string }).msg) },
	});
	const api = createClient(service);
	const target = { target_url: 'http://127.0.0.1:1/', events: ['card.created'] };
	const { webhook_id: id } = (await api('POST', 'webhooks', target)).body;
	await api('POST', 'cards', { name: 'x' });
	return { service, id, reported };
}

test('the owner of a paused subscription gets an e-mail through the mail server', async () => {
	const { service, id, reported } = await pauseOne(mailServer.url);
	await until('the e-mail is sent', () => service.control.outbox()[0]?.sentAt);
	expect(mailServer.messages).toHaveLength(1);
	expect(mailServer.messages[0]).toContain('To: boss@example.com');
	expect(mailServer.messages[0]).toContain('Subject: A webhook subscription was paused');
	expect(mailServer.messages[0]?.replaceAll('=\n', '')).toContain(id);
	expect(reported).toEqual([]);
});

test('an e-mail that cannot be sent stays with the reason, and is tried again at the next start', async () => {
	const { service, reported } = await pauseOne('smtp://127.0.0.1:1');
	await until('it was tried', () => service.control.outbox()[0]?.error);
	expect(service.control.outbox()).toMatchObject([{ sentAt: null }]);
	expect(reported).toEqual(['an e-mail to the owner of a subscription could not be sent']);
	await service.close();
	const second = await startService({ control: true, file: file(), smtpUrl: mailServer.url });
	await until('it is sent', () => second.control.outbox()[0]?.sentAt);
});
