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

const isMarked = ({ caught_up }: JsonObject): boolean => caught_up === true;

/** Leaves out what is marked as caught up and came before, or without the mark. */
const withoutRepeated = (items: readonly JsonObject[]): JsonObject[] =>
	items.filter((item, place) => {
		const same = items.filter(({ record_id }) => record_id === item.record_id);
		return !isMarked(item) || (same.every(isMarked) && items.indexOf(same[0] ?? item) === place);
	});

/**
 * @param bench gives the bench once it is open
 * @param clock the clock of its n8n
 */
export function restarts(bench: () => Workbench, clock: ClockOfN8n) {
	/**
	 * Waits as `until` does, while time passes quickly for n8n, so that the trigger looks after its subscriptions.
	 *
	 * @param mostMinutes that pass quickly; others as usual
	 */
	async function asTimePasses<Answer>(
		what: string,
		ask: () => Promise<Answer | undefined>,
		{ host = bench().host, mostMinutes = Infinity } = {},
	): Promise<Answer> {
		let left = mostMinutes;
		const askThenPass = async () => {
			const answer = await ask();
			if (answer === undefined && (left -= 1) >= 0) clock.pass(host, 1);
			return answer;
		};
		return await until(what, askThenPass, PATIENCE_MS, 2_000);
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
				expect({ executionId, ending, error }).toEqual({ executionId, ending: 'success' });
				read.set(
					executionId,
					outputOf(execution, 'Seen').map(({ json }) => json),
				);
			}
			return [...read.values()].flat();
		};
	}

	/** Waits until all of these came out. @param mostMinutes that pass quickly for n8n meanwhile */
	async function expectAll(
		collect: () => Promise<JsonObject[]>,
		wanted: readonly string[],
		mostMinutes = 3,
	): Promise<void> {
		const haveCome = async () => {
			const ids = new Set((await collect()).map(({ record_id }) => record_id));
			return wanted.every((id) => ids.has(id)) ? true : undefined;
		};
		// Missed records are searched in the next minute; an overlap must not end meanwhile.
		await asTimePasses(`${wanted.length} records`, haveCome, { mostMinutes });
	}

	/**
	 * As `expectAll`, and waits until nothing is under way that should not come.
	 *
	 * @param options `mayRepeat`: n8n was killed, so what a search returned may come again, marked with `caught_up`
	 */
	async function expectExactly(
		collect: () => Promise<JsonObject[]>,
		wanted: readonly string[],
		{ mostMinutes = 3, mayRepeat = false } = {},
	): Promise<JsonObject[]> {
		await expectAll(collect, wanted, mostMinutes);
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
		const counted = mayRepeat ? withoutRepeated(all) : all;
		expect(counted.map(({ record_id }) => String(record_id)).sort()).toEqual([...wanted].sort());
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

	/** A subscription that was renewed while the workflow was unpublished is deleted a moment later. */
	const noneLeft = async (card: TestCard) =>
		await until('no subscription to be left', async () =>
			(await subscriptions(card)).length === 0 ? true : undefined,
		);

	return {
		asTimePasses,
		createRecords,
		subscriptions,
		collector,
		expectAll,
		expectExactly,
		restart,
		liveAgain,
		noneLeft,
	};
}
