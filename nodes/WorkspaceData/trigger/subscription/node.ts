/** Keeps what this process knows about each trigger node. */
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../values/boundedMap';
import {
	abandoned,
	type Change,
	INITIAL,
	type SubscriptionState,
} from '../../model/subscription/subscriptionRules';
import type { Clock } from '../../transport/http/clock';
import { type LogPlace, warn, Warnings } from '../log';
import type { TriggerSettings } from '../parameters';

/** A trigger node, and how n8n calls it. Parameters that aren't needed may be invalid. */
export interface NodeSite<Context = IHookFunctions | ITriggerFunctions> {
	context: Context;
	node: TriggerNode;
	clock: Clock;
}

/** The same with its parameters. */
export interface Site<Context = IHookFunctions | ITriggerFunctions> extends NodeSite<Context> {
	settings: TriggerSettings;
}

/**
 * The state of a trigger node in this process. n8n saves static data as a whole object and the last writer
 * wins, so a long execution can restore an old secret. This state isn't affected.
 */
export class TriggerNode {
	state: SubscriptionState = INITIAL;
	readonly warnings = new Warnings();
	/** Counts publishing and unpublishing, so that work from before either can be recognized and dropped. */
	epoch = 0;
	/** The fingerprint of the credential (empty if it couldn't be read), and when it was last compared, if it was. */
	credential: { fingerprint: string; checkedAt: number } | undefined;
	/** The nonce of the last probe to which this process responded. */
	answered: string | undefined;
	/** Why the service created no subscription at the last try; undefined if it did. */
	refusal: unknown;
	/** The last creation that the service may have carried out without a word, for n8n, which tries it again. */
	unclear: { error: unknown; at: number } | undefined;
	/** Why the service refuses for good, as failed executions have shown since the start. */
	readonly shown = new Set<string>();
	/**
	 * The deletions of the unpublished workflow. `stop` sends no more of them; `done` resolves when none is
	 * in progress.
	 */
	ending = { stop: () => {}, done: Promise.resolve() };

	/** Changes the state by what has happened now, by a function of the rules. */
	apply<Given>(change: Change<Given>, given: Given, clock: Clock): void {
		this.state = change(this.state, { ...given, now: clock.now() });
	}
}

/**
 * Changes the state of a node by what this process did or decided. The log names the subscriptions that are given up
 * by that.
 */
export function dispatch<Given>(
	{ context, node, clock }: NodeSite<LogPlace>,
	change: Change<Given>,
	given: Given,
): void {
	const before = node.state;
	node.apply(change, given, clock);
	logAbandoned(
		context,
		abandoned(before, node.state).map(({ id }) => id),
	);
}

/** Names subscriptions in the log that are given up. */
export function logAbandoned(context: LogPlace, ids: readonly string[]): void {
	if (ids.length === 0) return;
	warn(
		context,
		`Subscription ${ids.join(', ')} still exists at the service: it may belong to another n8n, or couldn't be deleted. If no other n8n needs it, delete it in the settings of the service`,
	);
}

/** The identity of a node, in every context of n8n. */
export type NodePlace = Pick<IHookFunctions, 'getNode' | 'getWorkflow' | 'getMode'>;

/** Published nodes and test executions have separate states. */
export type Use = 'production' | 'test';

/** Published nodes are checked once a minute, so others are forgotten first. Lost state is read again. */
const nodes = new BoundedMap<string, TriggerNode>(10_000);

const keyOf = (context: NodePlace, use: Use): string =>
	`${use} ${context.getWorkflow().id} ${context.getNode().id}`;

/** The node in this process; a new one if it isn't known. */
export const nodeOf = (context: NodePlace, use: Use): TriggerNode =>
	nodes.getOrCreate(keyOf(context, use), () => new TriggerNode());

/** The use for which n8n starts a node or calls it with a delivery. */
export const useOf = (context: Pick<NodePlace, 'getMode'>): Use =>
	context.getMode() === 'manual' ? 'test' : 'production';

export const forget = (context: NodePlace, use: Use): void => nodes.delete(keyOf(context, use));

/**
 * Returns the use that n8n ends with a lifecycle hook. The hook's own webhook address shows it. The mode
 * doesn't, because n8n ends a test with the same mode as it unpublishes.
 */
export function endedUse(context: NodePlace, address: string): Use {
	if (useOf(context) === 'test') return 'test';
	if (nodes.get(keyOf(context, 'test'))?.state.address === address) return 'test';
	const production = nodes.get(keyOf(context, 'production'))?.state.address;
	return production === undefined || production === address ? 'production' : 'test';
}
