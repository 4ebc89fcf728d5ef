/** Problem details: every kind of error that the service answers with. */
import { isRefusal, maximumReasons, type Reason } from '../domain/refusal.ts';

/** Every problem kind that the service answers with: last path segment of `type` → status and title. */
const problemKinds = {
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
	'request-timeout': [408, 'Request timeout'],
	'field-type-conflict': [409, 'Field type conflict'],
	'option-in-use': [409, 'Option in use'],
	'quota-exceeded': [409, 'Quota exceeded'],
	'body-too-large': [413, 'Body too large'],
	'unsupported-media-type': [415, 'Unsupported media type'],
	'expectation-failed': [417, 'Expectation failed'],
	'body-too-complex': [422, 'Body too complex'],
	'validation-failed': [422, 'Validation failed'],
	'unknown-field': [422, 'Unknown field'],
	'invalid-value': [422, 'Invalid value'],
	'record-too-large': [422, 'Record too large'],
	'rate-limit-exceeded': [429, 'Rate limit exceeded'],
	'headers-too-large': [431, 'Request headers too large'],
	'internal-error': [500, 'Internal error'],
	'service-unavailable': [503, 'Service unavailable'],
	'insufficient-storage': [507, 'Insufficient storage'],
} as const satisfies Record<string, readonly [number, string]>;

/** Name of a problem kind, kebab-case. */
export type ProblemKind = keyof typeof problemKinds;

/** Media type of a problem. @see RFC 9457 */
export const problemType = 'application/problem+json; charset=utf-8';

/** Most characters of an explanation. */
const maximumDetail = 2_000;

/** Cuts an explanation that quotes something long. */
const shorten = (detail: string) =>
	detail.length > maximumDetail ? `${detail.slice(0, maximumDetail)}…` : detail;

/**
 * An RFC 7807 problem-details object.
 * @see service interface, part 7
 */
export interface ProblemBody {
	type: string;
	title: string;
	status: number;
	detail: string;
	errors?: Reason[];
}

/** Thrown anywhere inside a request; the error handler turns it into the answer. */
export interface ProblemError extends Error {
	readonly problem: ProblemBody;
	readonly headers: Readonly<Record<string, string>>;
}

/** The kinds are documented under this address; it names a kind and need not be reachable. */
const typeRoot = 'https://workspace-data.example/problems/';

/** The body for a problem kind; bounded, however much was wrong with a request. */
export function problemBody(kind: ProblemKind, detail: string, errors?: Reason[]): ProblemBody {
	const [status, title] = problemKinds[kind];
	const listed = errors?.slice(0, maximumReasons).map((reason) => ({
		...reason,
		detail: shorten(reason.detail),
	}));
	const body = { type: typeRoot + kind, title, status, detail: shorten(detail) };
	return listed ? { ...body, errors: listed } : body;
}

/**
 * Makes the error to throw for a problem.
 * @param detail explanation that names what is involved, with its id
 * @param extra reasons for a refused body; headers that belong to the answer
 */
export function problem(
	kind: ProblemKind,
	detail: string,
	extra: { errors?: Reason[]; headers?: Record<string, string> } = {},
): ProblemError {
	return Object.assign(new Error(detail), {
		problem: problemBody(kind, detail, extra.errors),
		headers: extra.headers ?? {},
	});
}

/** Whether something thrown was made by `problem`. */
export function isProblemError(error: unknown): error is ProblemError {
	return error instanceof Error && 'problem' in error;
}

/** Something thrown, as a problem of HTTP: a problem stays unchanged, a refusal of the domain becomes one. */
export function problemOf(error: unknown): ProblemError | undefined {
	if (isProblemError(error)) return error;
	if (!isRefusal(error)) return undefined;
	return problem(error.refusal, error.message, error.reasons && { errors: error.reasons });
}
