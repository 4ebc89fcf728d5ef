/** Ends subscriptions at the service: replaced ones, and in `webhookMethods.delete` those of an unpublished workflow. */
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import type { Effect } from '../../model/subscription/eventsAndEffects';
import { stored as savedPart } from '../../model/subscription/merge';
import type { RetiredSubscription } from '../../model/subscription/stored';
import { openApi, type WorkspaceApi } from '../../transport/api';
import type { Authentication } from '../../transport/auth/credential';
import { Cancelled } from '../../transport/failure/failures';
import { type Clock, systemClock, wait } from '../../transport/http/clock';
import { reasonOf, warn } from '../log';
import { readAuthentication } from '../parameters';
import { forget, keepDeletions, nodeOf, type NodeState, useAt } from './nodeState';
import { deleteSubscription, type NewSubscription } from './subscriptionApi';
import { openStore } from './storage';

export type LifecycleContext = IHookFunctions | ITriggerFunctions;

/** The subscriptions that effects delete. */
export const deletedBy = (effects: readonly Effect[]): RetiredSubscription[] =>
	effects.flatMap((effect) => (effect.type === 'delete' ? effect.subscriptions : []));

/**
 * Deletes subscriptions side by side, and dispatches which ones are gone.
 *
 * @param how whether to wait for the rate limit and to try again after a fault
 */
export async function deleteAll(
	context: LifecycleContext,
	node: NodeState,
	api: WorkspaceApi,
	subscriptions: readonly RetiredSubscription[],
	clock: Clock,
	how: 'patient' | 'impatient' = 'impatient',
): Promise<void> {
	await Promise.all(
		subscriptions.map(async (subscription) => {
			const ids = [subscription.id];
			try {
				await deleteSubscription(api, subscription, how);
				node.dispatch({ type: 'deleted', ids });
			} catch (error) {
				node.dispatch({ type: 'notDeleted', ids, now: clock.now() });
				const isStopped = error instanceof Cancelled;
				const reason = isStopped ? 'the workflow is published again' : reasonOf(error);
				warn(context, `Subscription ${subscription.id} could not be deleted yet: ${reason}`);
			}
		}),
	);
}

/** Names in the log what nothing more is done about. */
export function logLeftBehind(
	context: LifecycleContext,
	{ subscriptions }: { subscriptions: readonly RetiredSubscription[] },
): void {
	const ids = subscriptions.map(({ id }) => id).join(', ');
	warn(
		context,
		`Subscriptions ${ids} still exist at the service and will not be tried again: delete them there`,
	);
}

/** As `deleteAll`, with the node's credential; never throws. @param onOpen gets the service once it is open */
export async function deleteWith(
	context: LifecycleContext,
	node: NodeState,
	authentication: Authentication,
	subscriptions: readonly RetiredSubscription[],
	clock: Clock,
	how: 'patient' | 'impatient' = 'impatient',
	onOpen: (api: WorkspaceApi) => void = () => {},
): Promise<void> {
	if (subscriptions.length === 0) return;
	try {
		const api = await openApi(context, authentication, clock);
		onOpen(api);
		await deleteAll(context, node, api, subscriptions, clock, how);
	} catch (error) {
		const ids = subscriptions.map(({ id }) => id);
		node.dispatch({ type: 'notDeleted', ids, now: clock.now() });
		warn(context, `Subscriptions ${ids.join(', ')} could not be deleted yet: ${reasonOf(error)}`);
	}
}

/** Deletes a subscription that nobody wants any more. */
export async function discard(
	context: LifecycleContext,
	node: NodeState,
	api: WorkspaceApi,
	made: NewSubscription,
): Promise<void> {
	// A service may give the same one twice for one address: then it is the node's by now.
	if (node.set.current?.id === made.id) return;
	await deleteSubscription(api, made, 'patient').catch((error: unknown) =>
		warn(context, `Subscription ${made.id} still exists at the service: ${reasonOf(error)}`),
	);
}

/** n8n waits for this hook, so it does not wait longer for deletions, in ms; they continue meanwhile. */
const WAIT_MS = 9_000;

/** Waits for a task, but not longer than so many ms. The task itself continues. @returns whether it ended */
async function within(ms: number, task: Promise<void>, clock: Clock): Promise<boolean> {
	const done = new AbortController();
	try {
		const ended = task.then(() => true);
		const late = wait(ms, clock, done.signal).then(() => false);
		late.catch(() => undefined);
		return await Promise.race([ended, late]);
	} finally {
		done.abort();
	}
}

/**
 * Ends the subscriptions that deliver to this very address, so that the end of a test does not touch the
 * published workflow, and a copy of n8n does not touch the original. Never throws and never takes long: what takes
 * longer continues while this process runs, and is saved, to be tried again when the workflow is published.
 */
export async function deactivate(
	context: IHookFunctions,
	clock: Clock = systemClock,
): Promise<boolean> {
	const address = context.getNodeWebhookUrl('default') ?? '';
	const use = useAt(context, address);
	const node = nodeOf(context, use);
	node.epoch += 1;
	const authentication = readAuthentication(context);
	const store = openStore(context, authentication);
	const stored = await store.read();
	const now = clock.now();
	node.dispatch({ type: 'started', address, stored, byPerson: true, overlapMs: Infinity, now });
	const subscriptions = deletedBy(node.dispatch({ type: 'unpublished', now }));
	const remaining = (): string[] => {
		const { retired } = node.set;
		return subscriptions.map(({ id }) => id).filter((id) => retired.some((one) => one.id === id));
	};
	if (authentication !== undefined) {
		let stop = () => {};
		const deletion = deleteWith(
			context,
			node,
			authentication,
			subscriptions,
			clock,
			'patient',
			(api) => (stop = api.stop),
		);
		keepDeletions(context, use, { stop: () => stop(), done: deletion.then(remaining) });
		if (!(await within(WAIT_MS, deletion, clock))) {
			warn(
				context,
				'Deleting the subscription is taking longer than expected; it continues in the background',
			);
		}
	}
	await store.write(savedPart(node.set));
	forget(context, use);
	return remaining().length === 0;
}
