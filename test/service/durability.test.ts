import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { defaultQuotas } from '../../service/foundation/quotas.ts';
import { createClock } from '../../service/control/shiftedClock.ts';
import { sign } from '../../service/delivery/signature.ts';
import { type Service, startService } from '../../service/index.ts';
import { openStore } from '../../service/storage/store.ts';
import { createClient, requestToken, until } from './client.ts';
import { killServices, startServiceProcess } from './commandLine.ts';
import { startReceiver } from './receiver.ts';

let folder: string;
let file: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'workspace-data-'));
	file = join(folder, 'service.sqlite');
});
afterEach(async () => {
	await killServices();
	rmSync(folder, { recursive: true });
});

const start = async (known: string[] = []) =>
	await startServiceProcess(['--file', file, '--backoff-ms', '50', ...known]);

test('kill -9: no acknowledged record is lost, every one of them is delivered', async () => {
	const receiver = await startReceiver();
	const accepting = { now: true };
	receiver.answer = () => (accepting.now ? 200 : null);
	try {
		const first = await start();
		const { addresses } = first;
		const api = createClient(addresses as unknown as Service);
		const cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
		const fid = (await api('POST', `cards/${cid}/fields`, { name: 'n', type: 'number' })).body.id;
		const hook = await api('POST', 'webhooks', {
			target_url: receiver.url,
			events: ['record.created'],
		});

		// The target stops answering half way, so that deliveries are pending at the end.
		const acknowledged: string[] = [];
		let stopped = false;
		const writer = async (lane: number) => {
			for (let n = 0; !stopped; n++) {
				const answer = await api('POST', `cards/${cid}/records`, {
					data: { [fid]: lane * 1_000_000 + n },
				}).catch(() => undefined);
				if (answer?.status === 201) acknowledged.push(answer.body.id);
			}
		};
		const writers = [1, 2, 3, 4].map(writer);
		await until('100 records', () => acknowledged.length >= 100);
		accepting.now = false;
		await until('300 records', () => acknowledged.length >= 300);
		first.child.kill('SIGKILL');
		expect(await first.ended).toEqual({ code: null, signal: 'SIGKILL' });
		stopped = true;
		await Promise.all(writers);
		const deliveredBefore = new Set(receiver.received.map(({ body }) => body.record_id));
		expect(deliveredBefore.size).toBeLessThan(acknowledged.length);

		accepting.now = true;
		const second = await start(['--api-key', addresses.apiKey]);
		expect(second.addresses).toMatchObject({
			workspaceId: addresses.workspaceId,
			apiKey: addresses.apiKey,
		});
		const again = createClient(second.addresses as unknown as Service);
		const stored: string[] = [];
		for (let query = '?limit=500'; query !== ''; ) {
			const { body } = await again('GET', `cards/${cid}/records${query}`);
			stored.push(...body.records.map(({ id }) => id));
			query = body.next_cursor === null ? '' : `?limit=500&cursor=${body.next_cursor}`;
		}
		expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);
		await until('all stored records are delivered', () => {
			const ids = new Set(receiver.received.map(({ body }) => body.record_id));
			return stored.every((id) => ids.has(id));
		});
		// No delivery without its record, none with a wrong signature.
		const known = new Set(stored);
		for (const { body, raw, headers } of receiver.received) {
			expect(known.has(String(body.record_id))).toBe(true);
			expect(headers['x-service-signature']).toBe(sign(hook.body.secret, raw));
		}
		const later = await again('POST', `cards/${cid}/records`, { data: {} });
		expect(later.body.id > (stored.at(-1) ?? '')).toBe(true);
	} finally {
		await receiver.close();
	}
});

test('workspace, cards, accounts, cursors and subscriptions survive a restart', async () => {
	const first = await startService({ control: true, file });
	const api = createClient(first);
	const card = (await api('POST', 'cards', { name: 'Kept' })).body;
	first.control.fillCard({ cardId: card.id, count: 3 });
	const page = (await api('GET', `cards/${card.id}/records?limit=1`)).body;
	const { webhook_id: hook } = (
		await api('POST', 'webhooks', { target_url: 'http://127.0.0.1:9/', events: ['card.created'] })
	).body;
	await first.close();
	await first.close();

	const { apiKey, clientId, clientSecret } = first;
	const second = await startService({ control: true, file, apiKey, clientId, clientSecret });
	try {
		expect(second).toMatchObject({
			workspaceId: first.workspaceId,
			apiKey,
			clientId,
			clientSecret,
		});
		const later = createClient(second);
		expect((await later('GET', 'cards')).body.cards).toEqual([card]);
		const rest = await later('GET', `cards/${card.id}/records?cursor=${page.next_cursor}`);
		expect(rest.body.records).toHaveLength(2);
		expect((await later('DELETE', `webhooks/${hook}`)).status).toBe(204);
	} finally {
		await second.close();
	}
	const third = await startService({ control: true, file });
	await third.close();
	expect(third.workspaceId).toBe(first.workspaceId);
	expect(third.apiKey).not.toBe(apiKey);
});

test('a key named in the options is active again, though it was revoked', async () => {
	const first = await startService({ control: true, file });
	const { apiKey, clientId, clientSecret } = first;
	first.control.revokeKey({ apiKey });
	first.control.revokeAccount({ clientId });
	await first.close();
	const second = await startService({ control: true, file, apiKey, clientId, clientSecret });
	try {
		expect((await createClient(second)('GET', 'cards')).status).toBe(200);
		expect((await requestToken(second)).status).toBe(200);
	} finally {
		await second.close();
	}
});

test('key and account that are named belong to the workspace that is named', async () => {
	const first = await startService({ control: true, file });
	const { apiKey, clientId, clientSecret } = first;
	await first.close();
	const named = { workspaceId: 'wsp_other', apiKey, clientId, clientSecret };
	const second = await startService({ control: true, file, ...named });
	try {
		expect(second).toMatchObject(named);
		expect((await createClient(second)('GET', 'cards')).status).toBe(200);
		const token = (await requestToken(second)).body.access_token;
		expect((await createClient(second, token)('GET', 'cards')).status).toBe(200);
	} finally {
		await second.close();
	}
});

/** Records as version 4 kept them. */
const asVersion4 = `
	ALTER TABLE records RENAME TO now;
	CREATE TABLE records (
		card_id TEXT NOT NULL REFERENCES cards(id) ON DELETE CASCADE, id TEXT NOT NULL,
		data TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (card_id, id)
	) WITHOUT ROWID;
	INSERT INTO records SELECT * FROM now;
	DROP TABLE now;
	PRAGMA user_version = 4;
`;

/** Removes the additions of version 4, too. */
const asVersion3 = `
	${asVersion4}
	DROP INDEX mails_by_workspace;
	DROP INDEX mails_by_subscription;
	ALTER TABLE mails DROP COLUMN subscription_id;
	ALTER TABLE api_keys DROP COLUMN tier;
	ALTER TABLE accounts DROP COLUMN tier;
	PRAGMA user_version = 3;
`;

/** Removes those of version 3, too; version 1 had no workspace of e-mails either. */
const asVersion2 = `
	${asVersion3}
	DROP INDEX events_by_card;
	DROP INDEX deliveries_done;
	DROP TABLE leftovers;
	ALTER TABLE cards DROP COLUMN deleted_at;
	ALTER TABLE events DROP COLUMN card_id;
	ALTER TABLE deliveries DROP COLUMN bytes;
	ALTER TABLE attempts DROP COLUMN answer;
	DELETE FROM meta;
	PRAGMA user_version = 2;
	PRAGMA application_id = 0;
`;

test('a file of version 1 is upgraded; its e-mails find their workspace', async () => {
	const clock = createClock();
	const before = openStore(file, clock, defaultQuotas);
	const { id } = before.identities.createWorkspace('Workspace', 'owner@example.com');
	const { id: subscriptionId } = before.subscriptions.create({
		workspaceId: id,
		cardId: null,
		targetUrl: 'http://127.0.0.1:1/',
		events: ['card.created'],
		owner: 'owner@example.com',
	});
	const text = `The webhook subscription ${subscriptionId} of workspace ${id} was paused\n`;
	const recipient = 'owner@example.com';
	before.mails.add({
		workspaceId: id,
		subscriptionId,
		recipient,
		subject: 'Subject',
		text,
	});
	before.database.sql.exec(
		`${asVersion2} ALTER TABLE mails DROP COLUMN workspace_id; PRAGMA user_version = 1`,
	);
	before.close();
	const after = openStore(file, clock, defaultQuotas);
	expect(after.mails.list(id, 10)).toEqual([expect.objectContaining({ text })]);
	expect(after.identities.defaultWorkspace()?.id).toBe(id);
	// It has found its subscription, too: it is deleted with it.
	after.removeSubscription(subscriptionId);
	expect(after.mails.list(id, 10)).toEqual([]);
	after.close();
});

test('a file of version 2 is upgraded: its key and data work, what waits is delivered, and deletions are cleared', async () => {
	const receiver = await startReceiver();
	receiver.answer = () => null;
	const first = await startService({ file, drainMs: 0 });
	const { apiKey, workspaceId } = first;
	const api = createClient(first);
	const cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
	const fid = (await api('POST', `cards/${cid}/fields`, { name: 'n', type: 'number' })).body.id;
	const events = ['record.created'];
	await api('POST', 'webhooks', { target_url: receiver.url, events, card_id: cid });
	const record = await api('POST', `cards/${cid}/records`, { data: { [fid]: 1 } });
	await until('the delivery is under way', () => receiver.received.length === 1);
	receiver.hangUp();
	await first.close();
	const old = new DatabaseSync(file);
	old.exec(asVersion2);
	old.close();

	receiver.answer = () => 200;
	const second = await startService({ control: true, file, apiKey, backoffMs: 20 });
	try {
		expect(second.workspaceId).toBe(workspaceId);
		const again = createClient(second);
		const { body } = await again('GET', `cards/${cid}/records`);
		expect(body.records).toMatchObject([{ id: record.body.id, data: { [fid]: 1 } }]);
		await until('what waited is delivered', () => receiver.received.length === 2);
		expect(receiver.received[1]?.body.record_id).toBe(record.body.id);
		await until('it is known to be delivered', () =>
			second.control.deliveries().some(({ state }) => state === 'delivered'),
		);
		// The upgrade filled in the subject of its events: they are deleted with their card.
		expect((await again('DELETE', `cards/${cid}`)).status).toBe(204);
		await until('its events are gone', () => second.control.deliveries().length === 0);
	} finally {
		await second.close();
		await receiver.close();
	}
	await until('its events are cleared away, by this start or the next', async () => {
		const next = await startService({ file, apiKey });
		// Closed at once, it would stop before it has begun to clear anything away.
		expect((await createClient(next)('GET', 'cards')).status).toBe(200);
		await next.close();
		const sql = new DatabaseSync(file, { readOnly: true });
		const { count } = sql.prepare('SELECT COUNT(*) AS count FROM events').get() ?? {};
		sql.close();
		return count === 0;
	});
	const upgraded = new DatabaseSync(file, { readOnly: true });
	expect(upgraded.prepare('PRAGMA user_version').get()).toEqual({ user_version: 5 });
	expect(upgraded.prepare('PRAGMA application_id').get()).toEqual({ application_id: 0x57734461 });
	upgraded.close();
});

test('a file that is not ours is refused and left alone', async () => {
	const foreign = new DatabaseSync(file);
	foreign.exec(`CREATE TABLE things (id); INSERT INTO things VALUES ('mine')`);
	foreign.close();
	await expect(startService({ control: true, file })).rejects.toThrow(
		'is not a database of this version',
	);
	const again = new DatabaseSync(file);
	const tables = again.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all();
	again.close();
	expect(tables.map(({ name }) => name)).toEqual(['things']);
});
