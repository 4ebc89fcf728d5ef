import type { IWorkflowMetadata, INode, WorkflowExecuteMode } from 'n8n-workflow';
import { BoundedMap } from '../model/boundedMap';
import { NO_SUBSCRIPTIONS, type KeptSubscriptions } from '../model/subscription';
import type { Delivery } from './repetition';
import { noWarnings, type WarningSlot } from './warning';

/** The time in which records may have been missed, still to be looked at. */
export interface PendingCatchUp {
	/** The time by the service's clock, in ms since the epoch; the end belongs to it. */
	after: number;
	upTo: number;
	triesLeft: number;
	/** ms since the epoch by the local clock. */
	notBefore: number;
}

/** A subscription that could not be renewed when n8n started, or that has been silent for long. */
export interface PendingRenewal {
	targetUrl: string;
	/** ms since the epoch by the local clock. */
	notBefore: number;
	/** Whether the one that there is will not do; else it may well be alive. */
	isUrgent: boolean;
}

/** What a subscription is for. */
export interface SubscriptionRequest {
	targetUrl: string;
	events: string[];
	cardId: string | null;
}

/**
 * What this process knows about one trigger node. n8n saves static data as a whole object, the last
 * writer wins, so an execution that ran long can bring back an old secret; what is here stays.
 */
export interface TriggerMemory {
	kept: KeptSubscriptions;
	/** Deliveries of late, by their keys. */
	deliveries: BoundedMap<string, Delivery>;
	/** A flood of one kind does not hide the others. */
	warnings: Record<'refused' | 'leftOut' | 'watchFields' | 'upkeep', WarningSlot>;
	/** A subscription that is still to be renewed. */
	renewal: PendingRenewal | undefined;
	/** When the current subscription last gave a sign of life, in ms since the epoch by the local clock. */
	aliveAt: number;
	catchUp: PendingCatchUp | undefined;
	/** The last task that had to run alone. */
	turn: Promise<unknown>;
}

/** Enough to tell all retries that a service still holds; a key and a flag each. */
const MAX_DELIVERIES = 10_000;
const MAX_NODES = 1_000;

const memories = new BoundedMap<string, TriggerMemory>(MAX_NODES);

/** What every context of n8n can tell about where it is. */
export interface NodePlace {
	getNode(): INode;
	getWorkflow(): IWorkflowMetadata;
	getMode(): WorkflowExecuteMode;
}

/** The memory of a node; test runs have one of their own. */
export function memoryOf(context: NodePlace): TriggerMemory {
	const use = context.getMode() === 'manual' ? 'test' : 'production';
	const key = `${use} ${context.getWorkflow().id} ${context.getNode().id}`;
	return memories.getOrCreate(key, () => ({
		kept: NO_SUBSCRIPTIONS,
		deliveries: new BoundedMap(MAX_DELIVERIES),
		warnings: {
			refused: noWarnings(),
			leftOut: noWarnings(),
			watchFields: noWarnings(),
			upkeep: noWarnings(),
		},
		renewal: undefined,
		aliveAt: Date.now(),
		catchUp: undefined,
		turn: Promise.resolve(),
	}));
}

/** Runs a task after all earlier ones of the node in this process. */
export async function inTurn<T>(memory: TriggerMemory, task: () => Promise<T>): Promise<T> {
	const result = memory.turn.then(task, task);
	memory.turn = result;
	return await result;
}
