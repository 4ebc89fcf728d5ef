/** Reads an unsuccessful response: problem details, or whatever the service sends instead. */
import { parseJsonText } from './parseJson';
import { fallbackTitle } from './statusMeanings';
import { holds, isObject, isText, type JsonObject, WRAPPERS, isWebPage } from './jsonObject';

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
function problemKind(type: unknown): string | undefined {
	const path = isText(type) ? type.split(/[?#]/)[0] : undefined;
	const kind = path?.split(/[/:]/).filter(Boolean).pop();
	return kind === undefined || kind === 'blank' ? undefined : kind;
}

/** The number of listed errors that are shown. */
const MAX_LISTED = 10;

/** The text of one listed error: a text, or an object that says where it is and what is wrong. */
function entryText(entry: unknown): string {
	if (!isObject(entry)) return isText(entry) ? entry : '';
	const place = [entry.field, entry.pointer, entry.path, entry.name].find(isText);
	const reason = [entry.detail, entry.message].find(isText);
	return [place, reason].filter(Boolean).join(': ');
}

/** The texts in a member: a text, a list of texts or of objects, or lists by field, as in `{ name: ['too long'] }`. */
function textsIn(member: unknown): string[] {
	const entries: unknown[] = isObject(member)
		? Object.entries(member).flatMap(([field, messages]) =>
				[messages].flat().map((message: unknown) => ({ field, message })),
			)
		: [member].flat();
	return entries.slice(0, MAX_LISTED).map(entryText).filter(Boolean);
}

/** What a body says in addition to its title. A text that another one contains is said once. */
function detailOf(body: JsonObject, title: string | undefined): string | undefined {
	const { message, error, error_description, detail, errors } = body;
	const inner = isObject(error) ? [error.message, error.detail] : [];
	const own = [detail, message, error_description, error, ...inner].map((member) =>
		isText(member) || Array.isArray(member) ? textsIn(member) : [],
	);
	const listed = textsIn(errors);
	const words = (own.find((texts) => texts.length > 0) ?? []).filter(
		(text) => text !== title && !listed.some((one) => one.includes(text)),
	);
	const others = listed.filter((text) => !words.some((one) => one.includes(text)));
	return [words.join('; '), others.join('; ')].filter(Boolean).join(' — ') || undefined;
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
	if (!isObject(body)) return { status, title: fallbackTitle(status) };
	if (isNestedProblem(body)) return readProblem(status, body.error, clean);
	const title = isText(body.title) ? body.title : undefined;
	const kind = problemKind(body.type);
	const detail = detailOf(body, title);
	return {
		status,
		title: title ? clip(title, clean) : fallbackTitle(status),
		...(kind && { kind: clip(kind, clean) }),
		...(detail && { detail: clip(detail, clean) }),
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

/** Returns true if a response states that nothing was done. */
const isMarkedFailed = ({ success, ok }: JsonObject): boolean =>
	[success, ok].some((mark) => mark === false || mark === 'false');

/** The status that the body of a refusal states, as a number or as its digits. */
function statedStatus({ status, statusCode, code }: JsonObject): number | undefined {
	const stated = [status, statusCode, code].map((value) =>
		typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value,
	);
	return stated.find(
		(value): value is number => typeof value === 'number' && value >= 400 && value < 600,
	);
}

/** The content type of problem details. @see RFC 7807, section 3 */
const PROBLEM_TYPE = /^application\/problem\+json\b/i;

/** Matches text that begins with a word such as `Error`. */
const ERROR_TEXT = /^\s*(?:error|failed|failure|exception)\b/i;

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
	if (typeof body === 'string' && ERROR_TEXT.test(body)) {
		return { ...readProblem(status, body, clean), title: refused };
	}
	const object = refusingObject(body);
	if (!object || ID_KEYS.some((key) => holds(object[key]))) return undefined;
	const { type, title, detail, message, error, errors } = object;
	const stated = statedStatus(object);
	// The type of a problem is an address. The type of a field is a word.
	const isAddressed = isText(type) && /[/:]/.test(type) && isText(title);
	const isProblem = isAddressed || (stated !== undefined && [title, detail, message].some(isText));
	const hasResource = RESOURCE_KEYS.some((key) => holds(object[key]));
	const isRefusal = !hasResource && (isProblem || holds(error) || holds(errors));
	const isDeclared = typeof contentType === 'string' && PROBLEM_TYPE.test(contentType);
	if (!isRefusal && !isDeclared && !isMarkedFailed(object)) return undefined;
	const problem = readProblem(stated ?? status, object, clean);
	if (isDeclared) {
		problem.detail ??= `The service responded with status ${status} and the content type of an error, application/problem+json`;
	}
	return stated !== undefined || isText(title) ? problem : { ...problem, title: refused };
}
