import { DatabaseSync } from 'node:sqlite';
import { WorkspaceData } from '../data/workspaceData.ts';
import { Clock } from '../foundation/clock.ts';
import { createClient, until, useFile, useServices } from './client.ts';
import { startMailServer } from './mailServer.ts';

const startService = useServices();
const file = useFile();
let mailServer: Awaited<ReturnType<typeof startMailServer>>;
beforeEach(async () => {
	mailServer = await startMailServer();
});
afterEach(async () => await mailServer.close());

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

test('an e-mail that cannot be sent stays in the outbox, with the reason', async () => {
	const { service, reported } = await pauseOne('smtp://127.0.0.1:1');
	await until('it was tried', () => service.control.outbox()[0]?.error);
	expect(service.control.outbox()).toEqual([
		expect.objectContaining({ sentAt: null, attempts: 1, error: expect.any(String) }),
	]);
	expect(reported).toEqual(['an e-mail to the owner of a subscription could not be sent']);
});

test('an unsent mail is tried again at the next start, however often it was tried', async () => {
	const first = await pauseOne('smtp://127.0.0.1:1');
	await until('it was tried', () => first.service.control.outbox()[0]?.error);
	await first.service.close();
	const database = new DatabaseSync(file());
	database.exec(`UPDATE mails SET attempts = 99, created_at = '2020-01-01T00:00:00.000Z'`);
	database.close();
	const second = await startService({ control: true, file: file(), smtpUrl: mailServer.url });
	await until('it is sent', () => second.control.outbox()[0]?.sentAt);
});

describe(' e-mails', () => {
	test('are deleted with the subscription, or the card, that they are about', async () => {
		// Without a mail server: what it would send stays in the outbox.
		const service = await startService({ control: true, backoffMs: 1 });
		const api = createClient(service);
		const cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
		const hook = { target_url: 'http://127.0.0.1:1/', events: ['card.updated'] };
		const { webhook_id: all } = (await api('POST', 'webhooks', hook)).body;
		await api('POST', 'webhooks', { ...hook, card_id: cid });
		await api('PATCH', `cards/${cid}`, { name: 'Renamed' });
		await until('both are paused', () =>
			service.control.subscriptions().every(({ state }) => state === 'paused'),
		);
		expect(service.control.outbox()).toHaveLength(2);
		await api('DELETE', `webhooks/${all}`);
		expect(service.control.outbox()).toHaveLength(1);
		await api('DELETE', `cards/${cid}`);
		expect(service.control.outbox()).toEqual([]);
	});

	test('are bounded: the oldest of a workspace go', () => {
		const { identities, subscriptions, mails, database } = new WorkspaceData(
			':memory:',
			new Clock(),
		);
		const { id } = identities.createWorkspace('Workspace', 'owner@example.com');
		const target = { targetUrl: 'http://127.0.0.1:1/', events: [], cardId: null };
		const subscription = subscriptions.create(id, target);
		for (let n = 0; n < 1_002; n++) mails.addPause(subscription, 'reason');
		const kept = mails.list(id, 2_000).map((mail) => mail.id);
		expect([kept.length, kept.at(0), kept.at(-1)]).toEqual([1_000, 1_002, 3]);
		database.close();
	});
});
