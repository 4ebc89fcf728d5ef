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
		const { api, clock, sent } = await serviceBehindN8n({ toRequest: () => answer(200) });
		const goOn = api.pause();
		const waiting = Promise.all([api.request(get), api.request(get)]);
		await clock.sleep(1_000);
		expect(sent).toHaveLength(0);
		goOn();
		await waiting;
		expect(sent).toHaveLength(2);
	});

	test('those that it waits for are sent, and those of the editor', async () => {
		const { api, sent } = await serviceBehindN8n({ toRequest: () => answer(200) });
		const goOn = api.pause();
		await api.request({ ...get, ahead: true });
		await api.request({ ...get, impatient: true });
		expect(sent).toHaveLength(2);
		goOn();
	});
});

test('whoever sees a failure first can stop all others', async () => {
	const { api, sent } = await serviceBehindN8n({ toRequest: () => answer(400) });
	const all = Array.from({ length: 5 }, async () => await api.request(inTurn));
	void all[0]?.catch(() => api.stop());
	const outcomes = await Promise.allSettled(all);
	expect(sent).toHaveLength(1);
	expect(outcomes.map((one) => one.status === 'rejected' && one.reason.name)).toEqual([
		'ApiFailure',
		...new Array(4).fill('Cancelled'),
	]);
});

test('a failure that nobody minds keeps no other request back', async () => {
	const { api, sent } = await serviceBehindN8n({
		toRequest: (_, place) => answer(place === 0 ? 400 : 200),
	});
	const all = Array.from({ length: 5 }, async () => await api.request(inTurn));
	const outcomes = await Promise.allSettled(all);
	expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
	expect(sent).toHaveLength(5);
});

test('a pace that the user has chosen is kept, and does not count as waiting', async () => {
	const { api, clock } = await serviceBehindN8n({ toRequest: () => answer(200) });
	const start = clock.now();
	const paced = { ...get, requestsPerSecond: 2 };
	await Promise.all([api.request(paced), api.request(paced), api.request(paced)]);
	expect(clock.now() - start).toBeGreaterThanOrEqual(1_000);
	expect(clock.now() - start).toBeLessThan(1_100);
	// The first request goes alone, and the others wait for its answer.
	expect(api.waitedMs).toBeLessThan(50);
});

test('no more at once than the user has set, nor than the service takes', async () => {
	const { api } = await serviceBehindN8n({ toRequest: () => answer(200) });
	expect(api.atOnce({ ...get, maxParallel: 3 })).toBe(3);
	expect(api.atOnce(get)).toBe(16);
	expect(api.atOnce({ method: 'POST' })).toBe(8);
	expect(api.atOnce({ method: 'POST', maxParallel: 64 })).toBe(64);
	expect(api.atOnce({ method: 'POST', maxParallel: 5 })).toBe(5);
});

test('paths may be relative to the workspace, the API, or the origin', async () => {
	const { api, sent } = await serviceBehindN8n({ toRequest: () => answer(200) });
	await api.request(get);
	await api.request({ ...get, root: 'api' });
	await api.request({ ...get, root: 'origin' });
	const { origin } = new URL(api.baseUrl);
	expect(sent.map(({ url }) => url)).toEqual([
		`${origin}/api/v1/workspaces/w1/cards`,
		`${origin}/api/v1/cards`,
		`${origin}/cards`,
	]);
	expect(api.workspaceId).toBe('w1');
	expect(sent[0]).not.toHaveProperty('body');
	expect(sent[0]).not.toHaveProperty('qs');
});

test.each<[string, unknown, string]>([
	['nested too deeply to be worked with', answer(200, {}, nested(5_000)), 'levels deep'],
	['not one of HTTP', 'text', 'could not be read'],
])('an answer that is %s is reported, and not asked for again', async (_, response, words) => {
	const { api, sent } = await serviceBehindN8n({ toRequest: () => response });
	await expect(api.request(get)).rejects.toMatchObject({
		message: expect.stringContaining(words),
		transient: false,
		mayHaveArrived: true,
	});
	expect(sent).toHaveLength(1);
});
