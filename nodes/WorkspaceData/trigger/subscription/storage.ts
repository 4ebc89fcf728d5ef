/** The subscriptions of a node in n8n's static data, with sealed secrets. */
import type { IAllExecuteFunctions, IDataObject } from 'n8n-workflow';
import {
	readSaved,
	type Saved,
	sealSaved,
	type Subscription,
	subscriptionsIn,
} from '../../model/subscription/saved';
import { seal, unseal } from '../../model/subscription/seal';
import { type Authentication, readOwnSecret } from '../../transport/auth/credential';
import type { TriggerNode } from './node';

/** A context with the static data of its node. */
export type StorePlace = IAllExecuteFunctions & {
	getWorkflowStaticData(type: string): IDataObject;
};

/** The key in the node's static data. */
const KEY = 'subscriptions';

/** The secret of the credential that seals them; undefined if it can't be read. */
export const sealingSecret = async (
	context: StorePlace,
	authentication: Authentication,
): Promise<string | undefined> =>
	await readOwnSecret(context, authentication).catch(() => undefined);

const textIn = (context: StorePlace): unknown => context.getWorkflowStaticData('node')[KEY];

/**
 * Reads the saved subscriptions without their secrets. In deliveries and executions, n8n has just read them
 * from its database.
 */
export const readSealed = (context: StorePlace): Saved => readSaved(textIn(context));

/**
 * Reads the saved subscriptions, once for each text, so that a delivery reads no credential. A secret is
 * empty if its seal can't be opened because the credential has changed.
 */
export async function readStored(
	context: StorePlace,
	node: TriggerNode,
	authentication: Authentication,
): Promise<Saved> {
	const text = textIn(context);
	if (text === node.read.text) return node.read.saved;
	const key = await sealingSecret(context, authentication);
	const saved = readSaved(text, (sealed) => key && unseal(sealed, key));
	if (subscriptionsIn(saved).every(({ secret }) => secret !== '')) node.read = { text, saved };
	return saved;
}

/**
 * Makes n8n save subscriptions: after a lifecycle hook or a delivery at once, after an execution when it
 * ends. n8n writes all static data of the workflow from this context. If the credential can't be read,
 * secrets keep their seals.
 */
export async function writeStored(
	context: StorePlace,
	authentication: Authentication,
	saved: Saved,
): Promise<void> {
	writeSealed(context, sealedText(saved, await sealingSecret(context, authentication)));
}

export function writeSealed(context: StorePlace, text: string): void {
	context.getWorkflowStaticData('node')[KEY] = text;
}

/** The saved subscriptions as one text, which shows no secret. @param key undefined if it can't be read */
export const sealedText = (saved: Saved, key: string | undefined): string =>
	sealSaved(saved, (one) => sealOf(one, key));

/** The seal of a secret. It keeps its own if the secret isn't known, or the credential isn't readable. */
const sealOf = ({ secret, sealed }: Subscription, key: string | undefined): string | undefined =>
	key === undefined || secret === '' ? sealed : seal(secret, key);
