import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { WorkspaceData } from '../data/workspaceData.ts';
import { Clock } from '../foundation/clock.ts';
import { startService } from '../index.ts';
import { createClient, until } from './client.ts';
import { startMailServer } from './mailServer.ts';

/** Makes one subscription fail four times. */
async function pauseOne(smtpUrl: string, file = ':memory:') {
	const reported: string[] = [];
	const service = await startService({
		control: true,
		file,
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

test('an unsent mail is tried again at the next start, however often it was tried', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'workspace-data-'));
	const file = join(folder, 'service.sqlite');
	const first = await pauseOne('smtp://127.0.0.1:1', file);
	await until('it was tried', () => first.service.control.outbox()[0]?.error);
	await first.service.close();
	const database = new DatabaseSync(file);
	database.exec(`UPDATE mails SET attempts = 99, created_at = '2020-01-01T00:00:00.000Z'`);
	database.close();
	const mailServer = await startMailServer();
	const second = await startService({ control: true, file, smtpUrl: mailServer.url });
	try {
		await until('it is sent', () => second.control.outbox()[0]?.sentAt);
	} finally {
		await second.close();
		await mailServer.close();
		rmSync(folder, { recursive: true });
	}
});

describe('(L9) e-mails', () => {
	/** A service without a mail server: what it would send stays in the outbox. */
	const start = async () => {
		const service = await startService({ control: true, backoffMs: 1 });
		const api = createClient(service);
		const isPaused = () => service.control.subscriptions().every(({ state }) => state === 'paused');
		return { service, api, isPaused };
	};

	test('are deleted with the subscription, or the card, that they are about', async () => {
		const { service, api, isPaused } = await start();
		try {
			const cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
			const hook = { target_url: 'http://127.0.0.1:1/', events: ['card.updated'] };
			const { webhook_id: all } = (await api('POST', 'webhooks', hook)).body;
			await api('POST', 'webhooks', { ...hook, card_id: cid });
			await api('PATCH', `cards/${cid}`, { name: 'Renamed' });
			await until('both are paused', isPaused);
			expect(service.control.outbox()).toHaveLength(2);
			await api('DELETE', `webhooks/${all}`);
			expect(service.control.outbox()).toHaveLength(1);
			await api('DELETE', `cards/${cid}`);
			expect(service.control.outbox()).toEqual([]);
		} finally {
			await service.close();
		}
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
