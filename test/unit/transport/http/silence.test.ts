/** What a service that keeps silent means for other requests: of the same execution, of others, and of the editor. */
import type { ApiRequest } from '../../../../nodes/WorkspaceData/transport/request';
import { answer, serviceBehindN8n } from '../../../support/serviceBehindN8n';

const silence = new Promise<never>(() => {});
const create: ApiRequest = { method: 'POST', path: ['cards'], body: {} };
const impatient: ApiRequest = { method: 'GET', path: ['cards'], impatient: true };

/** A service that is silent at first, for so many requests. */
const silentFor = async (count: number) =>
	await serviceBehindN8n({ toRequest: (_, place) => (place < count ? silence : answer(200)) });

test('after a time-out in a run, the editor is not made to wait for the next one for 20 seconds', async () => {
	const { session, sent, clock } = await silentFor(1);
	await expect(session.request(create)).rejects.toThrow();
	await expect(session.request(impatient)).rejects.toThrow('was not sent');
	clock.pass(19_000);
	await expect(session.request(impatient)).rejects.toThrow('was not sent');
	expect(sent).toHaveLength(1);
	clock.pass(1_000);
	expect(await session.request(impatient)).toMatchObject({ status: 200 });
});

test('after an answer in a run, the editor’s requests are sent again, too', async () => {
	const { session, sent } = await silentFor(1);
	await expect(session.request({ ...impatient, timeoutMs: 8_000 })).rejects.toThrow();
	await expect(session.request(impatient)).rejects.toThrow('was not sent');
	await session.request(create);
	await session.request(impatient);
	expect(sent).toHaveLength(3);
});

test('a time-out of less than five seconds says nothing', async () => {
	const { session, sent } = await silentFor(4);
	const quick = { ...impatient, timeoutMs: 4_000 };
	for (let n = 0; n < 4; n += 1) await expect(session.request(quick)).rejects.toThrow();
	await session.request(impatient);
	expect(sent).toHaveLength(5);
});

test('an answer between time-outs: the run continues', async () => {
	const { session, sent } = await serviceBehindN8n({
		toRequest: (_, place) => (place % 3 === 2 ? answer(200) : silence),
	});
	for (let n = 0; n < 9; n += 1) await session.request(create).catch(() => undefined);
	expect(sent).toHaveLength(9);
});

test('three time-outs in a row: the run sends nothing more', async () => {
	const { session, sent, clock } = await silentFor(3);
	for (let n = 0; n < 3; n += 1) await expect(session.request(create)).rejects.toThrow();
	clock.pass(600_000);
	await expect(session.request(create)).rejects.toThrow('was not sent');
	expect(sent.map(({ timeout }) => timeout)).toEqual([30_000, 30_000, 30_000]);
});

test('an auth server without an answer says nothing about the service', async () => {
	const { session } = await serviceBehindN8n({
		authentication: 'serviceAccount',
		toRequest: () => answer(200),
		toTokenRequest: () => Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' }),
	});
	for (let n = 0; n < 5; n += 1) {
		await expect(session.request(create)).rejects.toMatchObject({ name: 'AccessTokenError' });
	}
});
