/** `webhookMethods`: the workflow is published or unpublished, a test begins or ends, or n8n starts. */
import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';
import { mayHaveHappened } from '../transport/errors';
import { toNodeError } from '../transport/nodeError';
import { InputError } from '../values/inputError';
import { sentences } from '../values/messageText';
import { closedNode, nodeOf, PROCESS, type TriggerNode } from './node';
import * as service from './service';
import { readSettings, refuseFields, refuseSettings } from './settings';
import { due, end, isToKeep } from './subscription';

/** n8n starts its triggers one after the other. */
const START_CALL = { isUrgent: true, timeoutMs: 5_000 };
const PUBLISH_CALL = { isUrgent: true, timeoutMs: 10_000 };
/** How long unpublishing waits for its deletions, in ms. */
const DELETE_MS = 9_000;
/** How long n8n repeats a publication, in ms: a creation without a clear response isn't sent again in that time. */
const UNCLEAR_MS = 30_000;

/**
 * `create`: subscribes. Only a person who publishes sees an error. After an error at a start, n8n would never start the
 * trigger again: the old subscription stays, and `trigger()` tries later.
 *
 * @throws NodeOperationError with everything in its message
 */
export async function create(context: IHookFunctions): Promise<boolean> {
	const node = nodeOf(context);
	const mode = context.getActivationMode();
	// n8n 1 activates the workflow again after `emitError`, without `delete` before.
	const isAgain = node.url !== '' && mode !== 'manual';
	const isStart = isAgain || mode === 'init' || mode === 'leadershipChange';
	node.settings = undefined;
	node.url = context.getNodeWebhookUrl('default') ?? '';
	node.read(context);
	try {
		await subscribe(context, node, isStart);
	} catch (error) {
		if (!isStart) {
			node.url = '';
			if (mayHaveHappened(error)) node.unclear ??= { error, at: Date.now() };
			throw publicationError(context, error);
		}
		node.startFailure = service.reasonOf(error);
		node.log(context, `The subscription couldn't be renewed yet: ${node.startFailure}`);
	}
	node.aliveAt = Date.now();
	node.write(context);
	return true;
}

async function subscribe(context: IHookFunctions, node: TriggerNode, isStart: boolean) {
	refuseAddress(context, node.url);
	const settings = readSettings(context);
	node.settings = settings;
	if (!isStart) refuseSettings(settings);
	if (Date.now() - (node.unclear?.at ?? 0) >= UNCLEAR_MS) node.unclear = undefined;
	if (node.unclear && !isStart) throw node.unclear.error;
	const site = await service.openSite(context, node);
	const target = service.targetOf(site, settings);
	const check = async (cardId: string | undefined) =>
		await refuseFields(context, settings, site.api, cardId);
	if (!isStart) node.adopt(await service.subscribe(site, settings, PUBLISH_CALL, check));
	else if (!isToKeep(node.saved, target, PROCESS, Date.now())) {
		node.adopt(await service.subscribe(site, settings, START_CALL));
	}
	await service.cleanUp(site, due.atStart, START_CALL);
}

/** @throws InputError if n8n can't receive anything at its address */
function refuseAddress(context: IHookFunctions, url: string): void {
	const { name, webhookId } = context.getNode();
	if (!/^https?:\/\/[^/]/.test(url)) {
		throw new InputError(
			`n8n's webhook address is '${url}', which isn't a valid address`,
			'Set N8N_WEBHOOK_URL (before n8n 2.35: WEBHOOK_URL) to an address that begins with https:// or http://.',
		);
	}
	// n8n puts the encoded name into the path, and doesn't find it.
	if (webhookId || encodeURIComponent(name.toLowerCase()) === name.toLowerCase()) return;
	throw new InputError(
		`n8n can't find the webhook address of '${name}', because the node has no webhook ID`,
		'Add the trigger to the workflow again from the nodes panel, or give it a name of one plain word, and publish again.',
	);
}

/** n8n 2 shows only the message of an error if a workflow can't be published, n8n 1 only the description of others. */
function publicationError(context: IHookFunctions, error: unknown): NodeOperationError {
	const { message, description } = toNodeError(context.getNode(), error);
	const text = sentences(message, description ?? undefined);
	// n8n's constructor rewrites messages that contain the name of a system error.
	return Object.assign(new NodeOperationError(context.getNode(), text), { message: text });
}

/**
 * `delete`: ends the subscriptions of this webhook address. What can't be deleted is in the log, and is tried again when n8n
 * starts or the workflow is published. Never throws.
 *
 * @returns true if nothing is left
 */
export async function remove(context: IHookFunctions): Promise<boolean> {
	const url = context.getNodeWebhookUrl('default') ?? '';
	const node = closedNode(context, url);
	node.read(context);
	// Fresh, if this process doesn't know it.
	Object.assign(node, { url, settings: undefined, startFailure: undefined });
	node.saved = end(node.saved, Date.now());
	const left = () => node.saved.previous.filter(({ id }) => id !== undefined);
	try {
		const signal = AbortSignal.timeout(DELETE_MS);
		const site = left().length > 0 && (await service.openSite(context, node));
		if (site) await service.unsubscribe(site, left(), { timeoutMs: DELETE_MS, signal });
	} catch (error) {
		const [ids, reason] = [left().map(({ id }) => id), service.reasonOf(error)];
		node.log(context, `Subscription ${ids.join()} couldn't be deleted yet: ${reason}`);
	}
	node.url = '';
	node.write(context);
	return left().length === 0;
}
