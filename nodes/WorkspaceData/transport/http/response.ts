/** Reads a response as a stream, up to a maximum size. */
import { cutOff, tooLarge, UnusableResponse } from '../failure/failureKinds';
import { readNetworkFault } from '../failure/networkFault';
import { isTooDeep, MAX_LEVELS, tryParse, parsedBody } from '../../model/response/parseJson';
import type { ApiResponse } from '../request';
import { isObject } from '../../model/response/jsonObject';
import { isSuccess } from './retryPolicy';

/**
 * The maximum size of a response in bytes. A page should take an eighth of it. Parsing the maximum blocks the
 * event loop for about half a second.
 */
export const MAX_RESPONSE_BYTES = 64_000_000;
/** The maximum size of an error response in bytes. Its status is enough for a larger one. */
const MAX_REFUSAL_BYTES = 1_000_000;

/** The members of a Node stream that this file uses. */
interface BodyStream extends AsyncIterable<Uint8Array | string> {
	on(event: 'error', listener: (error: unknown) => void): unknown;
	destroy(): unknown;
}

const isStream = (body: unknown): body is BodyStream =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body && 'destroy' in body;

/** Parts of a body that are kept one by one. A server may send single bytes, and each part takes a hundred. */
const MAX_PARTS = 1_024;

/**
 * Reads a stream to its end, or destroys it.
 *
 * @param maxBytes the maximum size of the body in bytes, after decompression
 * @param isDeclared true if the headers say that it is larger: it isn't read at all
 * @param signal closes the connection
 * @throws NetworkFailure if it is too large; any error if it is cut off or can't be read
 */
async function readBytes(
	stream: BodyStream,
	maxBytes: number,
	isDeclared: boolean,
	signal: AbortSignal | undefined,
): Promise<Uint8Array> {
	const parts: Uint8Array[] = [];
	const merged: Uint8Array[] = [];
	let bytes = 0;
	// The listener stays for later errors: an error without a listener would end n8n.
	stream.on('error', () => {});
	const stop = () => void stream.destroy();
	signal?.addEventListener('abort', stop);
	if (isDeclared || signal?.aborted) stop();
	if (isDeclared) throw tooLarge();
	for await (const part of stream) {
		const raw = typeof part === 'string' ? Buffer.from(part) : part;
		bytes += raw.length;
		// Leaving the loop destroys the stream.
		if (bytes > maxBytes) throw tooLarge();
		parts.push(raw);
		if (parts.length === MAX_PARTS) merged.push(Buffer.concat(parts.splice(0)));
	}
	return Buffer.concat([...merged, ...parts]);
}

/** The charset in a content type. @see RFC 9110, section 8.3.2 */
const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]+)/i;

/**
 * Decodes bytes; as UTF-8 if the charset is unknown. Removes a byte order mark.
 *
 * @returns undefined if the bytes aren't valid in the charset
 * @see WHATWG Encoding, section 4.2
 */
function tryDecode(bytes: Uint8Array, charset: string, fatal: boolean): string | undefined {
	try {
		return new TextDecoder(charset, { fatal }).decode(bytes);
	} catch (error) {
		return Object(error).name === 'RangeError' ? tryDecode(bytes, 'UTF-8', fatal) : undefined;
	}
}

/**
 * Decodes a response by its content type; else as UTF-8.
 *
 * @param lossy true if invalid bytes may be lost, because nothing is stored
 * @throws UnusableResponse for bytes of another charset, which would be stored as wrong characters
 * @see RFC 8259, section 8.1
 */
function decode(bytes: Uint8Array, contentType: unknown, lossy: boolean): string {
	const charset = CHARSET.exec(String(contentType))?.[1] ?? 'UTF-8';
	const text = tryDecode(bytes, charset, !lossy);
	if (text !== undefined) return text;
	const reason = `the response contains bytes that aren't ${charset}, so its text would be damaged`;
	throw new UnusableResponse(reason);
}

/**
 * Reads the response from n8n's full response object. Its body may be a stream. JSON is parsed whatever the content
 * type; everything else is text.
 *
 * @throws NetworkFailure if the body is cut off or can't be read, if the body of a successful response is too large or
 * too deep, or if the object isn't a response
 */
export async function readResponse(
	response: unknown,
	maxBytes = MAX_RESPONSE_BYTES,
	signal?: AbortSignal,
): Promise<ApiResponse> {
	if (!isObject(response) || typeof response.statusCode !== 'number') {
		throw new UnusableResponse("the response couldn't be read");
	}
	const { statusCode: status, body } = response;
	const headers = isObject(response.headers) ? response.headers : {};
	if (!isStream(body)) return { status, headers, body: parsedBody(body) };
	const isOk = isSuccess(status);
	const most = isOk ? maxBytes : Math.min(maxBytes, MAX_REFUSAL_BYTES);
	const isDeclared = Number(headers['content-length']) > most;
	const bytes = await readBytes(body, most, isDeclared, signal).catch((error: unknown) => {
		const found = readNetworkFault(error);
		// The request has arrived in any case, because a response came.
		const fault = found instanceof UnusableResponse ? found : cutOff();
		if (isOk || !fault.tooLarge) throw fault;
		return new Uint8Array();
	});
	const text = decode(bytes, headers['content-type'], !isOk);
	const parsed = tryParse(text);
	const value = parsedBody(parsed ? parsed.value : text);
	if (!isTooDeep(value)) return { status, headers, body: value };
	throw new UnusableResponse(`the response is nested more than ${MAX_LEVELS} levels deep`);
}
