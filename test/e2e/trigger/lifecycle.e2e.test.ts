/** The subscriptions of a published trigger: tests, changes, restarts, outages and copies of n8n leave it working. */
import { cp, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';

import { until } from '../../host/deadline.ts';
import { N8nClient, failureOf, outputOf } from '../../host/n8nClient.ts';
import { createN8nHost } from '../../host/n8nProcess.ts';
import { byId, chain } from '../../host/workflowBuilder.ts';
import { BARE_N8N, useBench } from '../support/bench.ts';
import { createClockOfN8n } from '../support/clockOfN8n.ts';
import { restarts } from '../support/restarts.ts';
import { savedSecret } from '../support/savedSecret.ts';
import { major, runFolder } from '../support/settings.ts';
import { draftWatch, watchCard, watching } from '../support/watch.ts';

jest.setTimeout(900_000);

describe(`a published trigger in n8n ${major}`, () => {
	const clock = createClockOfN8n(`lifecycle-${major}`);
	const bench = useBench(major, { ...BARE_N8N, ...clock.environment });
	const restarted = restarts(bench, clock);
	const { collector, createRecords, expectExactly } = restarted;
	const { liveAgain, noneLeft, restart, subscriptions } = restarted;

	const idsOf = async (card: Parameters<typeof subscriptions>[0]) =>
		(await subscriptions(card)).map(({ id }) => id);

	/** The next tries to subscribe end in this way. */
	const failNext = async (fault: object) =>
		await bench().control.fail({ method: 'POST', path: '/webhooks$', ...fault });

	it.each(['the event arrives', 'listening is cancelled'])(
		'keeps its subscription when a test ends because %s',
		async (ending) => {
			const { client } = bench();
			const { card, saved, subscription } = await watchCard(bench(), `Tested: ${ending}`);
			const collect = collector(saved);
			expect(await client.start(saved, 'On change')).toBeUndefined();
			await until('the test subscription', async () =>
				(await subscriptions(card)).length === 2 ? true : undefined,
			);
			const ids: string[] = [];
			if (ending === 'the event arrives') ids.push(...(await createRecords(card, 1)));
			else await client.request('DELETE', `/rest/test-webhook/${saved.id}`);
			const [left] = await until('the test subscription to be deleted', async () => {
				const all = await subscriptions(card);
				return all.length < 2 ? all : undefined;
			});
			expect(left).toMatchObject({ id: subscription.id, state: 'active' });
			ids.push(...(await createRecords(card, 3)));
			await expectExactly(collect, ids);
			await client.unpublish(saved.id);
			await noneLeft(card);
		},
	);

	it('is changed and published again: one other subscription, and every record once', async () => {
		const { client } = bench();
		const { card, saved, subscription } = await watchCard(bench(), 'Changed');
		const collect = collector(saved);
		const ids = await createRecords(card, 3);
		await expectExactly(collect, ids);
		const before = await client.workflow(saved.id);
		const events = ['record.created', 'record.deleted'];
		const nodes = before.nodes.map((node) =>
			node.name === 'On change' ? { ...node, parameters: { ...node.parameters, events } } : node,
		);
		await client.publish(await client.updateWorkflow(before, { nodes }));
		const [now, ...others] = await until('the other subscription', async () => {
			const all = await subscriptions(card);
			return all.some(({ id }) => id === subscription.id) ? undefined : all;
		});
		expect([now?.events, others]).toEqual([events, []]);
		ids.push(...(await createRecords(card, 3)));
		await expectExactly(collect, ids);
		await client.unpublish(saved.id);
		await noneLeft(card);
	});

	it('n8n stops, and is killed: what happened meanwhile runs once, and one subscription is left', async () => {
		const { client, control, host } = bench();
		const { card, saved } = await watchCard(bench(), 'Restarted');
		const collect = collector(saved);
		await control.setBackoff({ ms: 6_000 });
		const ids: string[] = [];
		for (const how of ['stop', 'kill'] as const) {
			// Less than two minutes after a creation, a start makes no other one.
			clock.pass(host, 3);
			const old = await idsOf(card);
			await host[how]();
			ids.push(...(await createRecords(card, 2)));
			await restart();
			await liveAgain(card, old);
			ids.push(...(await createRecords(card, 2)));
			await expectExactly(collect, ids);
		}
		expect(await subscriptions(card)).toHaveLength(3);
		clock.pass(host, 15);
		ids.push(...(await createRecords(card, 1)));
		await expectExactly(collect, ids);
		await until('the replaced ones to be deleted', async () =>
			(await subscriptions(card)).length === 1 ? true : undefined,
		);
		await client.unpublish(saved.id);
		await noneLeft(card);
	});

	it('the service refuses at the start, then is down: the old subscription delivers, later a saved new one', async () => {
		const { client, host } = bench();
		const { card, saved } = await watchCard(bench(), 'Refused');
		const collect = collector(saved);
		const old = await idsOf(card);
		clock.pass(host, 3);
		await host.kill();
		for (const status of [401, 403, 404, 503]) await failNext({ status });
		await restart();
		expect(await idsOf(card)).toEqual(old);
		const ids = await createRecords(card, 1);
		await expectExactly(collect, ids);
		await liveAgain(card, old);
		const failed = (await client.executions(saved.id)).filter(({ status }) => status === 'error');
		expect(failed).toHaveLength(major === 1 ? 0 : 1);
		const message = "The subscription couldn't be renewed yet";
		if (failed[0]) expect(failureOf(await client.execution(failed[0].id))).toContain(message);
		expect((await host.log()).split(message).length).toBeGreaterThan(4);
		await until('n8n to save it', async () => {
			const text = JSON.stringify(await client.workflow(saved.id));
			const fresh = (await idsOf(card)).filter((id) => !old.includes(id));
			return fresh.every((id) => text.includes(id)) ? true : undefined;
		});
		ids.push(...(await createRecords(card, 2)));
		await expectExactly(collect, ids);
		expect(await subscriptions(card)).toHaveLength(2);
		await client.unpublish(saved.id);
		await noneLeft(card);
	});

	it('the service hangs at the start: n8n starts in time, and a new subscription follows', async () => {
		const { client, host } = bench();
		const { card, saved } = await watchCard(bench(), 'Hanging');
		const old = await idsOf(card);
		clock.pass(host, 3);
		await host.kill();
		await failNext({ mode: 'hang' });
		await restart();
		const ids = await createRecords(card, 1);
		await expectExactly(collector(saved), ids);
		await liveAgain(card, old);
		ids.push(...(await createRecords(card, 1)));
		await expectExactly(collector(saved), ids);
		await client.unpublish(saved.id);
		await noneLeft(card);
	});

	it('two triggers of a workflow renew after a silence, right after the first publication and again; every record runs once', async () => {
		const { api, client, host } = bench();
		const cards = [
			await api.createCard('Left', [['Title', 'text']]),
			await api.createCard('Right', [['Title', 'text']]),
		];
		const options = { renewAfterSilence: 1 };
		const seen = { name: 'Seen', type: 'n8n-nodes-base.noOp', parameters: {} };
		const triggers = cards.map(({ id, name }) => watching(bench(), id, { name, options }));
		const workflow = chain('Silent', [...triggers, seen]);
		const to = { main: [[{ node: 'Seen', type: 'main' as const, index: 0 }]] };
		const saved = await client.createWorkflow({
			...workflow,
			connections: { Left: to, Right: to },
		});
		await client.publish(saved);
		const collect = collector(saved);
		const ids: string[] = [];
		for (let times = 0; times < 2; times += 1) {
			const old = await Promise.all(cards.map(idsOf));
			clock.pass(host, 60);
			for (const [place, card] of cards.entries()) await liveAgain(card, old[place] ?? []);
			await until('n8n to save both', async () => {
				const text = JSON.stringify(await client.workflow(saved.id));
				const now = (await Promise.all(cards.map(idsOf))).flat();
				return now.every((id) => text.includes(id)) ? true : undefined;
			});
			for (const card of cards) ids.push(...(await createRecords(card, 2)));
			await expectExactly(collect, ids);
			for (const card of cards) expect((await subscriptions(card)).length).toBeLessThan(4);
		}
		await restart();
		for (const card of cards) ids.push(...(await createRecords(card, 1)));
		await expectExactly(collect, ids);
		await client.unpublish(saved.id);
		for (const card of cards) await noneLeft(card);
	});

	it('Since Last Run in the same workflow goes on over restarts; a renewal takes it back to the last start', async () => {
		const { api, client, host } = bench();
		const card = await api.createCard('Both', [['Title', 'text']]);
		const parameters = { resource: 'record', operation: 'getAll', cardId: byId(card.id) };
		const more = { returnAll: true, since: 'new', options: {} };
		const found = bench().action('Seen', { ...parameters, ...more });
		const trigger = watching(bench(), card.id, { options: { renewAfterSilence: 1 } });
		const saved = await client.createWorkflow(chain('Both', [trigger, found]));
		await client.publish(saved);
		const returned = async (count: number) =>
			await until(`${count} executions`, async () => {
				const all = (await client.executions(saved.id)).filter(
					({ status }) => status === 'success',
				);
				if (all.length < count) return undefined;
				const last = Math.max(...all.map(({ id }) => Number(id)));
				const items = outputOf(await client.execution(String(last)), 'Seen');
				return items.map(({ json }) => json.id);
			});
		const atFirst = await savedSecret(client, saved.id);
		const [first] = await createRecords(card, 1);
		expect(await returned(1)).toEqual([first]);
		const [second] = await createRecords(card, 1);
		expect(await returned(2)).toEqual([second]);
		clock.pass(host, 3);
		await restart('stop');
		const secret = await savedSecret(client, saved.id, atFirst);
		const [third] = await createRecords(card, 1);
		expect(await returned(3)).toEqual([third]);
		const old = await idsOf(card);
		clock.pass(host, 65);
		await liveAgain(card, old);
		await savedSecret(client, saved.id, secret);
		const [fourth] = await createRecords(card, 1);
		expect(await returned(4)).toEqual([third, fourth]);
		await client.unpublish(saved.id);
		await noneLeft(card);
	});

	it("a copy of the database with the original's webhook address deletes nothing of it", async () => {
		const { client, host } = bench();
		const { card, saved, subscription } = await watchCard(bench(), 'Restored');
		const copyFolder = await mkdtemp(join(runFolder(), `n8n-${major}-restored-`));
		clock.pass(host, 3);
		await host.stop();
		await cp(host.userFolder, copyFolder, { recursive: true });
		await restart();
		await liveAgain(card, [subscription.id]);
		const production = (await idsOf(card)).find((id) => id !== subscription.id) ?? '';
		const address = `${host.baseUrl}/`;
		const extra = { ...host.extra, N8N_WEBHOOK_URL: address, WEBHOOK_URL: address };
		const copy = await createN8nHost({ major, userFolder: copyFolder, extra });
		try {
			for (let starts = 0; starts < 2; starts += 1) {
				const known = await idsOf(card);
				clock.pass(host, 30);
				await copy.start();
				await liveAgain(card, known);
				if (starts === 0) await copy.kill();
			}
			await expectExactly(collector(saved), await createRecords(card, 2));
			expect(await idsOf(card)).toContain(production);
			const copyClient = new N8nClient(copy.baseUrl, major);
			await copyClient.signIn();
			await client.unpublish(saved.id);
			await until("the original's to be deleted", async () =>
				(await idsOf(card)).includes(production) ? undefined : true,
			);
			await copyClient.unpublish(saved.id);
			await noneLeft(card);
		} finally {
			await copy.stop();
		}
	});

	it("of two triggers, one of which can't subscribe, leaves nothing behind", async () => {
		const { api, client } = bench();
		const card = await api.createCard('With a bad neighbor', [['Title', 'text']]);
		const good = watching(bench(), card.id, { name: 'Good' });
		const bad = watching(bench(), 'crd_unknown', { name: 'Bad' });
		const workflow = chain('With a bad neighbor', [good, bad]);
		const saved = await client.createWorkflow({ ...workflow, connections: {} });
		await expect(client.publish(saved)).rejects.toThrow(/crd_unknown/);
		// n8n continues with the good one.
		await client.unpublish(saved.id);
		expect(await subscriptions(card)).toEqual([]);
	});

	it('comes up again when n8n is killed before it could save the subscription', async () => {
		const { client, control, host } = bench();
		const { card, saved } = await draftWatch(bench(), 'Killed while publishing');
		// The subscription is made, its response comes byte by byte.
		await failNext({ mode: 'slowBody', byteMs: 200 });
		// Ends with n8n, in whatever way.
		const publishing = client.publish(saved).catch((error: unknown) => error);
		await until('the subscription', async () =>
			(await subscriptions(card)).length === 1 ? true : undefined,
		);
		const orphans = await idsOf(card);
		await host.kill();
		await publishing;
		// A crash while n8n 2 publishes leaves a lock, two minutes unless told otherwise.
		const lock = {
			N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '20',
			N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '2000',
		};
		Object.assign(host.extra, lock);
		await restart();
		for (const name of Object.keys(lock)) delete host.extra[name];
		await liveAgain(card, orphans);
		const ids = await createRecords(card, 3);
		// Nobody knows the orphan's secret: it is refused, and the service pauses it.
		await until('the orphan to be paused', async () => {
			const orphan = (await control.subscriptions()).find(({ id }) => orphans.includes(id));
			return orphan?.state === 'paused' ? true : undefined;
		});
		await expectExactly(collector(saved), ids);
		await client.unpublish(saved.id);
		const left = (await idsOf(card)).filter((id) => !orphans.includes(id));
		expect(left).toEqual([]);
	});
});
