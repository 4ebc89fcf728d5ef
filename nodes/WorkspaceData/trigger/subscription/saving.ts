/** Has n8n save what the trigger knows, by executions without items. */
import type { IDataObject, IRun, ITriggerFunctions } from 'n8n-workflow';
import type { RetiredSubscription } from '../../model/subscription/stored';
import type { Effect } from '../../model/subscription/eventsAndEffects';
import { stored } from '../../model/subscription/merge';
import { type Clock, withTimeLimit } from '../../transport/http/clock';
import { reasonOf, warn } from '../log';
import type { TriggerSettings } from '../parameters';
import { inOrder, type NodeState } from './nodeState';
import { openStore } from './storage';
import { deleteWith } from './deletions';
import { jitterOf } from './renew';
import { hadNoStaticData, saveJob } from './saveJob';

/** The parts that work on a published trigger node needs. */
export interface Upkeep {
	context: ITriggerFunctions;
	settings: TriggerSettings;
	clock: Clock;
	node: NodeState;
}

/** How an execution ended that the trigger started; `blind`: n8n gave it no static data. */
type Outcome = 'done' | 'failed' | 'blind';

/** Starts an execution with an item for this node, and waits for its end. */
export async function runExecution(
	context: ITriggerFunctions,
	json: IDataObject,
): Promise<Outcome> {
	const done = context.helpers.createDeferredPromise<IRun>();
	context.emit([[{ json }]], undefined, done);
	try {
		const run = await done.promise;
		const isOurFailure =
			run !== undefined &&
			run.status !== 'success' &&
			run.data.resultData.lastNodeExecuted === context.getNode().name;
		if (isOurFailure) return 'failed';
		return hadNoStaticData(run) ? 'blind' : 'done';
	} catch (error) {
		// So n8n 1 says in queue mode where successful executions are not kept.
		return /could not find execution/i.test(reasonOf(error)) ? 'done' : 'failed';
	}
}

type SaveTask = Extract<Effect, { type: 'save' }>;

/** Whether executions run in workers that n8n gives no static data, as far as this process has seen. */
let areWorkersBlind = false;

/**
 * n8n writes the static data of the trigger itself when that starts an execution. They are as they were
 * when the workflow was published, so other nodes may lose what they saved since; but where workers get
 * no static data, an execution there would delete all that the workflow has.
 */
async function saveHere(
	{ context, settings, clock, node }: Upkeep,
	deletes: readonly RetiredSubscription[],
): Promise<Outcome> {
	const nothing = { deletes: [], isSettled: false };
	const job = await saveJob(context, node, settings.authentication, nothing);
	await openStore(context, settings.authentication).write(stored(node.set));
	const running = runExecution(context, job);
	// At once: later, an execution that ran long may have brought an old copy back.
	await deleteWith(context, node, settings.authentication, deletes, clock);
	const outcome = await running;
	if (outcome === 'failed') return 'failed';
	areWorkersBlind = outcome === 'blind';
	return 'done';
}

/**
 * How long another trigger of the same workflow waits before it saves, too, in ms. Executions may wait behind others,
 * and n8n never reports the end of some.
 */
export const PLACE_MS = 30_000;

/**
 * Saves the subscriptions. Other processes refuse the deliveries of a new one until then. An execution
 * that ends later still counts; until it ends, the rules may have another one save.
 */
async function save(upkeep: Upkeep, { deletes, isSettled }: SaveTask): Promise<void> {
	const { context, settings, clock, node } = upkeep;
	const { epoch } = node;
	/** Not where the node was published or unpublished meanwhile, or another execution has saved it. */
	const isNeeded = () => node.epoch === epoch && node.set.saving !== undefined;
	let deleted = deletes.map(({ id }) => id);
	let generation = 0;
	let savedAt: number | undefined;

	async function byWorker(): Promise<Outcome> {
		const task = { deletes: deleted, isSettled };
		return await runExecution(context, await saveJob(context, node, settings.authentication, task));
	}

	async function run(): Promise<Outcome | undefined> {
		if (!isNeeded()) return undefined;
		generation = node.set.current?.generation ?? 0;
		const first = areWorkersBlind ? 'blind' : await byWorker();
		if (first !== 'blind') return first;
		areWorkersBlind = true;
		if (!isNeeded()) return undefined;
		deleted = [];
		generation = node.set.current?.generation ?? 0;
		savedAt = clock.now();
		return await saveHere(upkeep, deletes);
	}

	const { running } = await inOrder(context, 'save', async () => {
		const running = run();
		await withTimeLimit(PLACE_MS, clock, async () => await running).catch(() => undefined);
		return { running };
	});
	const outcome = await running;
	if (outcome === undefined || node.epoch !== epoch) return;
	if (outcome === 'failed') {
		node.dispatch({ type: 'notSaved', now: clock.now() });
		return;
	}
	node.dispatch({
		type: 'saved',
		generation,
		here: node.savedHere === generation,
		deleted,
		overlapMs: settings.overlapMs,
		jitter: jitterOf(clock),
		now: savedAt ?? clock.now(),
	});
}

/** As `save`, without waiting for it: the execution may wait behind others. */
export function startSaving(upkeep: Upkeep, task: SaveTask): void {
	const { context, clock, node } = upkeep;
	void save(upkeep, task).catch((error: unknown) => {
		node.dispatch({ type: 'notSaved', now: clock.now() });
		warn(context, `The subscription could not be saved yet: ${reasonOf(error)}`);
	});
}
