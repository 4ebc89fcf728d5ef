/** The trigger over restarts, crashes and pauses: alive again by itself, nothing lost, nothing twice. */
import { until } from '../../host/deadline.ts';
import { chain } from '../../host/workflowBuilder.ts';
import { BARE_N8N, useBench } from '../support/bench.ts';
import { createClockOfN8n } from '../support/clockOfN8n.ts';
import { restarts } from '../support/restarts.ts';
import { major } from '../support/settings.ts';
import { draftWatch, watchCard, watching } from '../support/watch.ts';

jest.setTimeout(1_800_000);

/** Each takes a quarter of a minute; every other one is a kill. */
const RESTARTS = 4;

describe(`trigger over restarts of n8n ${major}`, () => {
	const clock = createClockOfN8n(`restarts-${major}`);
	const bench = useBench(major, { ...BARE_N8N, ...clock.environment });

	const restarted = restarts(bench, clock);
	const { asTimePasses, collector, createRecords, expectAll, expectExactly } = restarted;
	const { liveAgain, restart, subscriptions } = restarted;

	it.each([true, false])(
		'works again after the service paused it while n8n was down, catching up: %s',
		async (catchUp) => {
			const { control, host } = bench();
			const { card, saved } = await watchCard(bench(), `Downtime ${catchUp}`, { catchUp });
			const collect = collector(saved);
			const before = await createRecords(card, 5);
			await expectExactly(collect, before);
			const old = (await subscriptions(card)).map(({ id }) => id);

			await host.kill();
			// Nothing is queued for it once it is paused: that must wait for all of these.
			await control.setBackoff({ ms: 600_000 });
			const down = await createRecords(card, 10);
			await control.setBackoff({ ms: 100 });
			await until('the service to pause the subscription', async () =>
				(await subscriptions(card))[0]?.state === 'paused' ? true : undefined,
			);
			const paused = await createRecords(card, 10);
			await restart();
			await liveAgain(card, old);
			const after = await createRecords(card, 10);

			const missed = catchUp ? [...down, ...paused] : [];
			const all = await expectExactly(collect, [...before, ...missed, ...after]);
			const caughtUp = all.filter(({ caught_up }) => caught_up === true);
			expect(caughtUp.map(({ record_id }) => record_id).slice(0, missed.length)).toEqual(missed);
			if (catchUp) {
				expect(caughtUp[0]).toMatchObject({
					event: 'record.created',
					card_id: card.id,
					Title: 'Record 0',
					delivery_key: expect.any(String),
				});
			}
			// Deliveries that the service had queued for the paused subscription come late, when somebody resumes it.
			for (const { id, state } of await subscriptions(card)) {
				if (state === 'paused') await control.resumeSubscription({ id });
			}
			const late = catchUp ? [] : down;
			await expectExactly(collect, [...before, ...missed, ...late, ...after]);
			await bench().client.unpublish(saved.id);
			expect(await subscriptions(card)).toEqual([]);
		},
	);

	it(`has one live subscription after ${RESTARTS} restarts, and has lost nothing, and repeats only what is marked`, async () => {
		const { control, host } = bench();
		const { card, saved } = await watchCard(bench(), 'Many restarts', {
			overlap: 0.2,
			catchUp: true,
		});
		const collect = collector(saved);
		// n8n may answer a retry during its start with 200 and forget it: catching up finds the record.
		await control.setBackoff({ ms: 6_000 });
		const ids: string[] = [];
		for (let n = 0; n < RESTARTS; n += 1) {
			await host[n % 2 === 0 ? 'stop' : 'kill']();
			ids.push(...(await createRecords(card, 1)));
			await restart();
			ids.push(...(await createRecords(card, 1)));
			await expectAll(collect, ids);
		}
		await control.setBackoff({ ms: 100 });
		// Killed before it could save, n8n does not know a subscription; the service pauses that one when
		// its deliveries are refused.
		await asTimePasses('one live subscription to be left', async () => {
			ids.push(...(await createRecords(card, 1)));
			const live = (await subscriptions(card)).filter(({ state }) => state === 'active');
			return live.length === 1 ? true : undefined;
		});
		// A record that a search returned comes again if n8n was killed before it saved the end of the search.
		await expectExactly(collect, ids, { mayRepeat: true });
		await bench().client.unpublish(saved.id);
		const live = (await subscriptions(card)).filter(({ state }) => state === 'active');
		expect(live).toEqual([]);
	});

	it("of two triggers, one of which can't subscribe, leaves nothing behind", async () => {
		const { api, client } = bench();
		const card = await api.createCard('With a bad neighbour', [['Title', 'text']]);
		const good = watching(bench(), card.id, { name: 'Good' });
		const bad = watching(bench(), 'crd_unknown', { name: 'Bad' });
		const workflow = chain('With a bad neighbour', [good, bad]);
		const saved = await client.createWorkflow({ ...workflow, connections: {} });
		await expect(client.publish(saved)).rejects.toThrow(/crd_unknown/);
		// n8n continues with the good one.
		await client.unpublish(saved.id);
		expect(await subscriptions(card)).toEqual([]);
	});

	it('comes up again when n8n is killed before it could save the subscription', async () => {
		const { client, control, host } = bench();
		const { card, saved } = await draftWatch(bench(), 'Killed while publishing');
		// The subscription is made, its answer comes byte by byte.
		await control.fail({ method: 'POST', path: '/webhooks$', mode: 'slowBody', byteMs: 200 });
		// Ends with n8n, in whatever way.
		const publishing = client.publish(saved).catch((error: unknown) => error);
		await until('the subscription', async () =>
			(await subscriptions(card)).length === 1 ? true : undefined,
		);
		const orphans = (await subscriptions(card)).map(({ id }) => id);
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
			const orphan = (await subscriptions(card)).find(({ id }) => orphans.includes(id));
			return orphan?.state === 'paused' ? true : undefined;
		});
		await expectExactly(collector(saved), ids);
		await client.unpublish(saved.id);
		const left = (await subscriptions(card)).filter(({ id }) => !orphans.includes(id));
		expect(left).toEqual([]);
	});
});
