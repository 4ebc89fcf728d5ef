/** Which requests of an execution are sent, and when: after a failure, while it is paused, at the pace of the user. */
import type { ApiRequest } from '../../../nodes/WorkspaceData/transport/request';
import { answer, serviceBehindN8n } from '../../support/serviceBehindN8n';

const get: ApiRequest = { method: 'GET', path: ['cards'] };
const inTurn: ApiRequest = { ...get, maxParallel: 1 };
const nested = (levels: number): unknown => {
	let value: unknown = 1;
	for (let level = 0; level < levels; level += 1) value = [value];
	return value;
};

describe('while the execution is paused', () => {
	test('requests wait until it goes on', async () => {
		const { session, clock, sent } = await serviceBehindN8n({ toRequest: () => answer(200) });
		const goOn = session.pause();
		const waiting = Promise.all([session.request(get), session.request(get)]);
		await clock.sleep(1_000);
		expect(sent).toHaveLength(0);
		goOn();
		await waiting;
		expect(sent).toHaveLength(2);
	});

	test('those that it waits for are sent, and those of the editor', async () => {
		const { session, sent } = await serviceBehindN8n({ toRequest: () => answer(200) });
		const goOn = session.pause();
		await session.request({ ...get, ahead: true });
		await session.request({ ...get, impatient: true });
		expect(sent).toHaveLength(2);
		goOn();
	});
});

test('whoever sees a failure first can stop all others', async () => {
	const { session, sent } = await serviceBehindN8n({ toRequest: () => answer(400) });
	const all = Array.from({ length: 5 }, async () => await session.request(inTurn));
	void all[0]?.catch(() => session.stop());
	const outcomes = await Promise.allSettled(all);
	expect(sent).toHaveLength(1);
	expect(outcomes.map((one) => one.status === 'rejected' && one.reason.name)).toEqual([
		'ApiFailure',
		...new Array(4).fill('Cancelled'),
	]);
});

test('a failure that nobody minds keeps no other request back', async () => {
	const { session, sent } = await serviceBehindN8n({
		toRequest: (_, place) => answer(place === 0 ? 400 : 200),
	});
	const all = Array.from({ length: 5 }, async () => await session.request(inTurn));
	const outcomes = await Promise.allSettled(all);
	expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
	expect(sent).toHaveLength(5);
});

test('a pace that the user has chosen is kept, and does not count as waiting', async () => {
	const { session, clock } = await serviceBehindN8n({ toRequest: () => answer(200) });
	const start = clock.now();
	const paced = { ...get, requestsPerSecond: 2 };
	await Promise.all([session.request(paced), session.request(paced), session.request(paced)]);
	expect(clock.now() - start).toBeGreaterThanOrEqual(1_000);
	expect(clock.now() - start).toBeLessThan(1_100);
	// The first request goes alone, and the others wait for its answer.
	expect(session.waitedMs).toBeLessThan(50);
});

test('no more at once than the user has set, nor than the service takes', async () => {
	const { session } = await serviceBehindN8n({ toRequest: () => answer(200) });
	expect(session.atOnce({ ...get, maxParallel: 3 })).toBe(3);
	expect(session.atOnce(get)).toBe(16);
	expect(session.atOnce({ method: 'POST' })).toBe(8);
	expect(session.atOnce({ method: 'POST', maxParallel: 64 })).toBe(64);
	expect(session.atOnce({ method: 'POST', maxParallel: 5 })).toBe(5);
});

test('paths may be relative to the workspace, the API, or the origin', async () => {
	const { session, sent } = await serviceBehindN8n({ toRequest: () => answer(200) });
	await session.request(get);
	await session.request({ ...get, root: 'api' });
	await session.request({ ...get, root: 'origin' });
	const { origin } = new URL(session.baseUrl);
	expect(sent.map(({ url }) => url)).toEqual([
		`${origin}/api/v1/workspaces/w1/cards`,
		`${origin}/api/v1/cards`,
		`${origin}/cards`,
	]);
	expect(session.workspaceId).toBe('w1');
	expect(sent[0]).not.toHaveProperty('body');
	expect(sent[0]).not.toHaveProperty('qs');
});

test.each<[string, unknown, string]>([
	['nested too deeply to be worked with', answer(200, {}, nested(5_000)), 'levels deep'],
	['not one of HTTP', 'text', 'could not be read'],
])('an answer that is %s is reported, and not asked for again', async (_, response, words) => {
	const { session, sent } = await serviceBehindN8n({ toRequest: () => response });
	await expect(session.request(get)).rejects.toMatchObject({
		message: expect.stringContaining(words),
		transient: false,
		sent: 'no',
	});
	expect(sent).toHaveLength(1);
});
