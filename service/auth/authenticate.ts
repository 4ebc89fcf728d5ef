/** Who a request comes from. */
import type { Identities } from '../data/identities.ts';
import type { Role } from '../foundation/settings.ts';
import type { IdentityProvider } from './provider.ts';

/** Who a request comes from. An API key is anonymous; a service account has a name and a role. */
export interface Principal {
	kind: 'apiKey' | 'serviceAccount';
	/** ID of the key, client ID of the account: what rate limits are counted by. */
	id: string;
	workspaceId: string;
	role: Role;
}

/**
 * Finds out who a request comes from, or why that cannot be said: API keys first, then access tokens.
 * @param header its Authorization header
 * @see service interface, part 5; RFC 6750 section 2.1
 */
export async function authenticate(
	header: string | undefined,
	identities: Identities,
	provider: IdentityProvider,
): Promise<Principal | 'missing' | 'unknown'> {
	const value = /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
	if (value === undefined) return 'missing';
	const key = identities.findKey(value);
	if (key?.revokedAt === null) {
		return { kind: 'apiKey', id: key.id, workspaceId: key.workspaceId, role: 'editor' };
	}
	const clientId = key ? undefined : await provider.clientIdOf(value);
	const account = clientId === undefined ? undefined : identities.account(clientId);
	if (account?.revokedAt !== null) return 'unknown';
	const { workspaceId, role } = account;
	return { kind: 'serviceAccount', id: account.clientId, workspaceId, role };
}
