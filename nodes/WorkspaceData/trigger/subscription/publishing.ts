/** `webhookMethods.create`: the workflow is published, a test begins, or n8n starts. */
import { type IHookFunctions, type INode, NodeOperationError } from 'n8n-workflow';
import { InputError } from '../../model/inputError';
import type { Effect } from '../../model/subscription/eventsAndEffects';
import { stored as savedPart } from '../../model/subscription/merge';
import { isOwn } from '../../model/subscription/state';
import { toNodeError } from '../../transport/failure/nodeError';
import { type Clock, systemClock } from '../../transport/http/clock';
import { reasonOf, warn } from '../log';
import { checkConditions, readSettings, type TriggerSettings } from '../parameters';
import { deletedBy, deleteWith, logLeftBehind } from './deletions';
import { adopt, forget, type NodeState, stopDeletions, type Use, useAt } from './nodeState';
import { renew } from './renew';
import { isAnswerLost, LIFECYCLE_CALL, PUBLISHING_CALL } from './subscriptionApi';
import { openStore } from './storage';

/** Due times are spread over a tenth, so that many triggers do not renew together. */
const SPREAD = 0.1;

/** Whether n8n calls a hook because it starts: nobody publishes, and nobody would see an error. */
export const isStarting = (context: Pick<IHookFunctions, 'getActivationMode'>): boolean =>
	['init', 'leadershipChange'].includes(context.getActivationMode());

/**
 * Subscribes. While n8n starts, nothing that is wrong ends a published trigger: n8n would not start it again. What was
 * there before stays, and is renewed later. Only a person who publishes sees an error.
 *
 * @throws NodeOperationError that says in its message what to do
 */
export async function activate(
	context: IHookFunctions,
	clock: Clock = systemClock,
): Promise<boolean> {
	try {
		return await subscribe(context, clock);
	} catch (error) {
		if (!isStarting(context)) throw activationError(context.getNode(), error);
		warn(context, notRenewed(error));
		return true;
	}
}

const notRenewed = (error: unknown): string =>
	`The subscription could not be renewed yet: ${reasonOf(error)}`;

async function subscribe(context: IHookFunctions, clock: Clock): Promise<boolean> {
	const settings = readSettings(context);
	const store = openStore(context, settings.authentication);
	const address = targetUrlOf(context);
	const isStart = isStarting(context);
	if (!isStart) await checkConditions(context, settings, clock);
	const use = useAt(context, address);
	const uncertain = await stopDeletions(context, use);
	const node = adopt(context, use);
	node.epoch += 1;
	node.pendingSearch = undefined;
	node.spread = 1 + SPREAD * clock.random();
	const overlapMs = use === 'test' ? 0 : settings.overlapMs;
	const stored = await store.read();
	const begun = node.dispatch({
		type: 'started',
		address,
		stored,
		byPerson: !isStart,
		overlapMs,
		now: clock.now(),
	});
	for (const effect of begun) if (effect.type === 'leaveBehind') logLeftBehind(context, effect);
	const effects = begun.some(({ type }) => type === 'create')
		? await renewAtStart(context, node, { settings, address, overlapMs, isStart, use }, clock)
		: [];
	const { current } = node.set;
	if (current && uncertain.includes(current.id)) {
		// A deletion of the same id may still be carried out.
		node.dispatch({ type: 'strained', id: current.id, now: clock.now() });
	}
	await deleteWith(context, node, settings.authentication, deletedBy(effects), clock);
	const foreign = node.set.retired.filter((one) => !isOwn(node.set, one)).map(({ id }) => id);
	if (foreign.length > 0) {
		warn(
			context,
			`Not deleted, because they deliver to an address other than ${address}: subscriptions ${foreign.join(', ')}`,
		);
	}
	await store.write(savedPart(node.set));
	return true;
}

interface Start {
	settings: TriggerSettings;
	address: string;
	overlapMs: number;
	isStart: boolean;
	use: Use;
}

/** Subscribes; while n8n starts, a refusal is logged. @returns the next effects */
async function renewAtStart(
	context: IHookFunctions,
	node: NodeState,
	{ settings, address, overlapMs, isStart, use }: Start,
	clock: Clock,
): Promise<Effect[]> {
	const call = isStart ? LIFECYCLE_CALL : PUBLISHING_CALL;
	const manner = { savedByHook: true, overlapMs, call };
	return await renew(context, node, settings, address, clock, manner).catch((error: unknown) => {
		if (!isStart) {
			if (node.set.current === undefined) forget(context, use);
			// n8n tries again by itself, and then shows no error.
			if (isAnswerLost(error)) {
				warn(context, `The service may have a subscription of no use: ${reasonOf(error)}`);
			}
			throw error;
		}
		warn(context, notRenewed(error));
		return [];
	});
}

/**
 * Where deliveries for a node come to.
 *
 * @throws InputError when n8n is set up with something else than an address
 */
export function targetUrlOf(context: IHookFunctions): string {
	const url = context.getNodeWebhookUrl('default');
	if (url === undefined) throw new Error('n8n has no webhook address for this node');
	if (/^https?:$/.test(protocolOf(url))) return url;
	throw new InputError(
		`n8n's webhook address is '${url}', which is not a valid address`,
		'Set N8N_WEBHOOK_URL (in n8n 1: WEBHOOK_URL) to an address that begins with https:// or http://.',
	);
}

function protocolOf(url: string): string {
	try {
		return new URL(url).protocol;
	} catch {
		return '';
	}
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/**
 * An error of the lifecycle, all in its message: n8n 2 shows nothing else when a workflow cannot be
 * published.
 *
 * @param hint what else the user should know
 */
export function activationError(node: INode, error: unknown, hint?: string): NodeOperationError {
	const { message, description } = toNodeError(node, error);
	const text = [message, description, hint]
		.filter((part): part is string => Boolean(part))
		.map(sentence)
		.join(' ');
	const shown = new NodeOperationError(node, text);
	// n8n's constructor rewrites messages in which it finds the name of a system error.
	shown.message = text;
	return shown;
}
