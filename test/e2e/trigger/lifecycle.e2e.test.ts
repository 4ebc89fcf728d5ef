/** The subscriptions of a published trigger: tests, changes, restarts and outages leave it working. */
import { until } from '../../host/deadline.ts';
import { failureOf, outputOf, type JsonObject, type SavedWorkflow } from '../../host/n8nClient.ts';
import type { TestCard } from '../../host/serviceApi.ts';
import { chain } from '../../host/workflowBuilder.ts';
import { BARE_N8N, useBench } from '../support/bench.ts';
import { createClockOfN8n } from '../support/clockOfN8n.ts';
import { major } from '../support/settings.ts';
import { subscriptionsOf, watchCard, watching } from '../support/watch.ts';

jest.setTimeout(900_000);

/** The time that n8n may need, in ms: on a slow machine for its start, on 2.x two minutes more where it was killed while it published. */
const PATIENCE_MS = 240_000;

const UNFINISHED = ['new', 'running', 'waiting', 'crashed'];

describe(`a published trigger in n8n ${major}`, () => {
	const clock = createClockOfN8n(`lifecycle-${major}`);
	const bench = useBench(major, { ...BARE_N8N, ...clock.environment });

	async function createRecords(card: TestCard, count: number): Promise<string[]> {
		const ids: string[] = [];
		for (let n = 0; n < count; n += 1) {
			ids.push(await bench().api.createRecord(card, { Title: `Record ${n}` }));
		}
		return ids;
	}

	const subscriptions = async (card: TestCard) => await subscriptionsOf(bench(), card);

	/**
	 * The records that came out of the trigger, in all executions but tests; finished ones are read once. One that
	 * n8n was killed in is `crashed`: its records are missing then, unless it had none that counts, such
	 * as the second delivery of a record while two subscriptions overlap.
	 */
	function collector({ id }: SavedWorkflow) {
		const read = new Map<string, JsonObject[]>();
		return async (): Promise<JsonObject[]> => {
			const { client } = bench();
			for (const { id: executionId, status, mode } of await client.executions(id)) {
				if (mode === 'manual' || read.has(executionId) || UNFINISHED.includes(status)) continue;
				const execution = await client.execution(executionId);
				const { status: ending, data } = execution;
				const { error } = data.resultData;
				// The trigger shows so that the service refuses it.
				if (error?.message.includes("couldn't be renewed yet")) continue;
				expect({ executionId, ending, error }).toEqual({ executionId, ending: 'success' });
				read.set(
					executionId,
					outputOf(execution, 'Seen').map(({ json }) => json),
				);
			}
			return [...read.values()].flat();
		};
	}

	/** Waits until exactly these came out, and until nothing is under way that should not come. */
	async function expectExactly(
		collect: () => Promise<JsonObject[]>,
		wanted: readonly string[],
	): Promise<void> {
		await until(
			`${wanted.length} records`,
			async () => {
				const ids = new Set((await collect()).map(({ record_id }) => record_id));
				return wanted.every((id) => ids.has(id)) ? true : undefined;
			},
			PATIENCE_MS,
			500,
		);
		const { control } = bench();
		// The four attempts at a subscription that n8n does not know take 42 s where the backoff is 6 s.
		await until(
			'nothing to be under way',
			async () => {
				const waiting = (await control.subscriptions()).filter(
					({ state, pending }) => state === 'active' && pending > 0,
				);
				return waiting.length === 0 ? true : undefined;
			},
			PATIENCE_MS,
		);
		const all = await collect();
		expect(all.map(({ record_id }) => String(record_id)).sort()).toEqual([...wanted].sort());
	}

	async function restart(): Promise<void> {
		const { host, client } = bench();
		if (host.processId !== undefined) await host.kill();
		await host.start();
		await client.signIn();
	}

	/** Waits for a fresh subscription, while five minutes pass for n8n with each question, so that the trigger looks. */
	const liveAgain = async (card: TestCard, but: readonly string[]) =>
		await until(
			'a fresh subscription',
			async () => {
				const fresh = (await subscriptions(card)).filter(({ id }) => !but.includes(id));
				if (fresh.some(({ state }) => state === 'active')) return true;
				clock.pass(bench().host, 5);
				return undefined;
			},
			PATIENCE_MS,
			1_500,
		);

	/** n8n 2 unpublishes in the background. */
	const noneLeft = async (card: TestCard) =>
		await until('no subscription to be left', async () =>
			(await subscriptions(card)).length === 0 ? true : undefined,
		);

	const idsOf = async (card: TestCard) => (await subscriptions(card)).map(({ id }) => id);

	/** The next tries to subscribe end in this way. */
	const failNext = async (fault: object) =>
		await bench().control.fail({ method: 'POST', path: '/webhooks$', ...fault });

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

	// n8n 1's engine runs the tests of the nodes as well: one journey is enough there.
	if (major === 1) return;

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
});
