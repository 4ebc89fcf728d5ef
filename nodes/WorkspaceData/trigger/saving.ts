import type { IDataObject, IExecuteFunctions, ITriggerFunctions } from 'n8n-workflow';
import { z } from 'zod';
import { seal, unseal } from '../model/seal';
import { readSubscriptions, writeSubscriptions } from '../model/subscription';
import { readOwnSecret, type Authentication } from '../transport/credential';
import { saveIfNewer } from './keptSubscriptions';
import { memoryOf } from './memory';

const EVENT = 'subscription_renewed';

const orderSchema = z.object({ event: z.literal(EVENT), sealed: z.string() });

/**
 * The item that starts an execution which saves the subscriptions that this process keeps: an execution
 * has the static data of the workflow as they are, while those of a trigger are as they were when n8n
 * started. It may run in another process. Items are visible, so the subscriptions are sealed with what
 * only the credential knows.
 */
export async function saveOrder(
	context: ITriggerFunctions,
	authentication: Authentication,
): Promise<IDataObject> {
	const text = writeSubscriptions(memoryOf(context).kept);
	return { event: EVENT, sealed: seal(text, await readOwnSecret(context, authentication)) };
}

/** What is sealed in such an item; undefined for another one. */
export const readSaveOrder = (json: unknown): string | undefined =>
	orderSchema.safeParse(json).data?.sealed;

/** Saves the sealed subscriptions, unless newer ones are saved. @throws Error where they are not readable */
export async function saveSealed(
	context: IExecuteFunctions,
	authentication: Authentication,
	sealed: string,
): Promise<void> {
	const text = unseal(sealed, await readOwnSecret(context, authentication));
	if (text === undefined) {
		throw new Error('The credential was changed since the subscription was renewed');
	}
	saveIfNewer(context, readSubscriptions(text));
}
