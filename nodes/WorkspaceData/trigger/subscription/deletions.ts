/** Deletes subscriptions at the service: replaced ones, and those of an unpublished workflow. */
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import type { Effect } from '../../model/subscription/eventsAndEffects';
import type { RetiredSubscription } from '../../model/subscription/stored';
import { openSession, type Session } from '../../transport/session';
import type { Authentication } from '../../transport/auth/credential';
import { Cancelled } from '../../transport/failure/failures';
import type { Clock } from '../../transport/http/clock';
import { reasonOf, warn } from '../log';
import type { NodeState } from './nodeState';
import { deleteSubscription, type NewSubscription } from './subscriptionApi';

export type LifecycleContext = IHookFunctions | ITriggerFunctions;

/** The subscriptions that effects delete. */
export const deletedBy = (effects: readonly Effect[]): RetiredSubscription[] =>
	effects.flatMap((effect) => (effect.type === 'delete' ? effect.subscriptions : []));

/**
 * Deletes subscriptions side by side, and dispatches which ones are gone.
 *
 * @param how `patient` where the workflow is unpublished: waits for the rate limit and tries again after a fault, as nothing
 *   does so later
 */
export async function deleteAll(
	context: LifecycleContext,
	node: NodeState,
	session: Session,
	subscriptions: readonly RetiredSubscription[],
	clock: Clock,
	how: 'patient' | 'impatient' = 'impatient',
): Promise<void> {
	await Promise.all(
		subscriptions.map(async (subscription) => {
			const ids = [subscription.id];
			try {
				await deleteSubscription(session, subscription, how);
				node.dispatch({ type: 'deleted', ids });
			} catch (error) {
				node.dispatch({ type: 'notDeleted', ids, now: clock.now() });
				const isStopped = error instanceof Cancelled;
				const reason = isStopped ? 'the workflow is published again' : reasonOf(error);
				warn(
					context,
					how === 'impatient' || isStopped
						? `Subscription ${subscription.id} could not be deleted yet: ${reason}`
						: `Subscription ${subscription.id} could not be deleted: ${reason}. Delete it in the settings of the service, or publish the workflow again`,
				);
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
	onOpen: (session: Session) => void = () => {},
): Promise<void> {
	if (subscriptions.length === 0) return;
	try {
		const session = await openSession(context, authentication, clock);
		onOpen(session);
		await deleteAll(context, node, session, subscriptions, clock, how);
	} catch (error) {
		const ids = subscriptions.map(({ id }) => id);
		node.dispatch({ type: 'notDeleted', ids, now: clock.now() });
		const list = ids.join(', ');
		warn(
			context,
			how === 'impatient'
				? `Subscriptions ${list} could not be deleted yet: ${reasonOf(error)}`
				: `Subscriptions ${list} could not be deleted: ${reasonOf(error)}. Delete them in the settings of the service, or publish the workflow again`,
		);
	}
}

/** Deletes a subscription that nobody wants any more. */
export async function discard(
	context: LifecycleContext,
	node: NodeState,
	session: Session,
	made: NewSubscription,
): Promise<void> {
	// A service may give the same one twice for one address: then it is the node's by now.
	if (node.set.current?.id === made.id) return;
	await deleteSubscription(session, made, 'patient').catch((error: unknown) =>
		warn(context, `Subscription ${made.id} still exists at the service: ${reasonOf(error)}`),
	);
}
