/** Addresses of the service: the API root, token endpoints, and segments of paths. */
import { InputError } from './inputError';

const API_ROOT = '/api/v1';

/** Half of a surrogate pair on its own: not text, and nothing that can be percent-encoded. */
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Parses an address that must be plain http(s): no sign-in data, query or fragment. */
function parseAddress(value: unknown, parameter: string, example: string): URL {
	const text = typeof value === 'string' ? value.trim() : '';
	if (text === '') {
		throw new InputError(`'${parameter}' is empty`, `Enter an address such as ${example}.`);
	}
	let url: URL;
	try {
		url = new URL(text);
	} catch {
		url = new URL('invalid:');
	}
	const plain = !url.username && !url.password && !url.search && !url.hash;
	if (!/^https?:$/.test(url.protocol) || !url.hostname || !plain) {
		throw new InputError(
			`'${parameter}' isn't a valid address`,
			`Enter an address such as ${example}: http or https, without user name, query or fragment.`,
		);
	}
	return url;
}

const withoutTrailingSlashes = (url: URL): string =>
	`${url.origin}${url.pathname.replace(/\/+$/, '')}`;

/**
 * The API root of the service, without trailing slashes.
 *
 * @param value `baseUrl` of the credential
 * @throws InputError when it is not an http(s) address that ends in `/api/v1`
 * @see service interface, part 9
 */
export function parseBaseUrl(value: unknown): string {
	const example = `https://data.example.com${API_ROOT}`;
	const baseUrl = withoutTrailingSlashes(parseAddress(value, 'Base URL', example));
	if (!baseUrl.endsWith(API_ROOT)) {
		throw new InputError(
			`'Base URL' must end in ${API_ROOT}`,
			`Enter the address of the API itself, such as ${example}.`,
		);
	}
	return baseUrl;
}

/**
 * The address that issues access tokens for a realm.
 *
 * @param authUrl address of the identity provider, as the credential holds it
 * @param realm name of the realm
 * @throws InputError when either cannot be used
 * @see service interface, parts 4 and 5
 */
export function tokenAddress(authUrl: unknown, realm: unknown): string {
	const root = withoutTrailingSlashes(
		parseAddress(authUrl, 'Auth URL', 'https://auth.example.com'),
	);
	return `${root}/realms/${pathSegment(realm, 'Realm')}/protocol/openid-connect/token`;
}

/**
 * The identifier of a created thing, read from its address.
 *
 * @param location the header `Location`
 * @param collection the path segment before the identifier, for example `records`
 * @returns undefined for the address of anything else
 * @see RFC 9110, sections 10.2.2 and 15.3.2
 */
export function idInLocation(location: unknown, collection: string): string | undefined {
	if (typeof location !== 'string') return undefined;
	const [path = ''] = location.split(/[?#]/);
	const [before, id = ''] = path.split('/').filter(Boolean).slice(-2);
	if (before !== collection) return undefined;
	try {
		return decodeURIComponent(id) || undefined;
	} catch {
		return undefined;
	}
}

const textOf = (value: unknown): string =>
	typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** One path segment of what a person entered, without outer spaces. @see exactSegment */
export const pathSegment = (value: unknown, parameter: string): string =>
	exactSegment(textOf(value).trim(), parameter);

/**
 * One path segment, percent-encoded: a listed ID may have outer spaces. `.` and `..` are refused: URL parsers resolve them even when
 * they are percent-encoded, so no encoding makes them safe.
 *
 * @param parameter the name that the user sees in the message
 * @throws InputError when the value is empty or would change the path
 * @see RFC 3986, section 5.2.4
 */
export function exactSegment(value: unknown, parameter: string): string {
	const text = textOf(value);
	if (text.trim() === '') {
		throw new InputError(`'${parameter}' is empty`, `Select or enter a value for '${parameter}'.`);
	}
	if (text === '.' || text === '..') {
		throw new InputError(
			`'${parameter}' can't be '${text}'`,
			`Enter the ID that the service shows for '${parameter}'.`,
		);
	}
	return encodeURIComponent(text.replace(LONE_SURROGATE, '\uFFFD'));
}
