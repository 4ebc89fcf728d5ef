/** The mailer by itself: what it sends, when it tries again, and when it gives up. */
import { createMailer } from '../../../service/delivery/mailer.ts';
import { startMailServer } from '../mailServer.ts';
import { openedStore } from './openedStore.ts';

const nobody = 'smtp://127.0.0.1:1';
/** A mailer with an outbox. */
function opened(smtpUrl: string) {
	const { store, wid, time } = openedStore();
	const reported: string[] = [];
	const mailer = createMailer(store.mails, smtpUrl, (message) => reported.push(message));
	const write = (subject: string, subscriptionId = 'whk_1') =>
		store.mails.add({
			...{ workspaceId: wid, subscriptionId, recipient: 'owner@example.com' },
			...{ subject, text: 'Text' },
		});
	const attempts = () => store.mails.list(null, 1)[0]?.attempts;
	/** Waits until something has happened that no timer brings about. */
	const until = async (condition: () => boolean) => {
		while (!condition()) await new Promise((resolve) => setImmediate(resolve));
	};
	const close = () => {
		mailer.close();
		store.close();
	};
	return { store, time, mailer, reported, write, attempts, until, close };
}
const subjects = (messages: readonly string[]) =>
	messages.map((text) => /^Subject: (.*)$/m.exec(text)?.[1]);

test('sends what is unsent, oldest first, once each, as the service', async () => {
	const server = await startMailServer();
	const { mailer, store, write, close, reported } = opened(server.url);
	write('First');
	write('Second');
	await mailer.flush();
	write('Third');
	await mailer.flush();
	await mailer.flush();
	expect(subjects(server.messages)).toEqual(['First', 'Second', 'Third']);
	expect(server.messages[0]).toContain(
		'From: Workspace Data Service <no-reply@workspace-data.example>',
	);
	expect(server.messages[0]).toContain('To: owner@example.com');
	expect(server.messages[0]).toMatch(/\n\nText\n/);
	expect(store.mails.unsent()).toEqual([]);
	expect(reported).toEqual([]);
	close();
	await server.close();
});

test('an e-mail that is written while others are sent goes out, too, without waiting', async () => {
	const server = await startMailServer();
	const { mailer, write, close } = opened(server.url);
	write('First');
	const first = mailer.flush();
	write('Second');
	const second = mailer.flush();
	await Promise.all([first, second]);
	expect(subjects(server.messages)).toEqual(['First', 'Second']);
	close();
	await server.close();
});

test('an e-mail that was deleted meanwhile is not sent', async () => {
	const server = await startMailServer();
	const { mailer, store, write, close } = opened(server.url);
	write('First');
	write('Second', 'whk_2');
	const flushed = mailer.flush();
	store.mails.removeOf('whk_2');
	await flushed;
	expect(subjects(server.messages)).toEqual(['First']);
	close();
	await server.close();
});

describe('a mail server that is away', () => {
	beforeEach(() => {
		// Timeouts alone: what is sent in between takes turns of the real event loop.
		const loop = ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask'] as const;
		const clocks = ['Date', 'hrtime', 'performance', 'setInterval', 'clearInterval'] as const;
		jest.useFakeTimers({ doNotFake: [...loop, ...clocks] });
	});
	afterEach(() => void jest.useRealTimers());

	test('what cannot be sent is tried again after 30 s, then after a minute', async () => {
		const { mailer, attempts, write, until, reported, close } = opened(nobody);
		write('Subject');
		await mailer.flush();
		expect(attempts()).toBe(1);
		jest.advanceTimersByTime(29_999);
		await new Promise((resolve) => setImmediate(resolve));
		expect(attempts()).toBe(1);
		jest.advanceTimersByTime(1);
		await until(() => attempts() === 2 && jest.getTimerCount() > 0);
		jest.advanceTimersByTime(30_000);
		await new Promise((resolve) => setImmediate(resolve));
		expect(attempts()).toBe(2);
		jest.advanceTimersByTime(30_000);
		await until(() => attempts() === 3);
		expect(reported).toHaveLength(3);
		close();
	});

	test('fails each e-mail by itself', async () => {
		const { mailer, store, write, close } = opened(nobody);
		write('First');
		write('Second');
		await mailer.flush();
		expect(store.mails.list(null, 2)).toMatchObject([
			{ attempts: 1, error: expect.stringMatching(/./) },
			{ attempts: 1, error: expect.stringMatching(/./) },
		]);
		close();
	});

	test('is tried for a day, and older ones once, at the start', async () => {
		const { mailer, time, attempts, write, close } = opened(nobody);
		write('Subject');
		time.now += 48 * 60 * 60 * 1000;
		await mailer.flush();
		expect(attempts()).toBe(1);
		await mailer.flush();
		expect([attempts(), jest.getTimerCount()]).toEqual([1, 0]);
		time.now -= 24 * 60 * 60 * 1000;
		await mailer.flush();
		expect(attempts()).toBe(2);
		close();
	});

	test('a database that cannot be read is reported, and looked at again', async () => {
		const { mailer, store, reported, close } = opened(nobody);
		store.close();
		await mailer.flush();
		expect(reported).toEqual([expect.stringMatching(/^the outbox could not be worked off: ./)]);
		expect(jest.getTimerCount()).toBe(1);
		close();
		expect(jest.getTimerCount()).toBe(0);
	});
});

test('nothing is sent, noted or tried after the end', async () => {
	const server = await startMailServer();
	const { mailer, store, write, reported } = opened(server.url);
	write('First');
	write('Second');
	const flushed = mailer.flush();
	mailer.close();
	await flushed;
	await mailer.flush();
	expect(store.mails.list(null, 2)).toMatchObject([
		{ attempts: 0, error: null, sentAt: null },
		{ attempts: 0, error: null, sentAt: null },
	]);
	expect(reported).toEqual([]);
	store.close();
	await server.close();
});
