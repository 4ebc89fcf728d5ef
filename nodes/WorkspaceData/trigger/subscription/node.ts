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
 * A trigger node in this process. n8n saves static data as a whole object, and the last writer wins, so
 * an execution that ran long can bring back an old secret; this state stays.
 */
export class TriggerNode {
	private current: SubscriptionState = INITIAL;
	/** Counts publishing and unpublishing: work that began before either is no longer wanted. */
	epoch = 0;
	readonly deliveries = new Duplicates();
	/** The service's clock; undefined until this process has opened the service for the node. */
	serviceClock: ServiceClock | undefined;
	/** Whether the service refused the last creation. */
	isRefused = false;
	/** The credential by its fingerprint, empty where it could not be read, and when it was last compared. */
	credential = { fingerprint: '', checkedAt: -Infinity };
	/** The last lines in the log, by kind: a flood of one kind does not hide the others. */
	readonly warnings = new Map<string, WarningSlot>();
	/** The search for missed records that is still to be started. */
	search: { search: Search; triesLeft: number; notBefore: number } | undefined;
	/** The deletions of the unpublished workflow: `stop` sends nothing more, `done` settles when nothing is under way. */
	ending = { stop: () => {}, done: Promise.resolve() };

	get state(): SubscriptionState {
		return this.current;
	}

	/** Applies an event. @returns what to do about it */
	dispatch(event: SubscriptionEvent): Effect[] {
		const { state, effects } = reduce(this.current, event);
		this.current = state;
		return effects;
	}
}

/** The place of a node, in every context of n8n. */
export interface NodePlace {
	getNode(): INode;
	getWorkflow(): IWorkflowMetadata;
	getMode(): WorkflowExecuteMode;
}

/** Published nodes and test listenings have a memory each. */
export type Use = 'production' | 'test';

/** Published nodes are looked at once a minute, so others are forgotten first; what is lost is read again. */
const nodes = new BoundedMap<string, TriggerNode>(10_000);

const keyOf = (context: NodePlace, use: Use): string =>
	`${use} ${context.getWorkflow().id} ${context.getNode().id}`;

/** The node as this process knows it; a new one where it does not. */
export const nodeOf = (context: NodePlace, use: Use): TriggerNode =>
	nodes.getOrCreate(keyOf(context, use), () => new TriggerNode());

/** Forgets a node. */
export const forget = (context: NodePlace, use: Use): void => nodes.delete(keyOf(context, use));

/**
 * The use that a lifecycle hook is called for. The mode does not show it: n8n ends a test with the mode in which it
 * unpublishes. The hook's own webhook address does.
 */
export function useAt(context: NodePlace, address: string): Use {
	if (context.getMode() === 'manual') return 'test';
	if (nodes.get(keyOf(context, 'test'))?.state.address === address) return 'test';
	const production = nodes.get(keyOf(context, 'production'))?.state.address;
	return production === undefined || production === address ? 'production' : 'test';
}

const queue = createKeyedQueue();

/**
 * Runs a task after all earlier ones of the same kind and workflow in this process: executions that overlap
 * each save all of the workflow's static data as they found them.
 */
export const inOrder = async <T>(
	context: NodePlace,
	kind: 'save' | 'memory',
	task: () => Promise<T>,
): Promise<T> => await queue(`${kind} ${context.getWorkflow().id}`, task);
