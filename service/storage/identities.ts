/** Who may call: workspaces, API keys and service accounts. */
import type { Clock } from '../foundation/clock.ts';
import { createAccountStore } from './accounts.ts';
import { createApiKeyStore } from './apiKeys.ts';
import type { Database } from './database.ts';
import { createWorkspaceStore } from './workspaces.ts';

/** Who may call: workspaces, API keys and service accounts. */
export type IdentityStore = ReturnType<typeof createIdentityStore>;

/** Puts the three together. */
export const createIdentityStore = (database: Database, clock: Clock) => ({
	...createWorkspaceStore(database, clock),
	...createApiKeyStore(database, clock),
	...createAccountStore(database, clock),
});
