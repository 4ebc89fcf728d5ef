/** `trigger()`: makes a new subscription if a start couldn't, or after a long silence. */
import { createHash } from 'node:crypto';
import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { toNodeError } from '../transport/nodeError';
import { HOUR_MS } from '../values/time';
import { nodeOf, type TriggerNode } from './node';
import * as service from './service';
import type { TriggerSettings } from './settings';
import { due } from './subscription';

/** How many looks later a refused creation is tried again: after 5, 10, 20, 40 minutes, then every hour. */
const PAUSES = [1, 2, 4, 8, 12];
const CALL = { timeoutMs: 30_000 };

/** A trigger that n8n has started. */
interface Started {
	context: ITriggerFunctions;
	node: TriggerNode;
	isClosed: boolean;
}

/**
 * Looks every five minutes if a new subscription is needed. Because `trigger()` exists, n8n calls it and the hooks at
 * every start. Sends nothing by itself, and never throws.
 */
export async function trigger(context: ITriggerFunctions): Promise<ITriggerResponse> {
	if (context.getMode() === 'manual') return {};
	const started: Started = { context, node: nodeOf(context), isClosed: false };
	let look = Promise.resolve();
	const lookAgain = () => (look = look.then(async () => await renewIfNeeded(started)));
	// At a time that differs between nodes, so that many don't renew together.
	const [first = 0, second = 0] = createHash('sha256').update(context.getNode().id).digest();
	const expression = `${second % 60} ${first % 5}-59/5 * * * *`;
	context.helpers.registerCron({ expression: expression as '* * * * * *' }, () => void lookAgain());
	return { closeFunction: async () => void (started.isClosed = true) };
}

/** Makes a new subscription if that failed at the start, or after a silence; after a failure, it waits for some looks. */
async function renewIfNeeded(started: Started): Promise<void> {
	const { url, settings, startFailure, aliveAt, retry } = started.node;
	const silentMs = Date.now() - aliveAt;
	const isSilent = silentMs >= (settings?.silenceMs ?? Infinity);
	if (url === '' || !settings || (startFailure === undefined && !isSilent)) {
		started.node.retry = { failures: 0, looks: 0 };
	} else if (retry.looks > 0) {
		retry.looks -= 1;
	} else if (startFailure === undefined) {
		await renew(started, settings, `no event had arrived for ${Math.floor(silentMs / HOUR_MS)} h`);
	} else {
		await renew(started, settings, `that failed when n8n started: ${startFailure}`);
	}
}

/** Makes a new subscription. n8n saves it because of `emitError`, which also runs the error workflow. */
async function renew(started: Started, settings: TriggerSettings, reason: string): Promise<void> {
	const { context, node } = started;
	const { version } = node.saved;
	try {
		const site = await service.openSite(context, node);
		const made = await service.subscribe(site, settings, CALL);
		if (started.isClosed || node.saved.version !== version) {
			return await service.unsubscribe(site, [made], CALL);
		}
		node.adopt(made);
		node.write(context);
		context.emitError(new Error(`The subscription was renewed, as ${reason}`));
		await service.cleanUp(site, due.atRenewal, CALL);
	} catch (error) {
		const failures = node.retry.failures + 1;
		node.retry = { failures, looks: (PAUSES[failures - 1] ?? 12) - 1 };
		const message = `The subscription couldn't be renewed yet: ${service.reasonOf(error)}`;
		node.log(context, message);
		// The first of several failures shows in a failed execution as well, where n8n can do that.
		const { saveFailedExecution: show }: Partial<ITriggerFunctions> = failures > 1 ? {} : context;
		show?.(Object.assign(toNodeError(context.getNode(), error), { message }));
	}
}
