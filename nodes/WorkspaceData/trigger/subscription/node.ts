/** Keeps what this process knows about each trigger node. */
import type {
	IHookFunctions,
	INode,
	ITriggerFunctions,
	IWorkflowMetadata,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { BoundedMap } from '../../model/boundedMap';
import { createKeyedQueue } from '../../model/keyedQueue';
import {
	type Effect,
	INITIAL,
	reduce,
	type Search,
	type SubscriptionEvent,
	type SubscriptionState,
} from '../../model/subscription/reducer';
import type { ServiceClock } from '../../transport/http/serviceClock';
import { Duplicates } from '../delivery/duplicates';
import type { WarningSlot } from '../log';

export type LifecycleContext = IHookFunctions | ITriggerFunctions;

/**
 * The state of a trigger node in this process. n8n saves static data as a whole object and the last writer
 * wins, so a long execution can restore an old secret. This state isn't affected.
 */
export class TriggerNode {
	private current: SubscriptionState = INITIAL;
	/** Counts publishing and unpublishing, so that work from before either can be recognized and dropped. */
	epoch = 0;
	readonly deliveries = new Duplicates();
	/** The service's clock; undefined until this process opens the service for the node. */
	serviceClock: ServiceClock | undefined;
	/** The fingerprint of the credential (empty if it couldn't be read), and when it was last compared. */
	credential = { fingerprint: '', checkedAt: -Infinity };
	/** The nonce of the last probe to which this process responded. */
	answered: string | undefined;
	/** The last warnings in the log, by kind, so that many of one kind don't hide the others. */
	readonly warnings = new Map<string, WarningSlot>();
	/** The next search for missed records, which hasn't started. */
	search: { search: Search; triesLeft: number; notBefore: number } | undefined;
	/**
	 * The deletions of the unpublished workflow. `stop` sends no more of them; `done` resolves when none is
	 * in progress.
	 */
	ending = { stop: () => {}, done: Promise.resolve() };

	get state(): SubscriptionState {
		return this.current;
	}

	/** Applies an event. @returns the next tasks */
	dispatch(event: SubscriptionEvent): Effect[] {
		const { state, effects } = reduce(this.current, event);
		this.current = state;
		return effects;
	}
}

/** The identity of a node, in every context of n8n. */
export interface NodePlace {
	getNode(): INode;
	getWorkflow(): IWorkflowMetadata;
	getMode(): WorkflowExecuteMode;
}

/** Published nodes and test executions have separate states. */
export type Use = 'production' | 'test';

/** Published nodes are checked once a minute, so others are forgotten first. Lost state is read again. */
const nodes = new BoundedMap<string, TriggerNode>(10_000);

const keyOf = (context: NodePlace, use: Use): string =>
	`${use} ${context.getWorkflow().id} ${context.getNode().id}`;

/** The node in this process; a new one if it isn't known. */
export const nodeOf = (context: NodePlace, use: Use): TriggerNode =>
	nodes.getOrCreate(keyOf(context, use), () => new TriggerNode());

export const forget = (context: NodePlace, use: Use): void => nodes.delete(keyOf(context, use));

/**
 * Returns the use that n8n ends with a lifecycle hook. The hook's own webhook address shows it. The mode
 * doesn't, because n8n ends a test with the same mode as it unpublishes.
 */
export function endedUse(context: NodePlace, address: string): Use {
	if (context.getMode() === 'manual') return 'test';
	if (nodes.get(keyOf(context, 'test'))?.state.address === address) return 'test';
	const production = nodes.get(keyOf(context, 'production'))?.state.address;
	return production === undefined || production === address ? 'production' : 'test';
}

const queue = createKeyedQueue();

/**
 * Runs a task after all earlier ones of the same kind and workflow in this process. Otherwise, overlapping
 * executions would each save the workflow's static data as they found it.
 */
export const inOrder = async <T>(
	context: NodePlace,
	kind: 'save' | 'memory',
	task: () => Promise<T>,
): Promise<T> => await queue(`${kind} ${context.getWorkflow().id}`, task);
