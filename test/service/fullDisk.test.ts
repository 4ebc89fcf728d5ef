import { defaultQuotas } from '../../service/foundation/quotas.ts';
import { createClock } from '../../service/control/shiftedClock.ts';
import { createDispatcher, type Dispatcher } from '../../service/delivery/dispatcher.ts';
import { createMailer, type Mailer } from '../../service/delivery/mailer.ts';
import { defaultSettings } from '../../service/foundation/settings.ts';
import { openStore, type Store } from '../../service/storage/store.ts';
import { until } from './client.ts';
import { startMailServer } from './mailServer.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let store: Store;
let receiver: Receiver;
let mailServer: Awaited<ReturnType<typeof startMailServer>>;
let mailer: Mailer;
let dispatcher: Dispatcher;
let workspaceId: string;
const reported: string[] = [];

beforeEach(async () => {
	const clock = createClock();
	store = openStore(':memory:', clock, defaultQuotas);
	receiver = await startReceiver();
	mailServer = await startMailServer();
	const report = (message: string) => reported.push(message);
	mailer = createMailer(store.mails, mailServer.url, report);
	dispatcher = createDispatcher(store, clock, defaultSettings, defaultQuotas, mailer, report);
	workspaceId = store.identities.createWorkspace('Workspace', 'owner@example.com').id;
	reported.length = 0;
});
afterEach(async () => {
	await dispatcher.close();
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
	store.mails.add(workspaceId, 'owner@example.com', 'First', 'Text');
	setFull(true);
	await mailer.flush();
	expect(reported).toEqual([
		expect.stringMatching(/^the outbox could not be worked off: .*readonly/),
	]);
	setFull(false);
	store.mails.add(workspaceId, 'owner@example.com', 'Second', 'Text');
	await mailer.flush();
	expect(store.mails.list(workspaceId, 10).map(({ sentAt }) => sentAt)).toEqual([
		expect.any(String),
		expect.any(String),
	]);
});
