/** The two credential types, and the entries of the node's credential. */
import { createHash } from 'node:crypto';
import type { IAllExecuteFunctions, ICredentialDataDecryptedObject } from 'n8n-workflow';
import { InputError } from '../../model/inputError';
import { plainText } from '../../model/text';

/** The values of the parameter `authentication`, with the credential type of each. */
export const CREDENTIAL_TYPES = {
	apiKey: 'workspaceDataApi',
	serviceAccount: 'workspaceDataServiceAccountApi',
} as const;

export type Authentication = keyof typeof CREDENTIAL_TYPES;
export type CredentialType = (typeof CREDENTIAL_TYPES)[Authentication];

/** How the editor calls the credential types. */
const TITLES = {
	workspaceDataApi: 'Workspace Data API',
	workspaceDataServiceAccountApi: 'Workspace Data Service Account API',
} as const;

/** The value of `authentication`; saved workflows may hold anything. @throws InputError */
export function toAuthentication(value: unknown): Authentication {
	if (value === 'apiKey' || value === 'serviceAccount') return value;
	throw new InputError(
		`'Authentication' can't be '${plainText(value)}'`,
		'Select API Key or Service Account.',
	);
}

/**
 * Reads the node's credential.
 *
 * @throws InputError when the node has none of this type
 */
export async function readCredential(
	context: IAllExecuteFunctions,
	type: keyof typeof TITLES,
): Promise<ICredentialDataDecryptedObject> {
	if (!context.getNode().credentials?.[type]) {
		throw new InputError(
			`No credential '${TITLES[type]}' is selected`,
			"Select one in 'Credential', or another kind under 'Authentication'.",
		);
	}
	return await context.getCredentials(type);
}

/** The text of an entry of a credential, without blanks and line ends that were pasted along. */
export const entryText = (entry: unknown): string => plainText(entry ?? '').trim();

/** The secret that only the node's credential holds. @throws InputError when the node has none */
export async function readOwnSecret(
	context: IAllExecuteFunctions,
	authentication: Authentication,
): Promise<string> {
	const credential = await readCredential(context, CREDENTIAL_TYPES[authentication]);
	return entryText(authentication === 'apiKey' ? credential.apiKey : credential.clientSecret);
}

/** A short text that differs between credentials, and does not show them. */
export const fingerprintOf = (credential: ICredentialDataDecryptedObject): string =>
	createHash('sha256').update(JSON.stringify(credential)).digest('base64');

/** The fingerprint of the node's credential. @throws InputError when the node has none */
export async function credentialFingerprint(
	context: IAllExecuteFunctions,
	authentication: Authentication,
): Promise<string> {
	return fingerprintOf(await readCredential(context, CREDENTIAL_TYPES[authentication]));
}
