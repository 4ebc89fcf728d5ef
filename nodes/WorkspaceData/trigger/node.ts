/** What this process knows about each trigger node, its static data, and its lines in n8n's log. */
import { randomUUID } from 'node:crypto';
import { deepCopy, type IAllExecuteFunctions, type IHookFunctions } from 'n8n-workflow';
import { BoundedMap } from '../values/boundedMap';
import { Deliveries } from './deliveries';
import type { TriggerSettings } from './settings';
import { newer, replace, type Saved, type Subscription } from './subscription';

/** The contexts of the hooks, of `trigger()` and of `webhook()`. */
export type NodeContext = IAllExecuteFunctions & Pick<IHookFunctions, 'getMode'>;

/** This process of n8n. A copy of the database runs in another one. */
export const PROCESS = randomUUID();

/** The time between two lines of a kind in the log, so that many don't hide the others, in ms. */
const LOG_INTERVAL_MS = 60_000;

/** A trigger node in this process. */
export class TriggerNode {
	/** The newest of what was read and written: an execution that ends late can write back old static data. */
	saved: Saved = { version: 0, previous: [] };
	/** n8n's webhook address; empty unless the workflow is published and this process called its hooks. */
	url = '';
	/** The parameters at that time; undefined if they couldn't be read. */
	settings: TriggerSettings | undefined;
	/** When the current subscription was made or has delivered. */
	aliveAt = 0;
	/** Why n8n's start made no subscription. */
	startFailure: string | undefined;
	/** How often a new subscription was refused since one is needed, and how many looks to wait. */
	retry = { failures: 0, looks: 0 };
	/** A creation that the service may have carried out without a word. */
	unclear: { error: unknown; at: number } | undefined;
	/** The service's time minus n8n's, in ms, and when it was learned. */
	serviceClock = { aheadMs: 0, learnedAt: -Infinity };
	/** When replaced subscriptions were last deleted. */
	deletedAt = -Infinity;
	readonly deliveries = new Deliveries();
	private readonly loggedAt = new BoundedMap<string, number>(100);

	/** Reads static data. */
	read(context: NodeContext): void {
		const stored = context.getWorkflowStaticData('node').subscriptions as Saved | undefined;
		// A copy: n8n's own object tells of each change.
		if (stored) this.saved = newer(this.saved, deepCopy(stored));
		const { current } = this.saved;
		if (!current || current.madeAt <= this.serviceClock.learnedAt) return;
		this.serviceClock = { aheadMs: current.since - current.madeAt, learnedAt: current.madeAt };
	}

	/** Writes static data, for n8n to save: after a hook, or after `emitError`. */
	write(context: NodeContext): void {
		this.saved = { ...this.saved, version: this.saved.version + 1 };
		context.getWorkflowStaticData('node').subscriptions = deepCopy(this.saved) as never;
	}

	/** A new subscription counts from now on. */
	adopt(made: Subscription): void {
		this.saved = replace(this.saved, made, made.madeAt);
		this.aliveAt = made.madeAt;
		this.startFailure = undefined;
		this.unclear = undefined;
	}

	/** Writes a line to n8n's log: one of a kind at a time. */
	log(context: NodeContext, message: string, kind = message): void {
		const now = Date.now();
		if (Math.abs(now - (this.loggedAt.get(kind) ?? -Infinity)) < LOG_INTERVAL_MS) return;
		this.loggedAt.set(kind, now);
		const { id: workflowId } = context.getWorkflow();
		context.logger.warn(`${context.getNode().name}: ${message}`, { workflowId });
	}
}

/** Published nodes are looked at every five minutes, so others are forgotten first. */
const nodes = new BoundedMap<string, TriggerNode>(10_000);

/** Two nodes of a workflow can have one ID, but not one webhook address. A test has an address of its own. */
const keyOf = (context: NodeContext, use: 'production' | 'test'): string => {
	const { id, name, webhookId } = context.getNode();
	return JSON.stringify([use, context.getWorkflow().id, id, webhookId ?? name]);
};

/** The node in this process; a new one if it isn't known. */
export const nodeOf = (context: NodeContext): TriggerNode => {
	const key = keyOf(context, context.getMode() === 'manual' ? 'test' : 'production');
	return nodes.getOrCreate(key, () => new TriggerNode());
};

/** The node whose webhook address n8n closes. n8n ends a test in the same mode as it unpublishes. */
export function closedNode(context: NodeContext, url: string): TriggerNode {
	const test = nodes.get(keyOf(context, 'test'));
	const production = nodes.get(keyOf(context, 'production'));
	if (test?.url === url) nodes.delete(keyOf(context, 'test'));
	return [test, production].find((one) => one?.url === url) ?? new TriggerNode();
}
