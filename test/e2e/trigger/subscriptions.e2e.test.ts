/** A published trigger and its subscriptions: tests, bad starts and copies of n8n leave it working. */
import { cp, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { until } from '../../host/deadline.ts';
import { N8nClient, failureOf } from '../../host/n8nClient.ts';
import { createN8nHost } from '../../host/n8nProcess.ts';
import { chain } from '../../host/workflowBuilder.ts';
import { BARE_N8N, useBench } from '../support/bench.ts';
import { createClockOfN8n } from '../support/clockOfN8n.ts';
import { restarts } from '../support/restarts.ts';
import { major, runFolder } from '../support/settings.ts';
import { watchCard, watching } from '../support/watch.ts';

jest.setTimeout(900_000);

describe(`subscriptions of the trigger in n8n ${major}`, () => {
	const clock = createClockOfN8n(`subscriptions-${major}`);
	const bench = useBench(major, { ...BARE_N8N, ...clock.environment });
	const restarted = restarts(bench, clock);
	const { asTimePasses, collector, createRecords, expectExactly } = restarted;
	const { liveAgain, noneLeft, restart, subscriptions } = restarted;

	it.each(['the event arrives', 'listening is cancelled'])(
		'keeps its production subscription when a test ends because %s',
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
			ids.push(...(await createRecords(card, 5)));
			await expectExactly(collect, ids);
			await client.unpublish(saved.id);
			await noneLeft(card);
		},
	);

	it('loses and repeats no record while its events are changed and published', async () => {
		const { api, client } = bench();
		const { card, saved } = await watchCard(bench(), 'Changed', { catchUp: true });
		const ids: string[] = [];
		let isWriting = true;
		// Ten a second.
		const create = async () => {
			while (isWriting) {
				const [id] = await Promise.all([api.createRecord(card, { Title: 'x' }), setTimeout(100)]);
				ids.push(id);
			}
		};
		const written = create();
		const more = async (count: number) => {
			const enough = ids.length + count;
			await until(`${count} records`, async () => (ids.length >= enough ? true : undefined));
		};
		for (const events of [['record.created', 'record.updated'], ['record.created']]) {
			await more(20);
			const before = await client.workflow(saved.id);
			const nodes = before.nodes.map((node) =>
				node.name === 'On change' ? { ...node, parameters: { ...node.parameters, events } } : node,
			);
			const changed = await client.updateWorkflow(before, { nodes });
			await client.publish(changed);
		}
		await more(20);
		isWriting = false;
		await written;
		await expectExactly(collector(saved), ids);
		await client.unpublish(saved.id);
		await noneLeft(card);
	});

	it("a copy of the database with the original's webhook address deletes nothing of it", async () => {
		const { client, host } = bench();
		// Without an overlap a copy would delete at once what it took for its own.
		const { card, saved, subscription } = await watchCard(bench(), 'Restored', { overlap: 0 });
		const copyFolder = await mkdtemp(join(runFolder(), `n8n-${major}-restored-`));
		await host.stop();
		await cp(host.userFolder, copyFolder, { recursive: true });
		await restart();
		const [production] = await asTimePasses('its own successor alone to be left', async () => {
			const all = await subscriptions(card);
			return all.length === 1 && all[0]?.id !== subscription.id ? all : undefined;
		});
		const extra = { ...host.extra, N8N_WEBHOOK_URL: `${host.baseUrl}/` };
		const copy = await createN8nHost({ major, userFolder: copyFolder, extra });
		await copy.start();
		try {
			await asTimePasses(
				'the line in the log of the copy',
				async () => ((await copy.log()).includes('Another n8n responds at') ? true : undefined),
				{ host: copy },
			);
			expect(await subscriptions(card)).toContainEqual(
				expect.objectContaining({ id: production?.id, state: 'active' }),
			);
			const copyClient = new N8nClient(copy.baseUrl, major);
			await copyClient.signIn();
			await copyClient.unpublish(saved.id);
			const left = (await subscriptions(card)).map(({ id }) => id);
			expect(left).toEqual([production?.id]);
			await expectExactly(collector(saved), await createRecords(card, 2));
		} finally {
			await copy.stop();
		}
		await client.unpublish(saved.id);
		await noneLeft(card);
	});

	it('shows in one failed execution that the service refuses the key for good; n8n 1 only in its log', async () => {
		const { client, control, host } = bench();
		const { card, saved, subscription } = await watchCard(bench(), 'Refused');
		await host.kill();
		await control.resetRequests();
		await control.fail({ method: 'POST', path: '/webhooks$', status: 403, times: 100 });
		await restart();
		const message = "The subscription couldn't be renewed yet";
		const failed = async () =>
			(await client.executions(saved.id)).filter(({ status }) => status === 'error');
		await asTimePasses('three refusals', async () => {
			const requests = await control.requests();
			const tries = requests.filter(
				({ method, path }) => method === 'POST' && /\/webhooks$/.test(path),
			);
			return tries.length >= 3 ? true : undefined;
		});
		const shown = await failed();
		expect(shown).toHaveLength(major === 1 ? 0 : 1);
		if (shown[0]) expect(failureOf(await client.execution(shown[0].id))).toContain(message);
		expect(await host.log()).toContain(message);
		await control.clearFailures();
		await liveAgain(card, [subscription.id]);
		await client.unpublish(saved.id);
		await noneLeft(card);
	});

	it('deletes the subscription of a trigger that is removed from its workflow after a restart', async () => {
		const { api, client } = bench();
		const kept = await api.createCard('Kept', [['Title', 'text']]);
		const removed = await api.createCard('Removed', [['Title', 'text']]);
		const nodes = [kept, removed].map(({ id, name }) => watching(bench(), id, { name }));
		const saved = await client.createWorkflow({ ...chain('Two', nodes), connections: {} });
		await client.publish(saved);
		const before = [...(await subscriptions(kept)), ...(await subscriptions(removed))];
		expect(before).toHaveLength(2);
		await restart();
		for (const card of [kept, removed]) {
			await liveAgain(
				card,
				before.map(({ id }) => id),
			);
		}
		const workflow = await client.workflow(saved.id);
		const changed = await client.updateWorkflow(workflow, {
			nodes: workflow.nodes.filter(({ name }) => name !== removed.name),
		});
		if (major === 2) await client.publish(changed);
		await noneLeft(removed);
		expect((await subscriptions(kept)).some(({ state }) => state === 'active')).toBe(true);
		await client.unpublish(saved.id);
		await noneLeft(kept);
	});
});
