import { defaultQuotas } from '../../service/foundation/quotas.ts';
import { createClock } from '../../service/control/shiftedClock.ts';
import { createDispatcher, type Dispatcher } from '../../service/delivery/dispatcher.ts';
import { createMailer, type Mailer } from '../../service/delivery/mailer.ts';
import { createSender, type Sender } from '../../service/delivery/sender.ts';
import { defaultSettings } from '../../service/foundation/settings.ts';
import { openStore, type Store } from '../../service/storage/store.ts';
import { startService } from '../../service/index.ts';
import { createClient, until } from './client.ts';
import { startMailServer } from './mailServer.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let store: Store;
let receiver: Receiver;
let mailServer: Awaited<ReturnType<typeof startMailServer>>;
let mailer: Mailer;
let dispatcher: Dispatcher;
let sender: Sender;
let workspaceId: string;
const reported: string[] = [];

beforeEach(async () => {
	const clock = createClock();
	store = openStore(':memory:', clock, defaultQuotas);
	receiver = await startReceiver();
	mailServer = await startMailServer();
	const report = (message: string) => reported.push(message);
	mailer = createMailer(store.mails, mailServer.url, report);
	sender = createSender(defaultQuotas);
	const [settings, quotas] = [defaultSettings, defaultQuotas];
	dispatcher = createDispatcher({ store, clock, settings, quotas, mailer, sender, report });
	workspaceId = store.identities.createWorkspace('Workspace', 'owner@example.com').id;
	reported.length = 0;
});
afterEach(async () => {
	await dispatcher.close(1_000);
	sender.close();
	mailer.close();
	store.close();
	await receiver.close();
	await mailServer.close();
});

/** Lets the database take no change, as on a full disk, or take changes again. */
const setFull = (full: boolean) => store.database.sql.exec(`PRAGMA query_only = ${full}`);

const subscribe = () =>
	store.subscriptions.create({
		workspaceId,
		cardId: null,
		targetUrl: receiver.url,
		events: ['card.created'],
		owner: 'owner@example.com',
	}).id;

const mail = (subject: string) =>
	store.mails.add({
		workspaceId,
		subscriptionId: 'whk_1',
		recipient: 'owner@example.com',
		subject,
		text: 'Text',
	});

const publish = () => {
	store.change((queue) =>
		queue({ event: 'card.created', workspaceId, cardId: 'crd_1', details: {} }),
	);
};

test('a delivery that cannot be noted is noted later, and not sent twice', async () => {
	store.listeners.published = (id) => dispatcher.wake(id);
	receiver.answer = () => {
		setFull(true);
		return 200;
	};
	const id = subscribe();
	publish();
	await until('it is reported', () => reported.length > 0);
	expect(reported[0]).toMatch(/^a delivery could not be noted: .*readonly/);
	setFull(false);
	await until(
		'it is noted',
		() => store.deliveries.log({ subscriptionId: id }, 1)[0]?.state === 'delivered',
	);
	expect(receiver.received).toHaveLength(1);
	receiver.answer = () => 200;
	publish();
	await until('the next one arrives', () => receiver.received.length === 2);
});

test('a queue that cannot be read is read later', async () => {
	const id = subscribe();
	publish();
	const broken = jest.spyOn(store.deliveries, 'next').mockImplementationOnce(() => {
		throw new Error('disk I/O error');
	});
	dispatcher.wake(id);
	await until('it arrives', () => receiver.received.length === 1);
	expect(broken.mock.calls.length).toBeGreaterThan(1);
	expect(reported).toEqual(['deliveries of a subscription have to wait: disk I/O error']);
});

test('an e-mail that cannot be noted does not end the mailer', async () => {
	mail('First');
	setFull(true);
	await mailer.flush();
	expect(reported).toEqual([
		expect.stringMatching(/^the outbox could not be worked off: .*readonly/),
	]);
	setFull(false);
	mail('Second');
	await mailer.flush();
	expect(store.mails.list(workspaceId, 10).map(({ sentAt }) => sentAt)).toEqual([
		expect.any(String),
		expect.any(String),
	]);
});

test('(L7) changes that do not fit are refused with 507, one log line a minute; what is there can be read and deleted', async () => {
	const lines: string[] = [];
	const service = await startService({
		quotas: { fileBytes: 2 * 1024 * 1024 },
		logTo: { write: (line) => void lines.push(line) },
	});
	try {
		const api = createClient(service);
		const cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
		const fid = (await api('POST', `cards/${cid}/fields`, { name: 'x', type: 'long_text' })).body
			.id;
		const create = async () =>
			await api('POST', `cards/${cid}/records`, { data: { [fid]: 'x'.repeat(100_000) } });
		const made: string[] = [];
		let refused = await create();
		for (; refused.status === 201; refused = await create()) made.push(refused.body.id);
		expect(refused.body).toMatchObject({
			status: 507,
			type: expect.stringMatching(/\/insufficient-storage$/),
		});
		for (let n = 0; n < 20; n++) expect((await create()).status).toBe(507);
		expect(lines.filter((line) => line.includes('full'))).toHaveLength(1);
		const begun = performance.now();
		jest.spyOn(performance, 'now').mockImplementation(() => begun + 61_000);
		expect((await create()).status).toBe(507);
		jest.restoreAllMocks();
		expect(lines.filter((line) => line.includes('full'))).toHaveLength(2);
		expect((await api('GET', `cards/${cid}/records`)).body.records).toHaveLength(made.length);
		for (const id of made) await api('DELETE', `cards/${cid}/records/${id}`);
		expect((await create()).status).toBe(201);
	} finally {
		jest.restoreAllMocks();
		await service.close();
	}
});
