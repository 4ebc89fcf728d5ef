/** Reads responses: what doesn't follow the interface is an error that names the place and what came. */
import { z } from 'zod/v3';
import { isObject } from '../values/jsonObject';
import { tryParse } from '../values/parseJson';
import {
	isFault,
	misfit,
	requestError,
	type Reading,
	type RequestError,
	type RequestOrigin,
} from './errors';
import { nextCursor, type Schema } from './schemas/parts';
import { problem } from './schemas/problem';

/** A response of the service or its auth server. */
export interface ApiResponse extends Reading {
	status: number;
	headers: Record<string, unknown>;
	text: string;
}

/** How n8n's helper returns every response, as text. A redirect would receive the credential. */
export const PLAIN_RESPONSE = {
	encoding: 'text',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
} as const;

/** Reads what n8n's helper returns. */
export function toResponse(
	full: unknown,
	clean: ApiResponse['clean'],
	isChange: boolean,
): ApiResponse {
	const { statusCode, headers, body } = Object(full) as Record<string, unknown>;
	const text = typeof body === 'string' ? body : '';
	return { status: Number(statusCode), headers: Object(headers), text, isChange, clean };
}

const MAX_TEXT = 500;

/** Shortens a text of the service to one line. */
const clip = (text: string): string => {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
};

export const isSuccess = ({ status }: ApiResponse): boolean => status >= 200 && status < 300;

/** The error for a response that isn't a success. */
export function refusal(
	{ status, text, clean }: ApiResponse,
	origin: RequestOrigin,
	mayHaveHappened = false,
): RequestError {
	const { title = '', detail = '', kind = '' } = problem.parse(tryParse(text)?.value);
	const [said, more] = [title, detail].map((part) => clip(clean(part)));
	const isTransient = status === 429 || isFault({ status });
	const facts = {
		status,
		mayHaveHappened,
		isTransient,
		detail: more || undefined,
		isWordless: !said,
		kind: clean(kind) || undefined,
	};
	return requestError(said || `${origin.host} responded with status ${status}`, facts, origin);
}

/** Parses the JSON of a response; undefined if it has no body. @throws RequestError if it isn't JSON */
export function bodyOf(response: ApiResponse): unknown {
	const text = response.text.trim();
	if (text === '') return undefined;
	const parsed = tryParse(text);
	if (!parsed) throw misfit('body', text, response);
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
	throw misfit(place.replace(/^\./, '') || whole, came, response);
}

/** Reads a list of cards or fields: an array under its name, or bare. */
export function readList<Thing>(schema: Schema<Thing>, response: ApiResponse, name: string) {
	const body = bodyOf(response);
	const list = z.object({ [name]: z.array(schema), next_cursor: nextCursor });
	const read = readAs(list, response, name, Array.isArray(body) ? { [name]: body } : body);
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
