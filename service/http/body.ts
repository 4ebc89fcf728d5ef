/** Reads bodies: JSON in UTF-8. */
import type { IncomingHttpHeaders } from 'node:http';
import { problem } from '../foundation/problem.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Refuses compressed bodies, and charsets other than UTF-8 (RFC 8259, 8.1). */
function checkHeaders(headers: IncomingHttpHeaders): void {
	const encoding = headers['content-encoding'];
	if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
		throw problem('unsupported-media-type', 'Send bodies without Content-Encoding.', {
			headers: { 'accept-encoding': 'identity' },
		});
	}
	const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1];
	if (charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)) return;
	throw problem('unsupported-media-type', `Send bodies as UTF-8, not ${charset}.`);
}

/**
 * Reads the body of a request; undefined if there is none. Keys like `__proto__` stay ordinary keys.
 * @throws ProblemError malformed-json, unsupported-media-type
 */
export function readBody(headers: IncomingHttpHeaders, body: Buffer): unknown {
	checkHeaders(headers);
	if (body.length === 0) return undefined;
	try {
		return JSON.parse(utf8.decode(body)) as unknown;
	} catch (error) {
		const reason = error instanceof SyntaxError ? error.message : 'it is not UTF-8';
		throw problem('malformed-json', `The body is not JSON: ${reason}.`);
	}
}
