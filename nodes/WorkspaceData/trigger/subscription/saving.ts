/** Makes n8n save the trigger's state, with executions without output items. */
import type { IDataObject, IExecuteFunctions, IRun, ITriggerFunctions } from 'n8n-workflow';
import { z } from 'zod/v3';
import { createKeyedQueue } from '../../model/keyedQueue';
import * as rules from '../../model/subscription/subscriptionRules';
import { readSaved } from '../../model/subscription/saved';
import { readOwnSecret } from '../../transport/auth/credential';
import { withTimeLimit } from '../../transport/http/clock';
import { reasonOf, warn } from '../log';
import { dispatch, nodeOf, type Site } from './node';
import { readStored, textOf, writeText } from './storage';

const EVENT = 'subscription_renewed';
const jobSchema = z.object({ event: z.literal(EVENT), sealed: z.string() });

/**
 * Custom data with which an execution reports to the process that started it that n8n provided no static
 * data.
 */
const NO_STATIC_DATA = 'noStaticData';

/** Reads the sealed subscriptions from an item of such a job; undefined for another item. */
export const readSaveJob = (json: unknown): string | undefined =>
	jobSchema.safeParse(json).data?.sealed;

/** Saves the subscriptions, with the seals that they have, unless newer ones are saved. */
export function carryOutSaveJob(context: IExecuteFunctions, sealed: string): void {
	const { version } = readStored(context);
	const isElsewhere = nodeOf(context, 'production').state.address === undefined;
	// This happens in workers of n8n 2.41. Workers of n8n 1 get static data and have no custom data.
	if (isElsewhere && version === 0 && 'customData' in context) {
		// A write would delete everything that the workflow has saved.
		context.customData.set(NO_STATIC_DATA, 'true');
		return;
	}
	if (version < readSaved(sealed).version) writeText(context, sealed);
}

/** The result of an execution that the trigger started. `blind`: n8n provided no static data. */
type Ending = 'done' | 'failed' | 'blind';

/**
 * Starts an execution with an item for this node, and waits for its end. It is done if this node has run to
 * its end. If a worker dies, n8n doesn't know which node ran last.
 */
export async function runExecution(context: ITriggerFunctions, json: IDataObject): Promise<Ending> {
	const done = context.helpers.createDeferredPromise<IRun>();
	context.emit([[{ json }]], undefined, done);
	try {
		const run = await done.promise;
		const { lastNodeExecuted, metadata } = run?.data?.resultData ?? {};
		const isLater = ![undefined, context.getNode().name].includes(lastNodeExecuted);
		if (run?.status !== 'success' && !isLater) return 'failed';
		return metadata?.[NO_STATIC_DATA] === 'true' ? 'blind' : 'done';
	} catch (error) {
		// n8n 1 reports this in queue mode if successful executions aren't saved.
		return /could not find execution/i.test(reasonOf(error)) ? 'done' : 'failed';
	}
}

/** True if executions were seen to run in workers without static data. */
let areWorkersBlind = false;

/**
 * How long another trigger of the same workflow waits before it saves as well, in ms. Executions may wait
 * in a queue, and n8n never reports the end of some.
 */
export const PLACE_MS = 30_000;

/** Triggers of one workflow save one after the other, because each writes all static data as it found them. */
const queue = createKeyedQueue();

/**
 * Saves the subscriptions without waiting for the end. An execution has the workflow's current static data,
 * while a trigger has the data from when n8n started. It may run in another process. Items are visible, so
 * the subscriptions are sealed with a secret that only the credential contains.
 */
export function startSaving(site: Site<ITriggerFunctions>): void {
	const { context, clock, node } = site;
	const { epoch } = node;
	dispatch(site, rules.onSaving, {});
	void queue(String(context.getWorkflow().id), async () => {
		if (node.epoch !== epoch || !node.state.saving) return;
		const saving = save(site).catch((error: unknown) =>
			warn(context, `The subscription couldn't be saved yet: ${reasonOf(error)}`),
		);
		await withTimeLimit(PLACE_MS, clock, async () => await saving).catch(() => undefined);
	});
}

async function save(site: Site<ITriggerFunctions>): Promise<void> {
	const { context, settings, node } = site;
	const { epoch } = node;
	const { saved } = node.state;
	const sealed = textOf(saved, await readOwnSecret(context, settings.authentication));
	const run = async () => await runExecution(context, { event: EVENT, sealed });
	const ending = areWorkersBlind ? 'blind' : await run();
	if (ending === 'failed') return;
	// n8n writes the trigger's own static data when the trigger starts an execution. The data is from when the
	// workflow was published, so other nodes may lose what they saved since. An execution would delete
	// everything.
	if (ending === 'blind') writeText(context, sealed);
	const last = ending === 'blind' ? run() : ending;
	if (node.epoch === epoch) dispatch(site, rules.onSaved, { version: saved.version });
	areWorkersBlind = (await last) === 'blind';
}
