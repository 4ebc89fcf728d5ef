/** `webhookMethods`: the workflow is published or unpublished, a test begins or ends, or n8n starts. */
import { randomUUID } from 'node:crypto';
import { type IHookFunctions, type INode, NodeOperationError } from 'n8n-workflow';
import { InputError } from '../../values/inputError';
import * as rules from '../../model/subscription/subscriptionRules';
import { mayHaveHappened } from '../../transport/failure/failureKinds';
import { toNodeError } from '../../transport/failure/nodeError';
import { systemClock, withTimeLimit } from '../../transport/http/clock';
import { sentences } from '../../values/messageText';
import { warn } from '../log';
import { readSettings } from '../parameters';
import { ask } from './askOwnAddress';
import { dispatch, endedUse, forget, nodeOf, type TriggerNode, useOf } from './node';
import { deleteWith, notRenewed, renew } from './renewal';
import { readStored, writeStored } from './storage';

/** How long n8n tries to publish, in ms: a creation without a clear response isn't repeated in that time. */
const UNCLEAR_MS = 30_000;
/** How long the hook waits for deletions, in ms, because n8n waits for it. They continue in the background. */
const WAIT_MS = 9_000;

/** Returns true if n8n calls a hook because it starts: nobody publishes, so nobody would see an error. */
const isStarting = (context: IHookFunctions): boolean =>
	['init', 'leadershipChange'].includes(context.getActivationMode());

/**
 * Subscribes. While n8n starts, no error stops a published trigger, because n8n wouldn't start it again.
 * The existing subscription stays and is renewed later. Only a person who publishes sees an error.
 *
 * @throws NodeOperationError whose message says what to do
 */
export async function activate(context: IHookFunctions): Promise<boolean> {
	const node = nodeOf(context, useOf(context));
	const { unclear } = node;
	const now = systemClock.now();
	try {
		const isRepeated = unclear && now >= unclear.at && now < unclear.at + UNCLEAR_MS;
		if (isRepeated && !isStarting(context)) throw unclear.error;
		await subscribe(context, node);
	} catch (error) {
		if (isStarting(context)) {
			warn(context, notRenewed(error));
			return true;
		}
		if (mayHaveHappened(error) && error !== unclear?.error) node.unclear = { error, at: now };
		throw activationError(context.getNode(), error);
	}
	return true;
}

async function subscribe(context: IHookFunctions, node: TriggerNode): Promise<void> {
	const address = targetUrlOf(context);
	if (useOf(context) === 'production') checkWebhookId(context);
	const settings = readSettings(context);
	node.ending.stop();
	await node.ending.done;
	node.epoch += 1;
	node.shown.clear();
	const site = { context, node, settings, clock: systemClock };
	const { overlapMs } = settings;
	const started = { address, stored: readStored(context), mark: randomUUID(), overlapMs };
	node.apply(rules.onStarted, started, systemClock);
	try {
		await renew(site, isStarting(context) ? 'start' : 'publish');
	} finally {
		await writeStored(context, node.state.saved);
	}
}

/**
 * @throws InputError for a node whose address n8n can't find, because n8n puts the encoded name into the
 * path
 */
function checkWebhookId(context: IHookFunctions): void {
	const { name, webhookId } = context.getNode();
	if (webhookId || encodeURIComponent(name.toLowerCase()) === name.toLowerCase()) return;
	throw new InputError(
		`n8n can't find the webhook address of '${name}', because the node has no webhook ID`,
		'Add the trigger to the workflow again from the nodes panel, or give it a name of one plain word, and publish again.',
	);
}

/**
 * The address for a node's deliveries.
 *
 * @throws InputError if n8n is configured with an invalid address
 */
function targetUrlOf(context: IHookFunctions): string {
	const url = context.getNodeWebhookUrl('default') ?? '';
	if (/^https?:\/\/[^/]/.test(url)) return url;
	throw new InputError(
		`n8n's webhook address is '${url}', which isn't a valid address`,
		'Set N8N_WEBHOOK_URL (before n8n 2.35: WEBHOOK_URL) to an address that begins with https:// or http://.',
	);
}

/**
 * An error of the lifecycle with everything in its message, because n8n 2 shows only the message if a
 * workflow can't be published.
 */
function activationError(node: INode, error: unknown): NodeOperationError {
	const { message, description } = toNodeError(node, error);
	const text = sentences(message, description ?? undefined);
	const shown = new NodeOperationError(node, text);
	// n8n's constructor rewrites messages that contain the name of a system error.
	shown.message = text;
	return shown;
}

/**
 * Ends this n8n's subscriptions with exactly this address, so that the end of a test doesn't affect the
 * published workflow. Never throws and never takes long. What takes longer continues while this process
 * runs. It is saved as well, and tried again when the workflow is published.
 */
export async function deactivate(context: IHookFunctions): Promise<boolean> {
	const address = context.getNodeWebhookUrl('default') ?? '';
	const use = endedUse(context, address);
	const node = nodeOf(context, use);
	const site = { context, node, clock: systemClock };
	// A process that was started since only knows the saved data, and nothing about its address.
	node.apply(rules.onRead, { stored: readStored(context), address }, systemClock);
	if (use === 'production') await ask(site);
	// What began before, also while the address was asked, is no longer wanted.
	node.epoch += 1;
	dispatch(site, rules.onUnpublished, {});
	node.ending.done = deleteWith(site, rules.dueDeletions(node.state, systemClock.now()), 'patient');
	await withTimeLimit(WAIT_MS, systemClock, async () => await node.ending.done).catch(() =>
		warn(
			context,
			'Deleting the subscription is taking longer than expected; it continues in the background',
		),
	);
	await writeStored(context, node.state.saved);
	if (use === 'test') forget(context, use);
	return node.state.saved.previous.every(({ fate }) => fate !== 'ended');
}
