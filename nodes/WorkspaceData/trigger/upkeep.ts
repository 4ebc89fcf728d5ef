import type { IDataObject, IRun, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import type { RetiredSubscription } from '../model/subscription';
import { openApi } from '../transport/api';
import { activationError } from './activationError';
import { catchUpOrder } from './catchUp';
import { deleteAll } from './deletion';
import { loadSubscriptions, retire } from './keptSubscriptions';
import { memoryOf, type TriggerMemory } from './memory';
import { readSettings, type TriggerSettings } from './settings';
import { saveOrder } from './saving';
import { renew } from './subscription';
import { reasonOf, warnSparingly } from './warning';

/** When to look whether there is something to do: every ten seconds. */
const EVERY_TEN_SECONDS = '*/10 * * * * *';
/** How long to leave catching up that did not work, in ms. */
const CATCH_UP_PAUSE_MS = 60_000;
/** How long to leave a deletion that failed: what the old subscription delivers is left out anyway. */
const DELETION_PAUSE_MS = 3_600_000;
/** How long to leave a renewal that failed, in ms. */
const RENEWAL_PAUSE_MS = { urgent: 60_000, other: 3_600_000 };

/** Deletes the retired subscriptions whose time has come. */
async function deleteDue(
	context: ITriggerFunctions,
	{ authentication }: TriggerSettings,
	memory: TriggerMemory,
): Promise<void> {
	const now = Date.now();
	const isDue = ({ deleteAt }: RetiredSubscription) => deleteAt <= now;
	const { retired } = memory.kept;
	const due = retired.filter(isDue).map((one) => retire(one, now + DELETION_PAUSE_MS));
	if (due.length === 0) return;
	// Not into static data: n8n would write back all of it as it was at the start. When the subscriptions
	// found there are deleted once more, the service says that they are gone.
	const others = retired.filter((one) => !isDue(one));
	memory.kept = { ...memory.kept, retired: [...others, ...due] };
	const api = await openApi(context, authentication);
	const left = await deleteAll(api, due, (message) => context.logger.warn(message));
	const isGone = (one: RetiredSubscription) => due.includes(one) && !left.includes(one);
	memory.kept = {
		...memory.kept,
		retired: memory.kept.retired.filter((one) => !isGone(one)),
	};
}

/**
 * Has a subscription renewed from which nothing has come for long: the service may have paused it, as
 * it does after four failures, and has no way to tell.
 *
 * @see service interface, part 3, "Webhook subscription"
 */
function noticeSilence({ silenceMs }: TriggerSettings, memory: TriggerMemory): void {
	const { current } = memory.kept;
	if (!current || memory.renewal?.isUrgent) return;
	const isSilent = Date.now() - memory.aliveAt >= silenceMs;
	if (!isSilent) memory.renewal = undefined;
	else memory.renewal ??= { targetUrl: current.targetUrl, notBefore: 0, isUrgent: false };
}

/**
 * Starts an execution with an item for this node.
 *
 * @returns whether it ended in an error of this node
 */
function startExecution(context: ITriggerFunctions, json: IDataObject): Promise<boolean> {
	const done = context.helpers.createDeferredPromise<IRun>();
	context.emit([[{ json }]], undefined, done);
	return done.promise
		.then(
			(run) =>
				run !== undefined &&
				run.status !== 'success' &&
				run.data.resultData.lastNodeExecuted === context.getNode().name,
		)
		.catch(() => true);
}

/**
 * Starts the execution that saves the new subscription. Other processes refuse what it delivers until
 * then, so where that fails there has to be another one.
 */
async function startSaving(
	context: ITriggerFunctions,
	{ authentication }: TriggerSettings,
	memory: TriggerMemory,
): Promise<void> {
	const { current } = memory.kept;
	const order = await saveOrder(context, authentication);
	void startExecution(context, order).then((failed) => {
		if (!failed || !current || memory.kept.current?.id !== current.id) return;
		const notBefore = Date.now() + RENEWAL_PAUSE_MS.urgent;
		memory.renewal = { targetUrl: current.targetUrl, notBefore, isUrgent: true };
	});
}

/** Renews the subscription where that is due. */
async function renewDue(
	context: ITriggerFunctions,
	settings: TriggerSettings,
	memory: TriggerMemory,
	isClosed: () => boolean,
): Promise<void> {
	const { renewal } = memory;
	if (!renewal || Date.now() < renewal.notBefore) return;
	const pending = { ...renewal };
	memory.renewal = pending;
	// The workflow can be unpublished, and published again, while the service takes its time.
	const isWanted = () => !isClosed() && memory.renewal === pending;
	try {
		if (!(await renew(context, settings, pending.targetUrl, isWanted))) return;
	} finally {
		const { urgent, other } = RENEWAL_PAUSE_MS;
		pending.notBefore = Date.now() + (pending.isUrgent ? urgent : other);
	}
	memory.renewal = undefined;
	await startSaving(context, settings, memory);
}

/** Starts the execution that looks for missed records; once more when it could not read them. */
function startCatchUp(context: ITriggerFunctions, memory: TriggerMemory): void {
	const { catchUp } = memory;
	if (!catchUp || Date.now() < catchUp.notBefore) return;
	memory.catchUp = undefined;
	void startExecution(context, catchUpOrder(catchUp)).then((failed) => {
		const triesLeft = catchUp.triesLeft - 1;
		if (!failed || triesLeft <= 0 || memory.catchUp) return;
		memory.catchUp = { ...catchUp, triesLeft, notBefore: Date.now() + CATCH_UP_PAUSE_MS };
	});
}

/** @throws NodeOperationError for a value that cannot be used */
function settingsOf(context: ITriggerFunctions): TriggerSettings {
	try {
		return readSettings(context);
	} catch (error) {
		throw activationError(context.getNode(), error);
	}
}

/**
 * `trigger()`: looks after the subscriptions while the workflow is published. n8n calls it at every
 * start, and because it exists calls the lifecycle methods at every start, too.
 */
export async function lookAfter(context: ITriggerFunctions): Promise<ITriggerResponse> {
	if (context.getMode() === 'manual') return {};
	// Once: n8n 2 evaluates expressions only while it activates the trigger, not when a cron ticks.
	const settings = settingsOf(context);
	memoryOf(context).kept = loadSubscriptions(context);
	let busy = false;
	let closed = false;

	async function tick(): Promise<void> {
		if (busy || closed) return;
		busy = true;
		const memory = memoryOf(context);
		try {
			noticeSilence(settings, memory);
			await renewDue(context, settings, memory, () => closed);
			if (closed) return;
			startCatchUp(context, memory);
			await deleteDue(context, settings, memory);
		} catch (error) {
			warnSparingly(
				context,
				memory.warnings.upkeep,
				Date.now(),
				`Upkeep of the subscription: ${reasonOf(error)}`,
			);
		} finally {
			busy = false;
		}
	}

	context.helpers.registerCron({ expression: EVERY_TEN_SECONDS }, () => void tick());
	return {
		async closeFunction() {
			closed = true;
		},
	};
}
