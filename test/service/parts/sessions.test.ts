/** Who is signed in, the outbox and the work in the background, by a clock of the test's own. */
import { createMailer } from '../../../service/delivery/mailer.ts';
import { answerBrokenRequest, refuseExpectation } from '../../../service/http/brokenRequests.ts';
import { createSessions, sessionMs } from '../../../service/settingsPage/sessions.ts';
import { createUpkeep } from '../../../service/storage/upkeep.ts';
import { until } from '../client.ts';
import { openedStore } from './openedStore.ts';

describe('sessions', () => {
	const opened = () => {
		let now = 0;
		const sessions = createSessions('right', { monotonic: () => now });
		return { sessions, goTo: (ms: number) => (now = ms) };
	};

	test('begin with the right password alone, and end after eight hours', () => {
		const { sessions, goTo } = opened();
		expect(sessions.signIn('wrong')).toBeUndefined();
		const id = sessions.signIn('right');
		expect(id).toMatch(/^[\w-]{43}$/);
		expect(sessions.find(id)).toEqual({ notices: [], endsAt: sessionMs });
		expect(sessions.find('other')).toBeUndefined();
		expect(sessions.find(undefined)).toBeUndefined();
		expect(sessionMs).toBe(8 * 3_600_000);
		goTo(sessionMs - 1);
		expect(sessions.find(id)).toBeDefined();
		goTo(sessionMs);
		expect(sessions.find(id)).toBeUndefined();
	});

	test('end by signing out, each by itself', () => {
		const { sessions } = opened();
		const [one = '', two = ''] = [sessions.signIn('right'), sessions.signIn('right')];
		sessions.signOut(one);
		expect([sessions.find(one), sessions.find(two)?.notices]).toEqual([undefined, []]);
	});

	test('are 1,000 at a time; the oldest ends', () => {
		const { sessions } = opened();
		const ids = Array.from({ length: 1_000 }, () => sessions.signIn('right'));
		expect(sessions.find(ids[0])).toBeDefined();
		sessions.signIn('right');
		expect(sessions.find(ids[0])).toBeUndefined();
		expect(sessions.find(ids[1])).toBeDefined();
	});
});

describe('the outbox', () => {
	const mailTo = (subscriptionId: string, workspaceId: string) => ({
		...{ subscriptionId, workspaceId, recipient: 'a@b' },
		...{ subject: 'Subject', text: 'Text' },
	});

	test('has what is unsent, oldest first, up to an age, and notes each attempt', () => {
		const { store, wid, time } = openedStore();
		const { mails } = store;
		mails.add(mailTo('whk_1', wid));
		time.now += 1_000;
		mails.add(mailTo('whk_2', wid));
		const unsent = (age?: number) => mails.unsent(age).map(({ id }) => id);
		expect([unsent(), unsent(1_000), unsent(999)]).toEqual([[1, 2], [1, 2], [2]]);
		mails.failed(1, 'no');
		expect(mails.list(wid, 10)[1]).toMatchObject({ id: 1, attempts: 1, error: 'no', sentAt: null });
		mails.sent(1);
		expect(mails.list(wid, 10)[1]).toMatchObject({ attempts: 2, error: null });
		expect(mails.list(wid, 10)[1]?.sentAt).toBe(new Date(time.now).toISOString());
		expect([unsent(), mails.list(wid, 1).length, mails.list('other', 1)]).toEqual([[2], 1, []]);
		mails.removeOf('whk_2');
		expect([mails.has(1), mails.has(2)]).toEqual([true, false]);
		store.close();
	});

	test('stays as it is where there is no mail server, and after the end', async () => {
		const { store, wid } = openedStore();
		store.mails.add(mailTo('whk_1', wid));
		const none = createMailer(store.mails, undefined, () => {});
		await none.flush();
		none.close();
		const ended = createMailer(store.mails, 'smtp://127.0.0.1:1', () => {});
		ended.close();
		await ended.flush();
		expect(store.mails.list(null, 1)).toMatchObject([{ attempts: 0, error: null }]);
		store.close();
	});
});

describe('the upkeep', () => {
	const remove = ({ data, wid }: ReturnType<typeof openedStore>) => {
		const { id } = data.cards.create(wid, { name: 'Card' });
		data.cards.remove(wid, id);
	};

	test('clears away what was deleted once it is started, again and again', async () => {
		const all = openedStore();
		const reported: string[] = [];
		const upkeep = createUpkeep(all.store, all.clock, all.quotas, (text) => reported.push(text));
		all.store.listeners.leftOver = () => upkeep.start();
		const left = () => all.store.database.sql.prepare('SELECT * FROM leftovers').all().length;
		for (let n = 0; n < 2; n++) {
			remove(all);
			remove(all);
			expect(left()).toBe(2);
			await until('it is cleared away', () => left() === 0);
		}
		await upkeep.close();
		remove(all);
		for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve));
		expect([left(), reported]).toEqual([1, []]);
		all.store.close();
	});

	test('reports what it cannot do, and goes on at the next start', async () => {
		const all = openedStore();
		const reported: string[] = [];
		const upkeep = createUpkeep(all.store, all.clock, all.quotas, (text) => reported.push(text));
		const { sql } = all.store.database;
		remove(all);
		sql.exec('PRAGMA query_only = 1');
		upkeep.start();
		await until('it is reported', () => reported.length > 0);
		expect(reported).toEqual([expect.stringMatching(/^the upkeep has to wait: .*readonly/)]);
		sql.exec('PRAGMA query_only = 0');
		await new Promise((resolve) => setImmediate(resolve));
		upkeep.start();
		await until(
			'it is cleared away',
			() => sql.prepare('SELECT * FROM leftovers').all().length === 0,
		);
		await upkeep.close();
		all.store.close();
	});
});

describe('what is no request', () => {
	/** A socket that notes what is written to it. */
	const socketOf = (writable: boolean) => {
		const done: string[] = [];
		const socket = {
			...{ writable, remoteAddress: '10.0.0.1' },
			destroy: () => done.push('destroyed'),
			end: (text: string) => done.push(text),
			setTimeout: (ms: number, late: () => void) => (done.push(`${ms}`), late()),
		};
		return { done, socket: socket as never };
	};
	const answer = answerBrokenRequest((address) => ({ 'x-address': address }));

	test.each([
		['HPE_HEADER_OVERFLOW', 431, 'headers-too-large'],
		['ERR_HTTP_REQUEST_TIMEOUT', 408, 'request-timeout'],
		['HPE_INVALID_METHOD', 400, 'malformed-request'],
	])('%s is answered with %d, whole, and given a second to read it', (code, status, kind) => {
		const { done, socket } = socketOf(true);
		answer(Object.assign(new Error(), { code }), socket);
		const [text = '', ...rest] = done;
		const [head = '', body = ''] = text.split('\r\n\r\n');
		expect(head.split('\r\n')).toEqual([
			expect.stringMatching(new RegExp(`^HTTP/1.1 ${status} \\w`)),
			'x-address: 10.0.0.1',
			'content-type: application/problem+json; charset=utf-8',
			`content-length: ${Buffer.byteLength(body)}`,
			'connection: close',
		]);
		expect(JSON.parse(body)).toMatchObject({ status, type: expect.stringContaining(kind) });
		expect(rest).toEqual(['1000', 'destroyed']);
	});

	test('is not answered where nobody can read it', () => {
		const { done, socket } = socketOf(false);
		answer(new Error('x'), socket);
		expect(done).toEqual(['destroyed']);
	});

	test('an expectation that nobody meets is quoted', () => {
		const sent: unknown[] = [];
		const response = {
			writeHead: (...given: unknown[]) => (sent.push(...given), response),
			end: (text: string) => sent.push(JSON.parse(text)),
		};
		const request = { headers: { expect: 'coffee' }, socket: { remoteAddress: '10.0.0.1' } };
		const refuse = refuseExpectation((address) => ({ 'x-address': address }));
		refuse(request as never, response as never);
		expect(sent).toEqual([
			417,
			{
				...{ 'x-address': '10.0.0.1', connection: 'close' },
				'content-type': 'application/problem+json; charset=utf-8',
			},
			expect.objectContaining({ detail: 'Nothing here meets "Expect: coffee".' }),
		]);
	});
});
