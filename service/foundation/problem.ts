/** Problem details: how everything that is refused is reported. @see service interface, part 7; RFC 9457 */

/** Every kind of problem: last path segment of `type` → status and title. */
const kinds = {
	'malformed-request': [400, 'Malformed request'],
	'malformed-json': [400, 'Malformed JSON'],
	'invalid-limit': [400, 'Invalid limit'],
	'invalid-cursor': [400, 'Invalid cursor'],
	'authentication-required': [401, 'Authentication required'],
	'invalid-credentials': [401, 'Invalid credentials'],
	'workspace-access-denied': [403, 'Workspace access denied'],
	'insufficient-role': [403, 'Insufficient role'],
	'cross-site-request': [403, 'Cross-site request refused'],
	'route-not-found': [404, 'Route not found'],
	'workspace-not-found': [404, 'Workspace not found'],
	'card-not-found': [404, 'Card not found'],
	'field-not-found': [404, 'Field not found'],
	'record-not-found': [404, 'Record not found'],
	'webhook-not-found': [404, 'Webhook not found'],
	'method-not-allowed': [405, 'Method not allowed'],
	'field-type-conflict': [409, 'Field type conflict'],
	'option-in-use': [409, 'Option in use'],
	'body-too-large': [413, 'Body too large'],
	'unsupported-media-type': [415, 'Unsupported media type'],
	'validation-failed': [422, 'Validation failed'],
	'unknown-field': [422, 'Unknown field'],
	'invalid-value': [422, 'Invalid value'],
	'rate-limit-exceeded': [429, 'Rate limit exceeded'],
	'internal-error': [500, 'Internal error'],
} as const;

/** Media type of a problem. */
export const problemType = 'application/problem+json; charset=utf-8';

/** The kinds are documented under this address; it names a kind and need not be reachable. */
const typeRoot = 'https://workspace-data.example/problems/';

/** Most reasons that a problem lists. */
const maximumReasons = 100;

/** One reason among several why a body was refused. `pointer` is a JSON Pointer into the body (RFC 6901). */
export interface Reason {
	pointer: string;
	detail: string;
}

/** Thrown anywhere inside a request; the error handler turns it into the response. */
export interface Problem extends Error {
	readonly problem: {
		type: string;
		title: string;
		status: number;
		detail: string;
		errors?: Reason[];
	};
	readonly headers: Readonly<Record<string, string>>;
}

/**
 * Makes the error to throw.
 * @param detail explanation that names what is involved, with its ID
 * @param extra reasons for a refused body, of which the first hundred are listed; headers that belong to the response
 */
export function problem(
	kind: keyof typeof kinds,
	detail: string,
	{ errors, headers = {} }: { errors?: Reason[]; headers?: Record<string, string> } = {},
): Problem {
	const [status, title] = kinds[kind];
	const listed = errors && { errors: errors.slice(0, maximumReasons) };
	const body = { type: typeRoot + kind, title, status, detail, ...listed };
	return Object.assign(new Error(detail), { problem: body, headers });
}

/** Whether an error was made by `problem`. */
export function isProblem(error: unknown): error is Problem {
	return error instanceof Error && 'problem' in error;
}

/** A JSON Pointer to the value at the end of a path of keys. @see RFC 6901, section 3 */
export function jsonPointer(path: readonly PropertyKey[]): string {
	return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
