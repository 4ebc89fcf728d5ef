/** Reads responses: what doesn't follow the interface is an error that names the place and what came. */
import type { IHttpRequestOptions } from 'n8n-workflow';
import { z } from 'zod/v3';
import { isObject, tryParse } from '../values/json';
import { within, type Bounds } from './clock';
import { adviceOn, isFault, misfit, networkError, RequestError, type Origin } from './errors';
import { nextCursor, problem, type Schema } from './schemas';

/** A response of the service or its auth server. */
export interface ApiResponse {
	status: number;
	/** With names in lower case. */
	headers: Record<string, unknown>;
	text: string;
	/** The request. */
	origin: Origin;
}

/** Sends one HTTP request by one of n8n's helpers, and returns n8n's full response. Throws if there is none. */
export type Send = (options: IHttpRequestOptions) => Promise<unknown>;

/** The response as text, whatever its status. A redirect would receive the credential. */
const PLAIN_RESPONSE = {
	encoding: 'text',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
} as const;

/** Sends a request once, and waits for its response, whatever its status. @throws RequestError if none comes */
export async function exchange(
	send: Send,
	request: IHttpRequestOptions,
	origin: Origin,
	bounds: Bounds & { ms: number },
): Promise<ApiResponse> {
	const sending = async (abortSignal: AbortSignal) =>
		await send({ ...PLAIN_RESPONSE, ...request, timeout: bounds.ms, abortSignal });
	const full = await within(sending, bounds).catch((error: unknown) => {
		throw networkError(error, origin);
	});
	const { statusCode, headers, body } = Object(full) as Record<string, unknown>;
	const text = typeof body === 'string' ? body : '';
	return { status: Number(statusCode), headers: Object(headers), text, origin };
}

export const isSuccess = ({ status }: ApiResponse): boolean => status >= 200 && status < 300;

const MAX_TEXT = 500;

/** The error for a response that isn't a success. */
export function refusal({ status, text, origin }: ApiResponse): RequestError {
	const { title = '', detail = '', kind } = problem.parse(tryParse(text)?.value);
	const [said = '', more] = [title, detail].map((part) => {
		const line = origin.clean(part).replace(/\s+/g, ' ');
		return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
	});
	const facts = {
		status,
		detail: more || undefined,
		kind: kind && origin.clean(kind),
		isTransient: status === 429 || isFault(status),
		mayHaveHappened: isFault(status) && origin.method !== 'GET',
	};
	const heading = said || `${origin.host} responded with status ${status}`;
	return new RequestError(heading, { ...facts, advice: adviceOn(said, facts, origin) });
}

/** A time in a response: whole seconds, in ms since the epoch; undefined if it has none. */
export function dateIn(headers: ApiResponse['headers'], name = 'date'): number | undefined {
	const date = Date.parse(String(headers[name]));
	return Number.isNaN(date) ? undefined : date;
}

/** Parses the JSON of a response; undefined if it has no body. @throws RequestError if it isn't JSON */
export function bodyOf({ text, origin }: ApiResponse): unknown {
	if (text.trim() === '') return undefined;
	const parsed = tryParse(text);
	if (!parsed) throw misfit('body', text.trim(), origin);
	return parsed.value;
}

/** Reads a value by its schema. @param whole the name of the whole value @throws RequestError if it doesn't fit */
export function readAs<Thing>(
	schema: Schema<Thing>,
	response: ApiResponse,
	whole: string,
	value = bodyOf(response),
): Thing {
	const result = schema.safeParse(value);
	if (result.success) return result.data;
	const path = result.error.issues[0]?.path ?? [];
	const came = path.reduce<unknown>((part, key) => Object(part)[key], value);
	const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
	throw misfit(place.replace(/^\./, '') || whole, came, response.origin);
}

/** One page of a list. */
export interface Page<Thing> {
	things: Thing[];
	/** The cursor of the next page; null on the last one. */
	nextCursor: string | null;
}

/** Reads a list. Cards and fields may also come without an object around them. @param name the member that has it */
export function readList<Thing>(
	things: Schema<Thing[]>,
	response: ApiResponse,
	name: string,
): Page<Thing> {
	const body = bodyOf(response);
	const whole = name !== 'records' && Array.isArray(body) ? { [name]: body } : body;
	const read = readAs(z.object({ [name]: things, next_cursor: nextCursor }), response, name, whole);
	return { things: read[name] as Thing[], nextCursor: read.next_cursor as string | null };
}

/** Reads a single object: bare if it has its identifier, else under its name or under `data`. */
export function readSingle<Thing>(
	schema: Schema<Thing>,
	response: ApiResponse,
	name: string,
): Thing {
	const body = bodyOf(response);
	const isBare = !isObject(body) || ['id', `${name}_id`].some((id) => body[id] !== undefined);
	return readAs(schema, response, name, isBare ? body : (body[name] ?? body.data ?? body));
}
