/** The execution that saves what the trigger knows. */
import type { IDataObject, IExecuteFunctions, IRun, ITriggerFunctions } from 'n8n-workflow';
import { z } from 'zod/v3';
import { seal, unseal } from '../../model/subscription/seal';
import {
	readSubscriptions,
	type RetiredSubscription,
	writeSubscriptions,
} from '../../model/subscription/stored';
import { readBack, stored } from '../../model/subscription/merge';
import { openSession } from '../../transport/session';
import type { Clock } from '../../transport/http/clock';
import { type Authentication, readOwnSecret } from '../../transport/auth/credential';
import { deleteSubscription } from './subscriptionApi';
import { reasonOf, warn } from '../log';
import { nodeOf, type NodeState } from './nodeState';
import { openStore } from './storage';

const EVENT = 'subscription_renewed';

const jobSchema = z.object({
	event: z.literal(EVENT),
	sealed: z.string(),
	/** Ids of subscriptions to delete. */
	deletes: z.array(z.string()).default([]),
	/** Whether the current one is known to work, so that all others may go. */
	isSettled: z.boolean().default(false),
});

/** Custom data by which an execution reports to the process that started it that n8n gave it no static data. */
const NO_STATIC_DATA = 'noStaticData';

/** Whether an execution that was to save said so. */
export const hadNoStaticData = (run: IRun | undefined): boolean =>
	run?.data?.resultData.metadata?.[NO_STATIC_DATA] === 'true';

/** A job to save subscriptions, as read from an item. */
export type SaveJob = z.infer<typeof jobSchema>;

/**
 * The item that starts an execution which saves the subscriptions that this process knows: an execution
 * has the workflow's static data as they are now, while those of a trigger are as they were when n8n
 * started. It may run in another process. Items are visible, so the subscriptions are sealed with a
 * secret that only the credential has.
 *
 * @param deletes ids of subscriptions to delete if the current one is found saved
 */
export async function saveJob(
	context: ITriggerFunctions,
	node: NodeState,
	authentication: Authentication,
	{ deletes, isSettled }: Pick<SaveJob, 'deletes' | 'isSettled'>,
): Promise<IDataObject> {
	const text = writeSubscriptions(stored(node.set));
	const sealed = seal(text, await readOwnSecret(context, authentication));
	return { event: EVENT, sealed, ...(deletes.length > 0 && { deletes, isSettled }) };
}

/** Such a job in an item; undefined for another item. */
export const readSaveJob = (json: unknown): SaveJob | undefined => jobSchema.safeParse(json).data;

/**
 * Saves the sealed subscriptions, unless newer ones are saved. Reading back comes first: a subscription
 * is deleted only where its successor is found saved, as an execution that ran long may have written
 * back an old copy meanwhile.
 *
 * @throws Error where they are not readable
 */
export async function carryOutSaveJob(
	context: IExecuteFunctions,
	authentication: Authentication,
	{ sealed, ...task }: SaveJob,
	clock: Clock,
): Promise<void> {
	const node = nodeOf(context, 'production');
	const store = openStore(context, authentication);
	const isElsewhere = node.set.address === undefined;
	// Seen in the workers of n8n 2.41; those of n8n 1 get static data, and know no custom data.
	if (isElsewhere && !store.hasAny() && 'customData' in context) {
		// To write would delete all that the workflow has saved.
		context.customData.set(NO_STATIC_DATA, 'true');
		return;
	}
	const text = unseal(sealed, await readOwnSecret(context, authentication));
	if (text === undefined) {
		throw new Error('The credential has changed since the subscription was renewed');
	}
	const ours = readSubscriptions(text);
	if (ours.current && !isElsewhere && node.set.current?.id === ours.current.id) {
		node.savedHere = ours.current.generation;
	}
	const saved = await store.read();
	const { toDelete, toSave } = readBack(ours, saved, task, clock.now());
	// Writing would drop a secret that this credential cannot unseal.
	if (toSave === saved) return;
	const gone =
		toDelete.length > 0 ? await deleteEach(context, authentication, toDelete, clock) : [];
	const retired = toSave.retired.filter(({ id }) => !gone.includes(id));
	const next = { ...toSave, retired };
	if (!(await store.holds(next))) await store.write(next);
}

/** Deletes subscriptions. @returns the ids of the subscriptions that are gone */
async function deleteEach(
	context: IExecuteFunctions,
	authentication: Authentication,
	subscriptions: readonly RetiredSubscription[],
	clock: Clock,
): Promise<string[]> {
	const session = await openSession(context, authentication, clock);
	const outcomes = await Promise.all(
		subscriptions.map(async (one) => {
			try {
				await deleteSubscription(session, one);
				return one.id;
			} catch (error) {
				warn(context, `Subscription ${one.id} could not be deleted yet: ${reasonOf(error)}`);
				return undefined;
			}
		}),
	);
	return outcomes.filter((id) => id !== undefined);
}
