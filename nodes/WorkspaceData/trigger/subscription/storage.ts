/** The subscriptions of a node in n8n's static data, with sealed secrets. */
import { createHash } from 'node:crypto';
import type { IAllExecuteFunctions, IDataObject } from 'n8n-workflow';
import { BoundedMap } from '../../model/boundedMap';
import { seal, unseal } from '../../model/subscription/seal';
import {
	readSubscriptions,
	sealsIn,
	sealSubscriptions,
	type StoredSubscriptions,
} from '../../model/subscription/stored';
import { type Authentication, readOwnSecret } from '../../transport/auth/credential';

/** A context with the static data of its node. */
export type StorePlace = IAllExecuteFunctions & {
	getWorkflowStaticData(type: string): IDataObject;
};

/** The key in the node's static data. */
const KEY = 'subscriptions';

/**
 * Secrets by their seals, so that a delivery reads no credential. A node has six subscriptions at most that
 * deliver; what is missing here is opened again.
 */
const opened = new BoundedMap<string, string>(10_000);
/** The last seal of each secret, and what it was sealed with: what has not changed is saved unchanged. */
const seals = new BoundedMap<string, { sealed: string; key: string }>(10_000);

/** Whether anything was ever saved of this node, as far as this context shows. */
export const hasStore = (context: StorePlace): boolean =>
	typeof context.getWorkflowStaticData('node')[KEY] === 'string';

/**
 * The saved subscriptions; in deliveries and executions as n8n has just read them from its database. A
 * secret whose seal cannot be opened, because the credential has changed, is empty.
 */
export async function readStore(
	context: StorePlace,
	authentication: Authentication | undefined,
): Promise<StoredSubscriptions> {
	const text = context.getWorkflowStaticData('node')[KEY];
	const closed = sealsIn(text).filter((sealed) => opened.get(sealed) === undefined);
	if (closed.length > 0) {
		const key = await ownSecret(context, authentication);
		for (const sealed of closed) {
			const secret = key === undefined ? undefined : unseal(sealed, key);
			if (secret === undefined || key === undefined) continue;
			opened.set(sealed, secret);
			seals.set(digest(secret), { sealed, key: digest(key) });
		}
	}
	return readSubscriptions(text, (sealed) => opened.get(sealed));
}

/**
 * Has n8n save subscriptions: after a lifecycle hook or a delivery at once, after an execution when that
 * ends. n8n writes all static data of the workflow as this context has them. Where the credential cannot be
 * read, secrets keep the seals that they have.
 */
export async function writeStore(
	context: StorePlace,
	authentication: Authentication | undefined,
	subscriptions: StoredSubscriptions,
): Promise<void> {
	const key = await ownSecret(context, authentication);
	const text = sealSubscriptions(subscriptions, (secret) => sealOnce(secret, key));
	context.getWorkflowStaticData('node')[KEY] = text;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64');

function sealOnce(secret: string, key: string | undefined): string | undefined {
	const name = digest(secret);
	const last = seals.get(name);
	if (key === undefined || last?.key === digest(key)) return last?.sealed;
	const sealed = seal(secret, key);
	seals.set(name, { sealed, key: digest(key) });
	opened.set(sealed, secret);
	return sealed;
}

/** The secret of the credential; undefined where it cannot be read. */
async function ownSecret(
	context: StorePlace,
	authentication: Authentication | undefined,
): Promise<string | undefined> {
	if (authentication === undefined) return undefined;
	return await readOwnSecret(context, authentication).catch(() => undefined);
}
