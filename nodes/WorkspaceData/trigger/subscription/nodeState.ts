/** Keeps what this process knows about each trigger node. */
import type { INode, IWorkflowMetadata, WorkflowExecuteMode } from 'n8n-workflow';
import { BoundedMap } from '../../model/boundedMap';
import { createKeyedQueue } from '../../model/keyedQueue';
import type { SubscriptionEvent, Effect } from '../../model/subscription/eventsAndEffects';
import { reduce } from '../../model/subscription/reducer';
import { EMPTY_SET, type SubscriptionSet } from '../../model/subscription/state';
import type { PendingSearch } from '../catchUp/searchTries';
import { createDuplicates, type Duplicates } from '../delivery/duplicates';
import type { ServiceClock } from '../../transport/http/serviceClock';
import { noWarnings, type WarningSlot } from '../log';

/** A credential by its fingerprint; the secret itself is not kept. */
export interface SeenCredential {
	fingerprint: string;
	/** ms since the epoch by the local clock. */
	checkedAt: number;
}

/** The deletions of an unpublished node that still run. */
export interface RunningDeletions {
	/** Sends no further requests; one that was sent runs to its end. */
	stop(): void;
	/** Settles when no request is under way. @returns the ids of the subscriptions that may still exist */
	done: Promise<readonly string[]>;
}

/**
 * A trigger node in this process. n8n saves static data as a whole object, and the last writer wins, so
 * an execution that ran long can bring back an old secret; this state stays.
 */
export interface NodeState {
	readonly set: SubscriptionSet;
	/** Applies an event to the set. @returns what to do about it */
	dispatch(event: SubscriptionEvent): Effect[];
	/** Counts publishing and unpublishing: work that began before either is no longer wanted. */
	epoch: number;
	deliveries: Duplicates;
	/** The service's clock; undefined until this process has opened the service for the node. */
	serviceClock: ServiceClock | undefined;
	/** The credential that the last renewal was tried with, and when it was last compared. */
	credential: SeenCredential | undefined;
	/** A flood of one kind does not hide the others. */
	warnings: Record<
		'refused' | 'leftOut' | 'unreadable' | 'watchFields' | 'filters' | 'upkeep' | 'late',
		WarningSlot
	>;
	/** The generation of the subscriptions that an execution in this very process saved last. */
	savedHere: number;
	/** The search for missed records that is still to be started. */
	pendingSearch: PendingSearch | undefined;
	/** Stretches the time of silence a little, so that many triggers do not renew together. */
	spread: number;
}

function createNode(): NodeState {
	let set = EMPTY_SET;
	return {
		get set() {
			return set;
		},
		dispatch(event) {
			const outcome = reduce(set, event);
			set = outcome.set;
			return outcome.effects;
		},
		epoch: 0,
		deliveries: createDuplicates(),
		serviceClock: undefined,
		credential: undefined,
		warnings: {
			refused: noWarnings(),
			leftOut: noWarnings(),
			unreadable: noWarnings(),
			watchFields: noWarnings(),
			filters: noWarnings(),
			upkeep: noWarnings(),
			late: noWarnings(),
		},
		savedHere: 0,
		pendingSearch: undefined,
		spread: 1,
	};
}

/** The place of a node, in every context of n8n. */
export interface NodePlace {
	getNode(): INode;
	getWorkflow(): IWorkflowMetadata;
	getMode(): WorkflowExecuteMode;
}

/** Published nodes and test listenings have a memory each. */
export type Use = 'production' | 'test';

/** Nodes that this process published or listens for; removed when that ends. */
const own = new Map<string, NodeState>();

/**
 * Nodes that another process published; this one does not learn when that ends. Anything lost here is
 * read from the static data again.
 */
const visited = new BoundedMap<string, NodeState>(1_000);

const keyOf = (context: NodePlace, use: Use): string =>
	`${use} ${context.getWorkflow().id} ${context.getNode().id}`;

/** The node as this process knows it; a new one where it does not. */
export function nodeOf(context: NodePlace, use: Use): NodeState {
	const key = keyOf(context, use);
	return own.get(key) ?? visited.getOrCreate(key, createNode);
}

/** The node, from now on kept until {@link forget}: this process publishes it or listens for it. */
export function adopt(context: NodePlace, use: Use): NodeState {
	const key = keyOf(context, use);
	const node = nodeOf(context, use);
	visited.delete(key);
	own.set(key, node);
	return node;
}

/** Forgets a node, its secrets and its deliveries. */
export function forget(context: NodePlace, use: Use): void {
	own.delete(keyOf(context, use));
	visited.delete(keyOf(context, use));
}

const runningDeletions = new Map<string, RunningDeletions>();

/** Keeps track of the deletions of an unpublished node until they have ended. */
export function keepDeletions(context: NodePlace, use: Use, deletions: RunningDeletions): void {
	const key = keyOf(context, use);
	runningDeletions.set(key, deletions);
	void deletions.done.finally(() => {
		if (runningDeletions.get(key) === deletions) runningDeletions.delete(key);
	});
}

/**
 * Ends the deletions of a node before it subscribes again: a service may give the new subscription the same id.
 *
 * @returns the ids that the service may still delete, as the answer to a deletion did not come
 */
export async function stopDeletions(context: NodePlace, use: Use): Promise<readonly string[]> {
	const deletions = runningDeletions.get(keyOf(context, use));
	deletions?.stop();
	return (await deletions?.done) ?? [];
}

/**
 * The use that a lifecycle hook is called for. The mode does not show it: n8n ends a test with the mode in which it
 * unpublishes. The hook's own webhook address does.
 */
export function useAt(context: NodePlace, address: string): Use {
	if (context.getMode() === 'manual') return 'test';
	if (own.get(keyOf(context, 'test'))?.set.address === address) return 'test';
	const production = own.get(keyOf(context, 'production'))?.set.address;
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
