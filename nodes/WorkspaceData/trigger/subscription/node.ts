/** Keeps what this process knows about each trigger node. */
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../model/boundedMap';
import { createKeyedQueue } from '../../model/keyedQueue';
import {
	type Effect,
	INITIAL,
	type Outcome,
	type Search,
	type SubscriptionState,
} from '../../model/subscription/reducer';
import { NOTHING_SAVED, type Saved } from '../../model/subscription/saved';
import { Duplicates } from '../delivery/duplicates';
import type { Clock } from '../../transport/http/clock';
import { type LogPlace, warn } from '../log';
import type { TriggerSettings } from '../parameters';

export type LifecycleContext = IHookFunctions | ITriggerFunctions;

/** What is needed to work on a trigger node. */
export interface Site<Context = LifecycleContext, Settings = TriggerSettings> {
	context: Context;
	node: TriggerNode;
	settings: Settings;
	clock: Clock;
}

/** The same for a workflow that is to be unpublished, whose other parameters needn't be valid. */
export type BareSite = Site<LifecycleContext, Pick<TriggerSettings, 'authentication'>>;

/**
 * The state of a trigger node in this process. n8n saves static data as a whole object and the last writer
 * wins, so a long execution can restore an old secret. This state isn't affected.
 */
export class TriggerNode {
	state: SubscriptionState = INITIAL;
	/** The last text in static data whose seals could be opened, and what it says. */
	read: { text: unknown; saved: Saved } = { text: undefined, saved: NOTHING_SAVED };
	/** Counts publishing and unpublishing, so that work from before either can be recognized and dropped. */
	epoch = 0;
	readonly deliveries = new Duplicates();
	/** The fingerprint of the credential (empty if it couldn't be read), and when it was last compared. */
	credential = { fingerprint: '', checkedAt: -Infinity };
	/** The nonce of the last probe to which this process responded. */
	answered: string | undefined;
	/** The last warnings in the log, by kind, and how many were left out since. */
	private readonly warnings = new Map<string, { at: number; leftOut: number }>();
	/** The next search for missed records, which hasn't started. */
	search: { search: Search; triesLeft: number; notBefore: number } | undefined;
	/**
	 * The deletions of the unpublished workflow. `stop` sends no more of them; `done` resolves when none is
	 * in progress.
	 */
	ending = { stop: () => {}, done: Promise.resolve() };

	/** Applies what happened, by a function of the reducer. @returns the next tasks */
	dispatch<Given>(
		change: (state: SubscriptionState, given: Given) => Outcome,
		given: Given,
	): Effect[] {
		const { state, effects } = change(this.state, given);
		this.state = state;
		return effects;
	}

	/**
	 * Writes a warning to n8n's log. Later ones of the same kind are only counted for a while, so that many of
	 * one kind don't hide the others.
	 *
	 * @param intervalMs the min time between two lines of a kind
	 */
	warn(
		{ context, clock }: { context: LogPlace; clock: Clock },
		kind: string,
		message: string,
		intervalMs = 60_000,
	): void {
		const last = this.warnings.get(kind) ?? { at: -Infinity, leftOut: 0 };
		const sinceMs = clock.now() - last.at;
		// A clock that was set back must not silence the log.
		if (sinceMs >= 0 && sinceMs < intervalMs) {
			last.leftOut += 1;
			return;
		}
		const more = last.leftOut > 0 ? ` (and ${last.leftOut} more since the last warning)` : '';
		this.warnings.set(kind, { at: clock.now(), leftOut: 0 });
		warn(context, `${message}${more}`);
	}
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

const queue = createKeyedQueue();

/**
 * Runs a task after all earlier ones of the same kind and workflow in this process. Otherwise, overlapping
 * executions would each save the workflow's static data, or n8n's memory for duplicates, as they found it.
 */
export const inOrder = async <T>(
	context: NodePlace,
	kind: 'save' | 'memory',
	task: () => Promise<T>,
): Promise<T> => await queue(`${kind} ${context.getWorkflow().id}`, task);
