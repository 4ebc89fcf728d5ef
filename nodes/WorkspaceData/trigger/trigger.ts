/** `trigger()`: makes a new subscription if a start couldn't, or after a long silence. */
import { createHash } from 'node:crypto';
import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { toNodeError } from '../transport/errors';
import { nodeOf, type TriggerNode } from './node';
import * as service from './service';
import { readSettings, type TriggerSettings } from './settings';
import { due } from './subscription';

const HOUR_MS = 3_600_000;
const LOOK_MINUTES = 5;
/** How many looks later a refused creation is tried again: after 5, 10, 20, 40 minutes, then every hour. */
const PAUSES = [1, 2, 4, 8, 12];
const CALL = { timeoutMs: 30_000 };

/** A trigger that n8n has started. */
interface Started {
	context: ITriggerFunctions;
	node: TriggerNode;
	settings: TriggerSettings;
	isClosed: boolean;
}

/**
 * Looks every five minutes if a new subscription is needed. Because `trigger()` exists, n8n calls it and the hooks at
 * every start. Sends nothing by itself, and never throws.
 */
export async function trigger(context: ITriggerFunctions): Promise<ITriggerResponse> {
	if (context.getMode() === 'manual') return {};
	const settings = settingsOf(context);
	// The hook has told about an invalid value.
	if (!settings) return {};
	const started: Started = { context, node: nodeOf(context), settings, isClosed: false };
	let isBusy = false;
	const look = async (): Promise<void> => {
		const reason = isBusy ? undefined : reasonToRenew(started);
		if (reason === undefined) return;
		isBusy = true;
		await renew(started, reason);
		isBusy = false;
	};
	// At a time that differs between nodes, so that many don't renew together.
	const [first = 0, second = 0] = createHash('sha256').update(context.getNode().id).digest();
	const expression = `${second % 60} ${first % LOOK_MINUTES}-59/${LOOK_MINUTES} * * * *`;
	context.helpers.registerCron({ expression: expression as '* * * * * *' }, () => void look());
	return { closeFunction: async () => void (started.isClosed = true) };
}

/** n8n 2 evaluates expressions while it activates the trigger, but not in a cron. */
function settingsOf(context: ITriggerFunctions): TriggerSettings | undefined {
	try {
		return readSettings(context);
	} catch {
		return undefined;
	}
}

/** Why a new subscription is to be made at this look; undefined if none is. */
function reasonToRenew({ node, settings: { silenceMs = Infinity } }: Started): string | undefined {
	const { startFailure, aliveAt, retry } = node;
	const silentMs = Date.now() - aliveAt;
	if (!node.isPublished || (startFailure === undefined && silentMs < silenceMs)) {
		node.retry = { failures: 0, looks: 0 };
		return undefined;
	}
	if (retry.looks > 0) {
		retry.looks -= 1;
		return undefined;
	}
	if (startFailure !== undefined) return `that failed when n8n started: ${startFailure}`;
	return `no event had arrived for ${Math.floor(silentMs / HOUR_MS)} h`;
}

/** Makes a new subscription. n8n saves it because of `emitError`, which also runs the error workflow. */
async function renew(started: Started, reason: string): Promise<void> {
	const { context, node, settings } = started;
	const { version } = node.saved;
	try {
		const site = await service.openSite(context, node);
		const cardId = await service.findCard(site, settings, CALL);
		const made = await service.subscribe(site, service.targetOf(site, settings), cardId, CALL);
		if (started.isClosed || node.saved.version !== version) {
			return await service.unsubscribe(site, [made], CALL);
		}
		node.adopt(made);
		node.write(context);
		context.emitError(new Error(`The subscription was renewed, as ${reason}`));
		await service.cleanUp(site, due.atRenewal, CALL);
	} catch (error) {
		waitAfter(error, started);
	}
}

/** Tries again later. The first of several failures shows in a failed execution as well, where n8n can do that. */
function waitAfter(error: unknown, { context, node }: Started): void {
	const failures = node.retry.failures + 1;
	node.retry = { failures, looks: (PAUSES[failures - 1] ?? 12) - 1 };
	const message = `The subscription couldn't be renewed yet: ${service.reasonOf(error)}`;
	node.log(context, message);
	const { saveFailedExecution }: Partial<ITriggerFunctions> = context;
	if (failures > 1) return;
	saveFailedExecution?.(Object.assign(toNodeError(context.getNode(), error), { message }));
}
