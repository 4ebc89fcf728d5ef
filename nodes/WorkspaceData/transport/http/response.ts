/** Reads a response as a stream, up to a maximum size. */
import {
	ResponseTooLarge,
	CutOffResponse,
	type NetworkFailure,
	UnusableResponse,
} from '../failure/failures';
import { readNetworkFault } from '../failure/networkFault';
import { tryParse, parsedBody } from '../../model/response/json';
import type { ApiResponse } from '../request';
import { isObject } from '../../model/response/shapes';

/**
 * The maximum size of a response in bytes. A page should take an eighth of it. Parsing the maximum blocks the
 * event loop for about half a second.
 */
export const MAX_RESPONSE_BYTES = 64_000_000;
/** The maximum size of an error response in bytes. Its status is enough for a larger one. */
const MAX_REFUSAL_BYTES = 1_000_000;

/** The members of a Node stream that this file uses. */
interface BodyStream extends AsyncIterable<Uint8Array | string> {
	destroyed?: boolean;
	on(event: 'error', listener: (error: unknown) => void): unknown;
	destroy(): unknown;
}

const isStream = (body: unknown): body is BodyStream =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body && 'destroy' in body;

/** Error codes of a connection that breaks while a body is read. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Explains why a body can't be read. The request has arrived in any case, because a response came. */
function readFault(error: unknown): NetworkFailure {
	const fault = readNetworkFault(error);
	if (BROKEN.has(fault.code)) return new CutOffResponse();
	if (fault.sent !== 'no') return fault;
	return new UnusableResponse(fault.code, "the response couldn't be read", true);
}

/** Parts of a body that are kept one by one. A server may send single bytes, and each part takes a hundred. */
const MAX_PARTS = 1_024;

/** Reads a stream to its end, or destroys it. @throws NetworkFailure */
async function readParts(
	stream: BodyStream,
	maxBytes: number,
	signal?: AbortSignal,
): Promise<Uint8Array[]> {
	const parts: Uint8Array[] = [];
	const merged: Uint8Array[] = [];
	let bytes = 0;
	const stop = () => stream.destroy();
	signal?.addEventListener('abort', stop);
	// The listener stays for later errors: an error without a listener would end n8n.
	stream.on('error', () => {});
	const read = async () => {
		for await (const part of stream) {
			const raw = typeof part === 'string' ? Buffer.from(part) : part;
			bytes += raw.length;
			// Leaving the loop destroys the stream.
			if (bytes > maxBytes) throw new ResponseTooLarge();
			parts.push(raw);
			if (parts.length === MAX_PARTS) merged.push(Buffer.concat(parts.splice(0)));
		}
		// The stream was destroyed before its end, without an error.
		if (signal?.aborted) throw new CutOffResponse();
		return [...merged, ...parts];
	};
	return await read()
		.catch((error: unknown) => {
			throw readFault(error);
		})
		.finally(() => signal?.removeEventListener('abort', stop));
}

/** The charset in a content type. @see RFC 9110, section 8.3.2 */
const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]+)/i;

/** Returns the decoder of a charset; UTF-8 if it is unknown. @see WHATWG Encoding, section 4.2 */
function decoderOf(charset: string | undefined, fatal: boolean) {
	try {
		return new TextDecoder(charset, { fatal });
	} catch {
		return new TextDecoder('utf-8', { fatal });
	}
}

/** Returns the charset of a byte order mark, other than UTF-8's. */
function markedCharset([first, second]: Uint8Array): string | undefined {
	if (first === 0xff && second === 0xfe) return 'utf-16le';
	return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/**
 * Decodes a response by its byte order mark or content type; else as UTF-8. Removes a byte order mark.
 *
 * @param lossy true if invalid bytes may be lost, because nothing is stored
 * @throws UnusableResponse for bytes of another charset, which would be stored as wrong characters
 * @see RFC 8259, section 8.1
 */
function decode(bytes: Uint8Array, contentType: unknown, lossy: boolean): string {
	const declared = CHARSET.exec(String(contentType))?.[1];
	const text = tryDecode(decoderOf(markedCharset(bytes) ?? declared, !lossy), bytes);
	if (text !== undefined) return text;
	const charset = declared ?? 'UTF-8';
	const reason = `the response contains bytes that aren't ${charset}, so its text would be damaged`;
	throw new UnusableResponse('', reason, false);
}

/** @returns undefined if the bytes aren't valid in the charset */
function tryDecode(
	decoder: InstanceType<typeof TextDecoder>,
	bytes: Uint8Array,
): string | undefined {
	try {
		return decoder.decode(bytes);
	} catch {
		return undefined;
	}
}

/** What is known about a body before it is read. */
interface BodyOptions {
	maxBytes: number;
	/** The length in the headers: a body that is too large isn't read at all. */
	declared: unknown;
	/** The Content-Type header, which may state a charset. */
	contentType: unknown;
	/** True if bytes that aren't valid in the charset may be lost. */
	lossy: boolean;
	/** Stops reading and closes the connection. */
	signal: AbortSignal | undefined;
}

/**
 * Reads a response body. JSON is parsed whatever the content type; everything else is text.
 * The stream is read to its end, or destroyed.
 *
 * @throws ResponseTooLarge if the body is too large after decompression
 * @throws UnusableResponse if its bytes aren't valid in the charset
 * @throws NetworkFailure if it is cut off or can't be read
 */
async function readBody(
	body: BodyStream,
	{ maxBytes, declared, contentType, lossy, signal }: BodyOptions,
): Promise<unknown> {
	const isTooLarge = Number(declared) > maxBytes;
	if (isTooLarge || signal?.aborted || body.destroyed) {
		body.on('error', () => {});
		body.destroy();
		throw isTooLarge ? new ResponseTooLarge() : new CutOffResponse();
	}
	const bytes = Buffer.concat(await readParts(body, maxBytes, signal));
	const text = decode(bytes, contentType, lossy);
	const parsed = tryParse(text);
	return parsed ? parsed.value : text;
}

/**
 * Reads the response from n8n's full response object. Its body may be a stream.
 *
 * @param maxBytes the maximum size of the body in bytes
 * @param signal stops reading and closes the connection
 * @returns undefined if the object isn't a response
 * @throws ResponseTooLarge if the body of a successful response is too large
 * @throws NetworkFailure if the body is cut off or can't be read
 */
export async function readResponse(
	response: unknown,
	{ maxBytes = MAX_RESPONSE_BYTES, signal }: { maxBytes?: number; signal?: AbortSignal } = {},
): Promise<ApiResponse | undefined> {
	if (!isObject(response) || typeof response.statusCode !== 'number') return undefined;
	const { statusCode: status } = response;
	const headers = isObject(response.headers) ? response.headers : {};
	const isSuccess = status >= 200 && status < 300;
	const { body: given } = response;
	if (!isStream(given)) return { status, headers, body: parsedBody(given) };
	const body = await readBody(given, {
		maxBytes: isSuccess ? maxBytes : Math.min(maxBytes, MAX_REFUSAL_BYTES),
		declared: headers['content-length'],
		contentType: headers['content-type'],
		lossy: !isSuccess,
		signal,
	}).catch((error: unknown) => {
		if (isSuccess || !(error instanceof ResponseTooLarge)) throw error;
		return '';
	});
	return { status, headers, body: parsedBody(body) };
}
