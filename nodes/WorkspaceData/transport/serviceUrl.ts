/** Addresses of the service: the API root, and segments of paths. */
import { InputError } from '../values/inputError';

const API_ROOT = '/api/v1';

/**
 * Parses an address that must be plain http(s), without sign-in data, query or fragment.
 *
 * @returns the address without trailing slashes
 * @throws InputError for anything else
 */
export function parseAddress(value: unknown, parameter: string, example: string): string {
	const text = textOf(value).trim();
	const advice = `Enter an address such as ${example}, without user name, query or fragment.`;
	if (text === '') throw new InputError(`'${parameter}' is empty`, advice);
	if (!/^https?:\/\//i.test(text)) {
		throw new InputError(`'${parameter}' must begin with http:// or https://`, advice);
	}
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || url.username || url.password || url.search || url.hash) {
		throw new InputError(`'${parameter}' isn't a valid address`, advice);
	}
	return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/**
 * The API root of the service, without trailing slashes.
 *
 * @param value `baseUrl` of the credential
 * @throws InputError if it isn't an http(s) address that ends in `/api/v1`
 * @see service interface, part 9
 */
export function parseBaseUrl(value: unknown): string {
	const example = `https://data.example.com${API_ROOT}`;
	const baseUrl = parseAddress(value, 'Base URL', example);
	if (!baseUrl.endsWith(API_ROOT)) {
		throw new InputError(
			`'Base URL' must end in ${API_ROOT}`,
			`Enter the address of the API itself, such as ${example}.`,
		);
	}
	return baseUrl;
}

const textOf = (value: unknown): string =>
	typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** A path segment from a person's input, without outer spaces. @see exactSegment */
export const pathSegment = (value: unknown, parameter: string): string =>
	exactSegment(textOf(value).trim(), parameter);

/**
 * A percent-encoded path segment with its outer spaces, because a listed ID may have some. URL parsers
 * resolve `.` and `..` even if they are percent-encoded, so both are refused.
 *
 * @param parameter the parameter's name in messages
 * @throws InputError if the value is empty or would change the path
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
	return encodeURIComponent(text.toWellFormed());
}
