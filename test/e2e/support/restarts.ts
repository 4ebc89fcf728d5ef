/** n8n that restarts under a published trigger: the actions, and the expected results. */
import { until } from '../../host/deadline.ts';
import { type JsonObject, outputOf, type SavedWorkflow } from '../../host/n8nClient.ts';
import type { Workbench } from '../../host/workbench.ts';
import type { ClockOfN8n } from './clockOfN8n.ts';
import type { TestCard } from '../../host/serviceApi.ts';
import { subscriptionsOf } from './watch.ts';

/** The time that n8n may need, in ms: on a slow machine for its start, on 2.x two minutes more where it was killed while it published. */
const PATIENCE_MS = 240_000;

const UNFINISHED = ['new', 'running', 'waiting', 'crashed'];

/**
 * @param bench gives the bench once it is open
 * @param clock the clock of its n8n
 */
export function restarts(bench: () => Workbench, clock: ClockOfN8n) {
	/** Waits as `until` does, while five minutes pass for n8n with each question, so that the trigger looks. */
	async function asTimePasses<Answer>(
		what: string,
		ask: () => Promise<Answer | undefined>,
		host = bench().host,
	): Promise<Answer> {
		const askThenPass = async () => {
			const answer = await ask();
			if (answer === undefined) clock.pass(host, 5);
			return answer;
		};
		return await until(what, askThenPass, PATIENCE_MS, 1_500);
	}

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
	): Promise<JsonObject[]> {
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
		return all;
	}

	async function restart(stop: 'stop' | 'kill' = 'kill'): Promise<void> {
		const { host, client } = bench();
		if (host.processId !== undefined) await host[stop]();
		await host.start();
		await client.signIn();
	}

	const liveAgain = async (card: TestCard, but: readonly string[]) =>
		await asTimePasses('a fresh subscription', async () => {
			const fresh = (await subscriptions(card)).filter(({ id }) => !but.includes(id));
			return fresh.some(({ state }) => state === 'active') ? true : undefined;
		});

	/** n8n 2 unpublishes in the background. */
	const noneLeft = async (card: TestCard) =>
		await until('no subscription to be left', async () =>
			(await subscriptions(card)).length === 0 ? true : undefined,
		);

	return {
		asTimePasses,
		createRecords,
		subscriptions,
		collector,
		expectExactly,
		restart,
		liveAgain,
		noneLeft,
	};
}
