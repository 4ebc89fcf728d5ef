/** What a service that keeps silent means for other requests: of the same execution, of others, and of the editor. */
import type { ApiRequest } from '../../../../nodes/WorkspaceData/transport/request';
import { answer, serviceBehindN8n } from '../../../support/serviceBehindN8n';

const silence = new Promise<never>(() => {});
const create: ApiRequest = { method: 'POST', path: ['cards'], body: {} };
const impatient: ApiRequest = { method: 'GET', path: ['cards'], impatient: true };

/** A service that is silent at first, for so many requests. */
const silentFor = async (count: number) =>
	await serviceBehindN8n({ toRequest: (_, place) => (place < count ? silence : answer(200)) });

test('a time-out in a run: the editor is not made to wait for the next one', async () => {
	const { api, sent, clock } = await silentFor(1);
	await expect(api.request(create)).rejects.toThrow();
	await expect(api.request(impatient)).rejects.toThrow('was not sent');
	expect(sent).toHaveLength(1);
	clock.pass(5_000);
	expect(await api.request(impatient)).toMatchObject({ status: 200 });
});

test('an answer in a run: the editor’s requests are sent again, too', async () => {
	const { api, sent } = await silentFor(1);
	await expect(api.request({ ...impatient, timeoutMs: 8_000 })).rejects.toThrow();
	await expect(api.request(impatient)).rejects.toThrow('was not sent');
	await api.request(create);
	await api.request(impatient);
	expect(sent).toHaveLength(3);
});

test('the editor finds out within 1.5 seconds whether a service answers again, or sooner if it has less time', async () => {
	for (const [timeoutMs, probeMs] of [
		[8_000, 1_500],
		[1_000, 1_000],
	] as const) {
		const { api, sent, clock } = await silentFor(2);
		await expect(api.request({ ...impatient, timeoutMs: 8_000 })).rejects.toThrow();
		clock.pass(5_000);
		await expect(api.request({ ...impatient, timeoutMs })).rejects.toThrow();
		expect(sent.map(({ timeout }) => timeout)).toEqual([8_000, probeMs]);
	}
});

test('a run finds out with its whole time-out: a slow answer is one', async () => {
	const { api, sent, clock } = await silentFor(3);
	for (let n = 0; n < 3; n += 1) await expect(api.request(create)).rejects.toThrow();
	await expect(api.request(create)).rejects.toThrow('was not sent');
	clock.pass(5_000);
	await api.request(create);
	expect(sent.map(({ timeout }) => timeout)).toEqual([30_000, 30_000, 30_000, 30_000]);
});

test('an auth server without an answer says nothing about the service', async () => {
	const { api } = await serviceBehindN8n({
		authentication: 'serviceAccount',
		toRequest: () => answer(200),
		toTokenRequest: () => Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' }),
	});
	for (let n = 0; n < 5; n += 1) {
		await expect(api.request(create)).rejects.toMatchObject({ name: 'AccessTokenError' });
	}
});
