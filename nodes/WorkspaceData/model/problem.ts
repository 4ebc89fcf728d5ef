import { z } from 'zod';
import { parseJsonText } from './json';

/**
 * Problem details as the service sends them; members beyond these are kept.
 * @see RFC 7807, section 3.1; service interface, part 7
 */
const problemSchema = z
	.object({
		type: z.string().optional(),
		title: z.string().optional(),
		detail: z.string().optional(),
	})
	.passthrough();

/** An unsuccessful answer in words. */
export interface Problem {
	/** HTTP status code. */
	status: number;
	/** Last path segment of the problem's `type`, for example `record-not-found`. */
	kind?: string;
	/** Short summary, never empty. */
	title: string;
	detail?: string;
}

const MAX_TEXT = 500;

/** What to say when the service itself said nothing that can be shown. */
const TITLES: Record<number, string> = {
	400: 'The service could not use the request',
	401: 'The service did not accept the credential',
	403: 'The credential has no access to this',
	404: 'The service did not find what was asked for',
	405: 'The service does not offer this operation',
	408: 'The service gave up waiting for the request',
	409: 'The request conflicts with the current state',
	413: 'The request is larger than the service accepts',
	415: 'The service does not accept this kind of content',
	422: 'The service refused the values',
	429: 'The rate limit of the service is used up',
	500: 'The service could not process the request',
	502: 'The service is not reachable behind its gateway',
	503: 'The service is not available right now',
	504: 'The service did not answer its gateway in time',
};

function fallbackTitle(status: number): string {
	if (status >= 300 && status < 400) return 'The service redirects to another address';
	return TITLES[status] ?? `The service answered with status ${status}`;
}

const clip = (text: string): string => {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
};

/** The last path segment of a problem type, whatever kind of URI it is. */
function problemKind(type: string | undefined): string | undefined {
	const path = type?.split(/[?#]/)[0];
	const kind = path?.split(/[/:]/).filter(Boolean).pop();
	return kind === undefined || kind === 'blank' ? undefined : kind;
}

/** Problem extensions that list what is wrong with single values, in the shapes seen in the wild. */
function listedErrors(problem: Record<string, unknown>, detail = ''): string | undefined {
	const list = problem.errors ?? problem['invalid-params'] ?? problem.invalid_params;
	if (!Array.isArray(list)) return undefined;
	const lines = list.slice(0, 10).map((entry: unknown) => {
		if (typeof entry === 'string') return entry;
		if (typeof entry !== 'object' || entry === null) return '';
		const {
			field,
			name,
			path,
			pointer,
			message,
			reason,
			detail: text,
		} = entry as Record<string, unknown>;
		const where = [field, name, path, pointer].find((value) => typeof value === 'string');
		const what = [message, reason, text].find((value) => typeof value === 'string');
		return what !== undefined && detail.includes(what)
			? ''
			: [where, what].filter(Boolean).join(': ');
	});
	return lines.filter(Boolean).join('; ') || undefined;
}

/** Text of an HTML page: its title where it has one. */
function htmlText(html: string): string | undefined {
	return /<title[^>]*>([^<]*)<\/title>/i.exec(html)?.[1]?.trim() || undefined;
}

/**
 * Reads an unsuccessful answer, whatever its body: problem details, other JSON, plain text, HTML or
 * nothing at all.
 *
 * @param status HTTP status code
 * @param body the body as n8n's request helper gives it: parsed JSON, text, or empty
 * @see RFC 7807
 */
export function readProblem(status: number, body: unknown): Problem {
	if (typeof body === 'string' && body.trim() !== '') {
		const parsed = parseJsonText(body);
		if (parsed !== undefined) return readProblem(status, parsed);
		const text = /<(!doctype|html|head|body)\b/i.test(body) ? htmlText(body) : body;
		return { status, title: fallbackTitle(status), ...(text && { detail: clip(text) }) };
	}
	const problem = problemSchema.safeParse(body);
	if (!problem.success) return { status, title: fallbackTitle(status) };
	const { type, title, detail, ...rest } = problem.data;
	const other = [rest.message, rest.error_description, rest.error].find(
		(value): value is string => typeof value === 'string' && value !== '',
	);
	const details = [detail ?? other, listedErrors(rest, detail)].filter(Boolean).join(' — ');
	const kind = problemKind(type);
	return {
		status,
		title: title ? clip(title) : fallbackTitle(status),
		...(kind && { kind }),
		...(details && { detail: clip(details) }),
	};
}
