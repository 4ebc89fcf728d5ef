import type { CredentialReference, JsonObject, N8nClient } from './n8nClient.ts';
import type { ServiceAccess } from './serviceProcess.ts';

/** The names of our credential types. */
export type CredentialType = 'workspaceDataApi' | 'workspaceDataServiceAccountApi';

/** One stored credential of each type. */
export type CredentialReferences = Record<CredentialType, CredentialReference>;

/** The names of the credentials in the example workflows. */
export const credentialNames: Record<CredentialType, string> = {
	workspaceDataApi: 'Workspace Data (API key)',
	workspaceDataServiceAccountApi: 'Workspace Data (service account)',
};

/** The entries of each credential for a service, as a user would type them. */
export function credentialData(
	service: ServiceAccess & { settingsUrl?: string },
): Record<CredentialType, JsonObject> {
	const { baseUrl, workspaceId, apiKey, authUrl, realm, clientId, clientSecret } = service;
	const webUrl = service.settingsUrl === undefined ? '' : `${service.settingsUrl}/records/{card}`;
	return {
		workspaceDataApi: { baseUrl, workspaceId, apiKey, webUrl },
		workspaceDataServiceAccountApi: {
			baseUrl,
			workspaceId,
			authUrl,
			realm,
			clientId,
			clientSecret,
			webUrl,
		},
	};
}

/**
 * Stores both credentials in n8n, or brings the stored ones up to date.
 *
 * @param owner added to their names, where several services share an n8n
 */
export async function storeCredentials(
	client: N8nClient,
	service: ServiceAccess & { settingsUrl?: string },
	owner = '',
): Promise<CredentialReferences> {
	const stored = await client.credentials();
	const data = credentialData(service);
	async function store(type: CredentialType): Promise<CredentialReference> {
		const name = `${credentialNames[type]}${owner}`;
		const known = stored.find((one) => one.type === type && one.name === name);
		if (known === undefined) return await client.createCredential(name, type, data[type]);
		await client.updateCredential(known.id, name, type, data[type]);
		return { id: known.id, name };
	}
	return {
		workspaceDataApi: await store('workspaceDataApi'),
		workspaceDataServiceAccountApi: await store('workspaceDataServiceAccountApi'),
	};
}
