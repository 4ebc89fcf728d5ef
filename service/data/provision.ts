/** Makes what the options ask for exist: workspace, API key, service account. */
import { newId, newSecret } from '../foundation/secrets.ts';
import type { WorkspaceData } from './workspaceData.ts';

type Stored = Pick<WorkspaceData, 'database' | 'identities'>;

/** The access that the options name; the rest is made. */
export interface Wanted {
	/** Identifier of the workspace; that of the file or a new one where it is missing. */
	workspaceId?: string;
	/** An API key that is to be valid, even if it was revoked; a new one where it is missing. */
	apiKey?: string;
	/** Client id of an account that is to be active, even if it was revoked; a new one where missing. */
	clientId?: string;
	/** Its secret; a new one where it is missing. */
	clientSecret?: string;
	/** Who hears about paused subscriptions; used when the workspace is created. */
	ownerEmail?: string;
}

/** The values that open the service. */
export type Access = Required<Omit<Wanted, 'ownerEmail'>>;

/** The workspace of the options, or the first of the file; a new one where there is none. */
function provideWorkspace({ database, identities }: Stored, options: Wanted): string {
	const { workspaceId, ownerEmail = 'owner@example.com' } = options;
	const first = database.meta('defaultWorkspace');
	const known = identities.workspace(workspaceId ?? first ?? '');
	if (known) return known.id;
	const { id } = identities.createWorkspace('Demo workspace', ownerEmail, workspaceId);
	if (first === undefined) database.setMeta('defaultWorkspace', id);
	return id;
}

/** Makes the default key active and revokes the earlier one. */
function provideKey({ database, identities }: Stored, workspaceId: string, given?: string): string {
	const restored = given !== undefined && identities.restoreKey(workspaceId, given);
	const apiKey = restored ? given : identities.createKey(workspaceId, 'Default key', given).apiKey;
	const id = identities.findKey(apiKey)?.id ?? '';
	const earlier = database.meta('defaultKey');
	if (earlier !== undefined && earlier !== id) identities.revokeKey(earlier);
	database.setMeta('defaultKey', id);
	return apiKey;
}

/** Makes the default account active and revokes the earlier one. */
function provideAccount(
	{ database, identities }: Stored,
	workspaceId: string,
	given: Pick<Wanted, 'clientId' | 'clientSecret'>,
) {
	const account = given.clientId === undefined ? undefined : identities.account(given.clientId);
	const { clientId = newId('sa'), clientSecret = newSecret() } = given;
	const added = { name: 'Default account', role: 'editor', clientId, clientSecret } as const;
	if (account) identities.restoreAccount(workspaceId, clientId, clientSecret);
	else identities.createAccount(workspaceId, added);
	const earlier = database.meta('defaultAccount');
	if (earlier !== undefined && earlier !== clientId) identities.revokeAccount(earlier);
	database.setMeta('defaultAccount', clientId);
	return { clientId, clientSecret };
}

/** Makes what the options ask for exist, in one transaction; ends earlier default ones. */
export function provision(store: Stored, options: Wanted): Access {
	return store.database.transaction(() => {
		const workspaceId = provideWorkspace(store, options);
		const apiKey = provideKey(store, workspaceId, options.apiKey);
		return { workspaceId, apiKey, ...provideAccount(store, workspaceId, options) };
	});
}
