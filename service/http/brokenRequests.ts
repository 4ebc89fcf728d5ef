/** Answers to what node:http refuses before there is a request that Fastify could route. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { problemBody, problemType } from './problem.ts';

/** The headers for the rate of whoever is at an address. */
export type HeadersFor = (address: string) => Record<string, string>;

/** How long a refused connection may take to read why, in ms. */
const farewellMs = 1_000;

/** Answers an Expect header that is not 100-continue (RFC 9110, 10.1.1). */
export function refuseExpectation(headersFor: HeadersFor) {
	return ({ headers, socket }: IncomingMessage, response: ServerResponse) => {
		const body = problemBody(
			'expectation-failed',
			`Nothing here meets "Expect: ${headers.expect}".`,
		);
		response
			.writeHead(body.status, {
				...headersFor(socket.remoteAddress ?? ''),
				'content-type': problemType,
				connection: 'close',
			})
			.end(JSON.stringify(body));
	};
}

/** Answers what is no HTTP, too large or too slow, and closes the connection. */
export function answerBrokenRequest(headersFor: HeadersFor) {
	return (error: NodeJS.ErrnoException, socket: Socket) => {
		if (!socket.writable) {
			socket.destroy();
			return;
		}
		const refused =
			error.code === 'HPE_HEADER_OVERFLOW'
				? problemBody('headers-too-large', 'The request headers are too large.')
				: error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
					? problemBody('request-timeout', 'The request did not arrive in time.')
					: problemBody('malformed-request', 'This is not an HTTP request.');
		const body = JSON.stringify(refused);
		const headers = {
			...headersFor(socket.remoteAddress ?? ''),
			'content-type': problemType,
			'content-length': Buffer.byteLength(body),
			connection: 'close',
		};
		const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
		socket.end(`HTTP/1.1 ${refused.status} ${refused.title}\r\n${lines.join('')}\r\n${body}`);
		socket.setTimeout(farewellMs, () => socket.destroy());
	};
}
