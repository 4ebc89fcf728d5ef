/** Reads an unsuccessful response: problem details, or whatever the service sends instead. */
import { z } from 'zod/v3';
import { parseJsonText } from './json';
import { fallbackTitle } from './statusTitles';
import { holds, isObject, isText, type JsonObject, WRAPPERS, isWebPage } from './shapes';

/**
 * Problem details from the service. Other members are kept.
 *
 * @see RFC 7807, section 3.1; service interface, part 7
 */
const problemSchema = z
	.object({
		type: z.string().optional().catch(undefined),
		title: z.string().optional().catch(undefined),
		detail: z.string().optional().catch(undefined),
	})
	.passthrough();

/** An unsuccessful response in words. */
export interface Problem {
	/** HTTP status code. */
	status: number;
	/** Last path segment of the problem's `type`, for example `record-not-found`. */
	kind?: string;
	/** A short summary, never empty. */
	title: string;
	detail?: string;
	/** True if the body is a web page, which the service itself never sends. */
	foreign?: true;
}

const MAX_TEXT = 500;

/** Shortens to one line. Secrets are removed first, because half a secret wouldn't be recognized. */
const clip = (text: string, clean: (text: string) => string): string => {
	const line = clean(text).replace(/\s+/g, ' ').trim();
	return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
};

/** The last path segment of a problem type, whatever its kind of URI. */
function problemKind(type: string | undefined): string | undefined {
	const path = type?.split(/[?#]/)[0];
	const kind = path?.split(/[/:]/).filter(Boolean).pop();
	return kind === undefined || kind === 'blank' ? undefined : kind;
}

/** The text of one entry of such a list. */
function entryText(entry: unknown): string {
	if (!isObject(entry)) return isText(entry) ? entry : '';
	const location = Array.isArray(entry.loc) ? entry.loc.join('.') : entry.loc;
	const place = [entry.field, entry.name, entry.path, entry.pointer, location].find(isText);
	const reason = [entry.message, entry.reason, entry.detail, entry.msg].find(isText);
	return [place, reason].filter(Boolean).join(': ');
}

/** Reads problem extensions that list errors of single values, in the shapes that services really use. */
function listedErrors(problem: JsonObject): string | undefined {
	// FastAPI lists them instead of the detail.
	const { errors, 'invalid-params': params, invalid_params: others, detail } = problem;
	const list = [errors, params, others, detail].find(
		(value) => typeof value === 'object' && value !== null,
	);
	// Some frameworks send `{ name: ['too long'] }`.
	const entries: unknown[] = Array.isArray(list)
		? list
		: Object.entries(list ?? {}).flatMap(([field, messages]: [string, unknown]) =>
				[messages].flat().map((message) => ({ field, message })),
			);
	return entries.slice(0, 10).map(entryText).filter(Boolean).join('; ') || undefined;
}

/** Max length of a page's beginning that is searched for its title, in characters. */
const MAX_HEAD = 20_000;

/**
 * The text of an HTML page: its title if it has one. Only the first `<title` is checked, so that a page
 * with thousands of them costs no time.
 */
function htmlText(html: string): string | undefined {
	const head = html.slice(0, MAX_HEAD);
	const start = head.search(/<title\b/i);
	if (start < 0) return undefined;
	const text = head.slice(head.indexOf('>', start) + 1);
	const end = text.indexOf('<');
	return (end < 0 ? '' : text.slice(0, end).trim()) || undefined;
}

/**
 * Reads an unsuccessful response with any body: problem details, other JSON, plain text, HTML or nothing.
 *
 * @param status HTTP status code
 * @param body the body from n8n's request helper: parsed JSON, text, or empty
 * @param clean removes secrets from text that the service sent
 * @see RFC 7807
 */
export function readProblem(
	status: number,
	body: unknown,
	clean: (text: string) => string = (text) => text,
): Problem {
	if (typeof body === 'string' && body.trim() !== '') {
		const parsed = parseJsonText(body);
		if (parsed !== undefined) return readProblem(status, parsed, clean);
		const isPage = isWebPage(body);
		const text = isPage ? htmlText(body) : body;
		return {
			status,
			title: fallbackTitle(status, isPage || undefined),
			...(text && { detail: clip(text, clean) }),
			...(isPage && { foreign: true }),
		};
	}
	if (isObject(body) && isNestedProblem(body)) return readProblem(status, body.error, clean);
	const problem = problemSchema.safeParse(body);
	if (!problem.success) return { status, title: fallbackTitle(status) };
	const { type, title, detail, ...rest } = problem.data;
	const inner = isObject(rest.error) ? rest.error : {};
	const other = [
		...[rest.message, rest.error_description, rest.error],
		...[inner.message, inner.detail, inner.description, inner.code],
	].find(isText);
	const details = [detail ?? other, listedErrors(body as JsonObject)].filter(Boolean).join(' — ');
	const kind = problemKind(type);
	return {
		status,
		title: title ? clip(title, clean) : fallbackTitle(status),
		...(kind && { kind: clip(kind, clean) }),
		...(details && { detail: clip(details, clean) }),
	};
}

/** Returns true if the problem is in `error`, with nothing next to it that says more. */
const isNestedProblem = ({ type, title, detail, error }: JsonObject): boolean =>
	isObject(error) &&
	(isText(error.title) || isText(error.type)) &&
	![type, title, detail].some(isText);

/** The names under which a response holds the requested resource, or its identifier. */
const RESOURCE_KEYS = [
	...['card', 'cards', 'field', 'fields', 'record', 'records', 'webhook', 'subscription'],
	...WRAPPERS,
];
const ID_KEYS = [
	...['id', 'card_id', 'field_id', 'record_id', 'webhook_id', 'subscription_id'],
	...['webhookId', 'subscriptionId', 'uuid'],
];

/** Values with which a response states that nothing was done. @see JSend, for `fail` and `error` */
const FAILED = new Set<unknown>([false, 'false', 'fail', 'failed', 'failure', 'error']);

/** Returns true if a response states that nothing was done. */
const isMarkedFailed = ({ success, ok, status }: JsonObject): boolean =>
	[success, ok, status].some((mark) => FAILED.has(mark)) || success === 0;

/** The status that the body of a refusal states, as a number or as its digits. */
function statedStatus({ status, statusCode, status_code, code }: JsonObject): number | undefined {
	const stated = [status, statusCode, status_code, code].map((value) =>
		typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value,
	);
	return stated.find(
		(value): value is number => typeof value === 'number' && value >= 400 && value < 600,
	);
}

/** The content type of problem details. @see RFC 7807, section 3 */
const PROBLEM_TYPE = /^application\/problem\+json\b/i;

/** Matches text that begins with a word such as `Error`, also as the name of an XML element. */
const ERROR_TEXT = /^\s*(?:<\?xml[^>]*>\s*)?<?(?:error|failed|failure|exception|fault)\b/i;

/** The object that may say why nothing was done: the body itself, or the only object in it. */
function refusingObject(body: unknown): JsonObject | undefined {
	if (Array.isArray(body)) return body.length === 1 ? refusingObject(body[0]) : undefined;
	if (!isObject(body)) return undefined;
	const [[name, only] = [], ...others] = Object.entries(body);
	// The values of a record are under `data`.
	const isWrapped =
		others.length === 0 && name !== 'data' && WRAPPERS.includes(name ?? '') && isObject(only);
	return isWrapped ? refusingObject(only) : body;
}

/** The status of a response whose body has a status for each part. @see RFC 4918, section 13 */
const MULTI_STATUS = 207;

/** The first object in such a body that states a failure. */
function failedPart(body: unknown): JsonObject | undefined {
	if (Array.isArray(body)) return body.map(failedPart).find((part) => part !== undefined);
	if (!isObject(body)) return undefined;
	return statedStatus(body) === undefined ? failedPart(Object.values(body)) : body;
}

/**
 * Reads a refusal from a successful response: some services send their errors with status 200. A resource
 * may have properties of any name, so a response that holds a resource is never a refusal.
 *
 * @param clean removes secrets from text that the service sent
 * @param contentType the header `Content-Type`
 * @returns undefined if the response isn't a refusal
 */
export function readRefusal(
	status: number,
	body: unknown,
	clean?: (text: string) => string,
	contentType?: unknown,
): Problem | undefined {
	const refused = 'The service refused the request';
	const failed = status === MULTI_STATUS ? failedPart(body) : undefined;
	if (failed) return readProblem(statedStatus(failed) ?? status, failed, clean);
	if (typeof body === 'string' && ERROR_TEXT.test(body)) {
		return { ...readProblem(status, body, clean), title: refused };
	}
	const object = refusingObject(body);
	if (!object || ID_KEYS.some((key) => holds(object[key]))) return undefined;
	const { type, title } = object;
	const stated = statedStatus(object);
	const words = [title, object.detail, object.message, object.reason, isText(type) && type];
	// The type of a problem is an address. The type of a field is a word.
	const isAddressed = isText(type) && /[/:]/.test(type) && isText(title);
	const isProblem = isAddressed || (stated !== undefined && words.some(isText));
	const isError =
		isProblem ||
		[object.error, object.errors, object.Error, object.fault, object.errorMessage].some(holds);
	const isRefusal = isError && !RESOURCE_KEYS.some((key) => holds(object[key]));
	const isDeclared = typeof contentType === 'string' && PROBLEM_TYPE.test(contentType);
	if (!isRefusal && !isDeclared && !isMarkedFailed(object)) return undefined;
	const problem = readProblem(stated ?? status, object, clean);
	return stated !== undefined || isText(title) ? problem : { ...problem, title: refused };
}
