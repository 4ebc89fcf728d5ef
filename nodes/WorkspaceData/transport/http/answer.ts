/** Reads an answer as it comes, and no more of its body than a number of bytes. */
import {
	AnswerTooLarge,
	CutOffAnswer,
	type NetworkFailure,
	UnusableAnswer,
} from '../failure/failures';
import { readNetworkFault } from '../failure/networkFault';
import { tryParse, parsedBody } from '../../model/answer/json';
import type { ApiAnswer } from '../request';
import { isObject } from '../../model/answer/shapes';

/**
 * The most bytes that are read of one answer. A page should have an eighth of it; parsing all of it takes the
 * event loop about half a second.
 */
export const MAX_ANSWER_BYTES = 64_000_000;
/** The most bytes that are read of an answer other than success. Beyond them, its status says enough. */
const MAX_REFUSAL_BYTES = 1_000_000;

/** The members of a Node stream that are used here. */
interface BodyStream extends AsyncIterable<Uint8Array | string> {
	destroyed?: boolean;
	on(event: 'error', listener: (error: unknown) => void): unknown;
	destroy(): unknown;
}

const isStream = (body: unknown): body is BodyStream =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body && 'destroy' in body;

/** Codes of a connection that breaks while a body comes. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** The reason why a body cannot be read. Whatever it is, the request has arrived: it was answered. */
function readFault(error: unknown): NetworkFailure {
	const fault = readNetworkFault(error);
	if (BROKEN.has(fault.code)) return new CutOffAnswer();
	if (fault.sent !== 'no') return fault;
	return new UnusableAnswer(fault.code, "the response couldn't be read", true);
}

/** Reads a stream to its end, or destroys it. @throws NetworkFailure */
async function readParts(
	stream: BodyStream,
	maxBytes: number,
	signal?: AbortSignal,
): Promise<Uint8Array[]> {
	const parts: Uint8Array[] = [];
	let bytes = 0;
	const stop = () => stream.destroy();
	signal?.addEventListener('abort', stop);
	// Also later ones: an error without a listener would end n8n.
	stream.on('error', () => {});
	const read = async () => {
		for await (const part of stream) {
			const raw = typeof part === 'string' ? Buffer.from(part) : part;
			bytes += raw.length;
			// Leaving the loop destroys the stream.
			if (bytes > maxBytes) throw new AnswerTooLarge();
			parts.push(raw);
		}
		// Destroyed before its end, without an error.
		if (signal?.aborted) throw new CutOffAnswer();
		return parts;
	};
	return await read()
		.catch((error: unknown) => {
			throw readFault(error);
		})
		.finally(() => signal?.removeEventListener('abort', stop));
}

/** The charset that a content type states. @see RFC 9110, section 8.3.2 */
const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]+)/i;

/** The decoder of a charset; of UTF-8 where it is none that is known. @see WHATWG Encoding, section 4.2 */
function decoderOf(charset: string | undefined, fatal: boolean) {
	try {
		return new TextDecoder(charset, { fatal });
	} catch {
		return new TextDecoder('utf-8', { fatal });
	}
}

/** The charset of a byte order mark, other than that of UTF-8. */
function markedCharset([first, second]: Uint8Array): string | undefined {
	if (first === 0xff && second === 0xfe) return 'utf-16le';
	return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/**
 * The text of an answer, in the charset that its mark or its content type says; else UTF-8. Leaves out a byte order mark.
 *
 * @param lossy whether bytes that do not fit may be lost: nothing is stored of it
 * @throws UnusableAnswer for bytes of another charset: read as UTF-8, they would be stored as other characters
 * @see RFC 8259, section 8.1
 */
function decode(bytes: Uint8Array, contentType: unknown, lossy: boolean): string {
	const declared = CHARSET.exec(String(contentType))?.[1];
	const text = tryDecode(decoderOf(markedCharset(bytes) ?? declared, !lossy), bytes);
	if (text !== undefined) return text;
	const charset = declared ?? 'UTF-8';
	const reason = `the response contains bytes that aren't ${charset}, so its text would be damaged`;
	throw new UnusableAnswer('', reason, false);
}

/** @returns undefined for bytes that do not fit */
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

/** What is known of a body before it is read. */
interface BodyOptions {
	maxBytes: number;
	/** The length that the headers state: too large a body is not read at all. */
	declared: unknown;
	/** The header of that name, which may state a charset. */
	contentType: unknown;
	/** Whether bytes that do not fit the charset may be lost. */
	lossy: boolean;
	/** Ends the reading and the connection. */
	signal: AbortSignal | undefined;
}

/**
 * Reads the body of a response, whatever its content type says: JSON is parsed, all else is text.
 * The stream is read to its end, or destroyed.
 *
 * @throws AnswerTooLarge when the body is larger, after decompression
 * @throws UnusableAnswer when its bytes do not fit the charset
 * @throws NetworkFailure when it is cut off or cannot be read
 */
async function readBody(
	body: BodyStream,
	{ maxBytes, declared, contentType, lossy, signal }: BodyOptions,
): Promise<unknown> {
	const isTooLarge = Number(declared) > maxBytes;
	if (isTooLarge || signal?.aborted || body.destroyed) {
		body.on('error', () => {});
		body.destroy();
		throw isTooLarge ? new AnswerTooLarge() : new CutOffAnswer();
	}
	const bytes = Buffer.concat(await readParts(body, maxBytes, signal));
	const text = decode(bytes, contentType, lossy);
	const parsed = tryParse(text);
	return parsed ? parsed.value : text;
}

/**
 * Reads the answer in n8n's full response, and its body, which may be a stream.
 *
 * @param maxBytes the most that is read of the body
 * @param signal ends the reading and the connection
 * @returns undefined where the response is anything else
 * @throws AnswerTooLarge when the body of a success is larger
 * @throws NetworkFailure when the body is cut off or cannot be read
 */
export async function readAnswer(
	response: unknown,
	{ maxBytes = MAX_ANSWER_BYTES, signal }: { maxBytes?: number; signal?: AbortSignal } = {},
): Promise<ApiAnswer | undefined> {
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
		if (isSuccess || !(error instanceof AnswerTooLarge)) throw error;
		return '';
	});
	return { status, headers, body: parsedBody(body) };
}
