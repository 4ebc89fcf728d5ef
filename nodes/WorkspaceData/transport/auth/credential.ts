/** The two credential types, and how to read the node's credential. */
import { createHash } from 'node:crypto';
import type { IAllExecuteFunctions, ICredentialDataDecryptedObject } from 'n8n-workflow';
import { InputError } from '../../values/inputError';
import { plainText } from '../../values/parameterValue';

/** The values of the parameter 'authentication', with the credential type of each. */
export const CREDENTIAL_TYPES = {
	apiKey: 'workspaceDataApi',
	serviceAccount: 'workspaceDataServiceAccountApi',
} as const;

export type Authentication = keyof typeof CREDENTIAL_TYPES;

/** The names of the credential types in the editor. */
const TITLES = {
	apiKey: 'Workspace Data API',
	serviceAccount: 'Workspace Data Service Account API',
} as const;

/** Checks the value of `authentication`, because saved workflows may hold any value. @throws InputError */
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
 * @throws InputError if the node has no credential of this type
 */
export async function readCredential(
	context: IAllExecuteFunctions,
	authentication: Authentication,
): Promise<ICredentialDataDecryptedObject> {
	const type = CREDENTIAL_TYPES[authentication];
	if (!context.getNode().credentials?.[type]) {
		throw new InputError(
			`No credential '${TITLES[authentication]}' is selected`,
			"Select one in 'Credential', or another kind under 'Authentication'.",
		);
	}
	return await context.getCredentials(type);
}

/** The text of a credential's entry, without spaces and line ends that were pasted with it. */
export const entryText = (entry: unknown): string => plainText(entry ?? '').trim();

/** Reads the secret that only the node's credential holds. @throws InputError if the node has none */
export async function readOwnSecret(
	context: IAllExecuteFunctions,
	authentication: Authentication,
): Promise<string> {
	return ownSecretOf(await readCredential(context, authentication), authentication);
}

/** The secret that only this credential holds. */
export const ownSecretOf = (
	credential: ICredentialDataDecryptedObject,
	authentication: Authentication,
): string => entryText(authentication === 'apiKey' ? credential.apiKey : credential.clientSecret);

/** A short text that identifies a credential without revealing it. */
export const fingerprintOf = (credential: ICredentialDataDecryptedObject): string =>
	createHash('sha256').update(JSON.stringify(credential)).digest('base64');
