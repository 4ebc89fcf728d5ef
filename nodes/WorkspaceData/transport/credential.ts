/** The two credential types: reads their entries and addresses, and removes their secrets from text. */
import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { InputError } from '../values/inputError';
import { plainText } from '../values/messageText';

/** The credential type by the value of the parameter 'authentication'. */
const TYPES = new Map<unknown, CredentialType>([
	['apiKey', 'workspaceDataApi'],
	['serviceAccount', 'workspaceDataServiceAccountApi'],
]);

type CredentialType = 'workspaceDataApi' | 'workspaceDataServiceAccountApi';

/** A credential that can be used. */
export interface NodeCredential {
	type: CredentialType;
	credential: ICredentialDataDecryptedObject;
	baseUrl: string;
	workspaceId: string;
}

/**
 * Reads the node's credential.
 *
 * @param authentication the value of the parameter: saved workflows may hold any
 * @throws InputError if it can't be used; NodeOperationError of n8n if the node has no such credential
 */
export async function readCredential(
	context: IAllExecuteFunctions,
	authentication: unknown,
): Promise<NodeCredential> {
	const type = TYPES.get(authentication);
	if (!type) {
		throw new InputError(
			`'Authentication' can't be '${plainText(authentication)}'`,
			'Select API Key or Service Account.',
		);
	}
	const credential = await context.getCredentials(type);
	const baseUrl = parseBaseUrl(credential.baseUrl);
	const workspaceId = entryText(credential.workspaceId);
	pathSegment(workspaceId, 'Workspace ID');
	if (type === 'workspaceDataApi') apiKeyOf(credential);
	else tokenAddress(credential);
	return { type, credential, baseUrl, workspaceId };
}

/** An entry of a credential as text, without outer spaces. */
export const entryText = (value: unknown): string =>
	typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';

/** The API key, without a 'Bearer ' that was pasted with it. */
const keyText = (apiKey: unknown): string => entryText(apiKey).replace(/^Bearer(?:\s+|$)/i, '');

/** The API key to send. @throws InputError if it can't be sent */
export function apiKeyOf({ apiKey }: ICredentialDataDecryptedObject): string {
	const key = keyText(apiKey);
	if (/^[\x21-\x7e]+$/.test(key)) return key;
	const wrong = key === '' ? 'is empty' : 'has a space or a special character in it';
	throw new InputError(`'API Key' ${wrong}`, 'Enter the key alone.');
}

/**
 * Parses an address that must be plain http(s), without sign-in data, query or fragment.
 *
 * @returns the address without trailing slashes
 * @throws InputError for anything else
 */
function parseAddress(value: unknown, parameter: string, example: string): string {
	const text = entryText(value);
	const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
	if (url && !url.username && !url.password && !url.search && !url.hash)
		return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
	const must = 'must begin with http:// or https://, without user name, query or fragment';
	throw new InputError(
		`'${parameter}' ${text === '' ? 'is empty' : must}`,
		`Enter an address such as ${example}.`,
	);
}

const API_ROOT = '/api/v1';

/** The root of the API, without trailing slashes. @throws InputError if it can't be that @see service interface, part 9 */
export function parseBaseUrl(value: unknown): string {
	const example = `https://data.example.com${API_ROOT}`;
	const baseUrl = parseAddress(value, 'Base URL', example);
	if (baseUrl.endsWith(API_ROOT)) return baseUrl;
	throw new InputError(
		`'Base URL' must end in ${API_ROOT}`,
		`Enter the address of the API itself, such as ${example}.`,
	);
}

/** The address that issues tokens. @throws InputError if it can't be used @see service interface, parts 4 and 5 */
export function tokenAddress({ authUrl, realm }: ICredentialDataDecryptedObject): string {
	const root = parseAddress(authUrl, 'Auth URL', 'https://auth.example.com');
	return `${root}/realms/${pathSegment(entryText(realm), 'Realm')}/protocol/openid-connect/token`;
}

/**
 * A percent-encoded path segment with its outer spaces, because a listed ID may have some. URL parsers
 * resolve `.` and `..` even if they are percent-encoded, so both are refused.
 *
 * @param parameter the parameter's name in messages
 * @throws InputError if the value is empty or would change the path
 * @see RFC 3986, section 5.2.4
 */
export function pathSegment(text: string, parameter: string): string {
	const wrong = text.trim() === '' ? 'is empty' : /^\.\.?$/.test(text) && `can't be '${text}'`;
	if (wrong)
		throw new InputError(`'${parameter}' ${wrong}`, `Select or enter a value for '${parameter}'.`);
	return encodeURIComponent(text.toWellFormed());
}

/**
 * Adds the token right before n8n sends a request, but only to the service itself; and the signal that ends it.
 *
 * @throws InputError for a request to another address
 * @see RFC 6750, section 2.1; service interface, part 5
 */
export function authorize(
	{ baseUrl, abortSignal }: Record<string, unknown>,
	// HTTP Request calls the address `uri`.
	options: IHttpRequestOptions & { uri?: string },
	token: string,
): IHttpRequestOptions {
	const service = new URL(parseBaseUrl(baseUrl)).origin;
	const { origin } = new URL(options.url ?? options.uri, options.baseURL);
	if (origin !== service) {
		throw new InputError(
			`This credential is only for ${service}, not for ${origin}`,
			"It is sent to the server in 'Base URL' and to no other. Select another credential for this address.",
		);
	}
	const headers = { ...options.headers, Authorization: `Bearer ${token}` };
	const own = abortSignal instanceof AbortSignal && { abortSignal };
	return { ...options, ...own, headers, sendCredentialsOnCrossOriginRedirect: false };
}

const MASK = '***';
/** Shorter values may occur as words by chance. No real key or secret is that short. */
const MIN_SECRET_LENGTH = 6;

/**
 * Removes secrets from a text before anybody sees it, as they are and URL-encoded; whatever follows `Bearer`; and the
 * `secret` of a subscription.
 *
 * @param tokens the access tokens that were used with the credential
 */
export function redact(
	text: string,
	{ apiKey, clientSecret }: Record<string, unknown> = {},
	tokens: readonly unknown[] = [],
): string {
	return [keyText(apiKey), clientSecret, ...tokens]
		.map(entryText)
		.filter((secret) => secret.length >= MIN_SECRET_LENGTH)
		.flatMap((secret) => [
			secret,
			encodeURIComponent(secret.toWellFormed()),
			new URLSearchParams([['', secret]]).toString().slice(1),
		])
		.sort((a, b) => b.length - a.length)
		.reduce((result, secret) => result.replaceAll(secret, MASK), text)
		.replace(/\bBearer\s+[\w\-.~+/=]{6,}/gi, `Bearer ${MASK}`)
		.replace(/("secret"\s*:\s*")[^"]+/g, `$1${MASK}`);
}
