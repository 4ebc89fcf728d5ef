/** The subscriptions of a node in n8n's static data, with sealed secrets. */
import type { IAllExecuteFunctions, IDataObject } from 'n8n-workflow';
import { BoundedMap } from '../../model/boundedMap';
import {
	readSaved,
	type Saved,
	sealSaved,
	type Subscription,
	subscriptionsIn,
} from '../../model/subscription/saved';
import { seal, unseal } from '../../model/subscription/seal';
import { type Authentication, readOwnSecret } from '../../transport/auth/credential';

/** A context with the static data of its node. */
export type StorePlace = IAllExecuteFunctions & {
	getWorkflowStaticData(type: string): IDataObject;
};

/** The key in the node's static data. */
const KEY = 'subscriptions';

/** Secrets by their seals, so that a delivery reads no credential. Missing ones are opened again. */
const opened = new BoundedMap<string, string>(10_000);

/** The secret of the credential that seals them; undefined if it can't be read. */
export const sealingSecret = async (
	context: StorePlace,
	authentication: Authentication | undefined,
): Promise<string | undefined> =>
	authentication && (await readOwnSecret(context, authentication).catch(() => undefined));

/**
 * Reads the saved subscriptions. In deliveries and executions, n8n has just read them from its database. A
 * secret is empty if its seal can't be opened because the credential has changed.
 *
 * @param authentication undefined if no secret is needed
 */
export async function readStored(
	context: StorePlace,
	authentication?: Authentication,
): Promise<Saved> {
	const text = context.getWorkflowStaticData('node')[KEY];
	const saved = readSaved(text, (sealed) => opened.get(sealed));
	const isClosed = ({ secret, sealed }: Subscription) => secret === '' && sealed !== undefined;
	if (!subscriptionsIn(saved).some(isClosed)) return saved;
	const key = await sealingSecret(context, authentication);
	return key === undefined ? saved : readSaved(text, (sealed) => open(sealed, key));
}

/**
 * Makes n8n save subscriptions: after a lifecycle hook or a delivery at once, after an execution when it
 * ends. n8n writes all static data of the workflow from this context. If the credential can't be read,
 * secrets keep their seals.
 */
export async function writeStored(
	context: StorePlace,
	authentication: Authentication | undefined,
	saved: Saved,
): Promise<void> {
	const text = sealedText(saved, await sealingSecret(context, authentication));
	context.getWorkflowStaticData('node')[KEY] = text;
}

/** The saved subscriptions as one text, which shows no secret. @param key undefined if it can't be read */
export const sealedText = (saved: Saved, key: string | undefined): string =>
	sealSaved(saved, (one) => sealOf(one, key));

function open(sealed: string, key: string): string | undefined {
	const secret = opened.get(sealed) ?? unseal(sealed, key);
	if (secret !== undefined) opened.set(sealed, secret);
	return secret;
}

/** The seal of a secret. It keeps its own if the secret isn't known, or the credential isn't readable. */
const sealOf = ({ secret, sealed }: Subscription, key: string | undefined): string | undefined =>
	key === undefined || secret === '' ? sealed : seal(secret, key);
