/** The subscriptions of a node in n8n's static data, and their secrets. */
import type { IAllExecuteFunctions, IHookFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../values/boundedMap';
import {
	readSaved,
	type Saved,
	type Subscription,
	withSeals,
} from '../../model/subscription/saved';
import { seal, unseal } from '../../model/subscription/seal';
import { readOwnSecret } from '../../transport/auth/credential';
import { readAuthentication } from '../parameters';

/** A context with the static data of its node. */
type StorePlace = IAllExecuteFunctions & Pick<IHookFunctions, 'getWorkflowStaticData'>;

/** The key in the node's static data. */
const KEY = 'subscriptions';

/**
 * The secrets that this process knows, by their seals: a delivery reads no credential, and counts while the credential
 * is changed. Six for each of the 10,000 nodes that are kept.
 */
const secrets = new BoundedMap<string, string>(60_000);

/** The secret of the credential that seals them; undefined if it can't be read. */
export const sealingSecret = async (context: IAllExecuteFunctions): Promise<string | undefined> =>
	await readOwnSecret(context, readAuthentication(context)).catch(() => undefined);

/** Seals a secret, which stays known here. */
export function sealSecret(secret: string, key: string): string {
	const sealed = seal(secret, key);
	secrets.set(sealed, secret);
	return sealed;
}

/** The secrets of subscriptions. Empty if a seal can't be opened because the credential has changed. */
export async function secretsOf(
	context: IAllExecuteFunctions,
	subscriptions: readonly Subscription[],
): Promise<string[]> {
	const isKnown = subscriptions.every(({ sealed }) => secrets.get(sealed) !== undefined);
	const key = isKnown ? undefined : await sealingSecret(context);
	return subscriptions.map(({ sealed }) => {
		const secret = secrets.get(sealed) ?? (key && unseal(sealed, key));
		if (secret) secrets.set(sealed, secret);
		return secret ?? '';
	});
}

/**
 * Returns the text to save. A seal stays if the secret isn't known, or if the credential opens it.
 *
 * @param key the secret of the credential; undefined if it can't be read
 */
export const textOf = (saved: Saved, key: string | undefined): string =>
	JSON.stringify(
		withSeals(saved, (sealed) => {
			const secret = secrets.get(sealed);
			if (key === undefined || !secret || unseal(sealed, key) === secret) return sealed;
			return sealSecret(secret, key);
		}),
	);

/** Reads the saved subscriptions. In deliveries and executions, n8n has just read them from its database. */
export const readStored = (context: StorePlace): Saved =>
	readSaved(context.getWorkflowStaticData('node')[KEY]);

/**
 * Makes n8n save subscriptions: after a lifecycle hook or a delivery at once, after an execution when it
 * ends. n8n writes all static data of the workflow from this context.
 */
export async function writeStored(context: StorePlace, saved: Saved): Promise<void> {
	writeText(context, textOf(saved, await sealingSecret(context)));
}

/** The same for a text. */
export function writeText(context: StorePlace, text: string): void {
	context.getWorkflowStaticData('node')[KEY] = text;
}
