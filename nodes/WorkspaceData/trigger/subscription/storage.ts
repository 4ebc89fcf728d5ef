/** The subscriptions of a node in n8n's static data, with sealed secrets. */
import type { IAllExecuteFunctions, IHookFunctions } from 'n8n-workflow';
import { readSaved, type Saved, sealSaved, subscriptionsIn } from '../../model/subscription/saved';
import { readOwnSecret } from '../../transport/auth/credential';
import { readAuthentication } from '../parameters';
import type { TriggerNode } from './node';

/** A context with the static data of its node. */
type StorePlace = IAllExecuteFunctions & Pick<IHookFunctions, 'getWorkflowStaticData'>;

/** The key in the node's static data. */
const KEY = 'subscriptions';

/** The secret of the credential that seals them; undefined if it can't be read. */
export const sealingSecret = async (context: StorePlace): Promise<string | undefined> =>
	await readOwnSecret(context, readAuthentication(context)).catch(() => undefined);

/**
 * Reads the saved subscriptions without their secrets. In deliveries and executions, n8n has just read them
 * from its database.
 */
export const readSealed = (context: StorePlace): Saved =>
	readSaved(context.getWorkflowStaticData('node')[KEY]);

/**
 * Reads the saved subscriptions, once for each text, so that a delivery reads no credential. A secret is
 * empty if its seal can't be opened because the credential has changed.
 */
export async function readStored(context: StorePlace, node: TriggerNode): Promise<Saved> {
	const text: unknown = context.getWorkflowStaticData('node')[KEY];
	if (text === node.read.text) return node.read.saved;
	const saved = readSaved(text, await sealingSecret(context));
	if (subscriptionsIn(saved).every(({ secret }) => secret !== '')) node.read = { text, saved };
	return saved;
}

/**
 * Makes n8n save subscriptions: after a lifecycle hook or a delivery at once, after an execution when it
 * ends. n8n writes all static data of the workflow from this context.
 */
export async function writeStored(context: StorePlace, saved: Saved): Promise<void> {
	writeSealed(context, sealSaved(saved, await sealingSecret(context)));
}

/** The same for a text, which shows no secret. */
export function writeSealed(context: StorePlace, text: string): void {
	context.getWorkflowStaticData('node')[KEY] = text;
}
