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

/** The saved subscriptions of a node. */
export interface Store {
	/** Whether anything was ever saved of this node, as far as its context shows. */
	hasAny(): boolean;
	/**
	 * The saved subscriptions; in deliveries and executions as n8n has just read them from its database. A
	 * secret whose seal cannot be opened, because the credential has changed, is empty.
	 */
	read(): Promise<StoredSubscriptions>;
	/**
	 * Has n8n save subscriptions: after a lifecycle hook or a delivery at once, after an execution when that
	 * ends. n8n writes all static data of the workflow as this context has them. Where the credential cannot be
	 * read, secrets keep the seals that they have.
	 */
	write(subscriptions: StoredSubscriptions): Promise<void>;
	/** Whether writing these would change nothing: they are saved, sealed with the current credential. */
	holds(subscriptions: StoredSubscriptions): Promise<boolean>;
	/** The secret of the credential, with which they are sealed; undefined where it cannot be read. */
	ownSecret(): Promise<string | undefined>;
}

/** Opens the static data of a node. @param authentication undefined where no secret is needed */
export function openStore(context: StorePlace, authentication: Authentication | undefined): Store {
	const data = () => context.getWorkflowStaticData('node');
	const ownSecret = async () =>
		authentication && (await readOwnSecret(context, authentication).catch(() => undefined));
	async function textOf(subscriptions: StoredSubscriptions): Promise<string> {
		const key = await ownSecret();
		return sealSubscriptions(subscriptions, (secret) => sealOnce(secret, key));
	}
	return {
		ownSecret,
		hasAny: () => typeof data()[KEY] === 'string',
		async read() {
			const text = data()[KEY];
			const closed = sealsIn(text).filter((sealed) => opened.get(sealed) === undefined);
			const key = closed.length > 0 ? await ownSecret() : undefined;
			if (key !== undefined) for (const sealed of closed) open(sealed, key);
			return readSubscriptions(text, (sealed) => opened.get(sealed));
		},
		async write(subscriptions) {
			data()[KEY] = await textOf(subscriptions);
		},
		holds: async (subscriptions) => data()[KEY] === (await textOf(subscriptions)),
	};
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64');

function open(sealed: string, key: string): void {
	const secret = unseal(sealed, key);
	if (secret === undefined) return;
	opened.set(sealed, secret);
	seals.set(digest(secret), { sealed, key: digest(key) });
}

function sealOnce(secret: string, key: string | undefined): string | undefined {
	const name = digest(secret);
	const last = seals.get(name);
	if (key === undefined || last?.key === digest(key)) return last?.sealed;
	const sealed = seal(secret, key);
	seals.set(name, { sealed, key: digest(key) });
	opened.set(sealed, secret);
	return sealed;
}
