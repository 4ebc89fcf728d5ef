/** Responses to requests that break the rules of HTTP, most of them before Fastify could route them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { problem, problemType } from '../foundation/problem.ts';

/** How long a refused connection may take to read why, in ms. */
const farewellMs = 1_000;

/** Responds to an Expect header that is not 100-continue (RFC 9110, 10.1.1). */
export function refuseExpectation({ headers }: IncomingMessage, response: ServerResponse): void {
	const { problem: body } = problem(
		'expectation-failed',
		`Nothing here meets "Expect: ${headers.expect}".`,
	);
	response
		.writeHead(body.status, { 'content-type': problemType, connection: 'close' })
		.end(JSON.stringify(body));
}

function problemOf({ code }: NodeJS.ErrnoException) {
	if (code === 'HPE_HEADER_OVERFLOW') {
		return problem('headers-too-large', 'The request headers are too large.');
	}
	return code === 'ERR_HTTP_REQUEST_TIMEOUT'
		? problem('request-timeout', 'The request did not arrive in time.')
		: problem('malformed-request', 'This is not an HTTP request.');
}

/** Responds to what isn't HTTP, too large or too slow, and closes the connection. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
	if (!socket.writable) {
		socket.destroy();
		return;
	}
	const { problem: refused } = problemOf(error);
	socket.end(
		`HTTP/1.1 ${refused.status} ${refused.title}\r\ncontent-type: ${problemType}\r\n` +
			`connection: close\r\n\r\n${JSON.stringify(refused)}`,
	);
	socket.setTimeout(farewellMs, () => socket.destroy());
}

/** HTTP/1.1 asks for a Host header (RFC 9112, 3.2). */
export function requireHost({ httpVersion, headers }: IncomingMessage): void {
	if (httpVersion === '1.0' || headers.host !== undefined) return;
	throw problem('malformed-request', 'The request has no Host header.');
}
