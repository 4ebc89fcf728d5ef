/** The two credential types, and how to read the node's credential. */
import { createHash } from 'node:crypto';
import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { InputError } from '../values/inputError';
import { plainText } from '../values/parameterValue';
import { parseBaseUrl } from './serviceUrl';

/** The values of the parameter 'authentication', with the credential type of each. */
export const CREDENTIAL_TYPES = {
	apiKey: 'workspaceDataApi',
	serviceAccount: 'workspaceDataServiceAccountApi',
} as const;

export type Authentication = keyof typeof CREDENTIAL_TYPES;

/** Checks the value of `authentication`, because saved workflows may hold any value. @throws InputError */
export function toAuthentication(value: unknown): Authentication {
	if (value === 'apiKey' || value === 'serviceAccount') return value;
	throw new InputError(
		`'Authentication' can't be '${plainText(value)}'`,
		'Select API Key or Service Account.',
	);
}

/** Reads the node's credential. @throws NodeOperationError of n8n if the node has none of this type */
export const readCredential = async (
	context: IAllExecuteFunctions,
	authentication: Authentication,
): Promise<ICredentialDataDecryptedObject> =>
	await context.getCredentials(CREDENTIAL_TYPES[authentication]);

/** An entry of a credential as text, without outer spaces. */
export const entryText = (value: unknown): string =>
	typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';

/** The API key, without a 'Bearer ' that was pasted with it. @throws InputError if it can't be sent */
export function apiKeyOf({ apiKey }: ICredentialDataDecryptedObject): string {
	const key = entryText(apiKey).replace(/^Bearer\s+/i, '');
	if (key === '') throw new InputError("'API Key' is empty", 'Enter the API key.');
	if (/^[\x21-\x7e]+$/.test(key)) return key;
	throw new InputError(
		"'API Key' has a space or a special character in it",
		'Enter the key alone.',
	);
}

/** A short text that identifies a credential without revealing it. */
export const fingerprintOf = (...parts: unknown[]): string =>
	createHash('sha256').update(JSON.stringify(parts)).digest('base64');

/**
 * Adds the token right before n8n sends a request, but only to the service itself; and the signal that ends the request,
 * which n8n doesn't forward.
 *
 * @throws InputError for a request to another address
 * @see RFC 6750, section 2.1; service interface, part 5
 */
export function authorize(
	credential: ICredentialDataDecryptedObject,
	// HTTP Request calls the address `uri`.
	options: IHttpRequestOptions & { uri?: string },
	token: string,
): IHttpRequestOptions {
	const { baseUrl, abortSignal } = credential as object as {
		baseUrl: unknown;
		abortSignal?: AbortSignal;
	};
	const service = new URL(parseBaseUrl(baseUrl)).origin;
	const { origin } = new URL(options.url ?? options.uri, options.baseURL);
	if (origin !== service) {
		throw new InputError(
			`This credential is only for ${service}, not for ${origin}`,
			"It is sent to the server in 'Base URL' and to no other. Select another credential for this address.",
		);
	}
	const headers = { ...options.headers, Authorization: `Bearer ${token}` };
	const own = abortSignal && { abortSignal };
	return { ...options, ...own, headers, sendCredentialsOnCrossOriginRedirect: false };
}
