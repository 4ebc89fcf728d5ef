/** Turns whatever is thrown in a request into a problem, and sends it. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isProblem, type Problem, problem, problemType } from '../foundation/problem.ts';

/** Fastify's own refusals, as our problems. */
function fromFastify(error: FastifyError, request: FastifyRequest): Problem | undefined {
	switch (error.code) {
		case 'FST_ERR_CTP_BODY_TOO_LARGE': {
			const { bodyLimit } = request.routeOptions;
			return problem('body-too-large', `A body may have at most ${bodyLimit} bytes here.`);
		}
		case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
			return problem('unsupported-media-type', 'Send bodies as application/json.');
		case 'FST_ERR_MAX_PARAM_LENGTH':
			return problem('malformed-request', 'A part of the path is too long.');
		case 'ECONNRESET':
		case 'ECONNABORTED':
		case 'ERR_STREAM_PREMATURE_CLOSE':
			return problem('malformed-request', 'The connection was closed before the body was there.');
	}
	const { code = '', statusCode = 500, message } = error;
	const isRefused = code.startsWith('FST_') && statusCode >= 400 && statusCode < 500;
	return isRefused ? problem('malformed-request', `${message}.`) : undefined;
}

/** Whatever was thrown, as a problem; what is the service's own fault is logged. */
export function toProblem(error: FastifyError | Problem, request: FastifyRequest): Problem {
	const known = isProblem(error) ? error : fromFastify(error, request);
	if (known) return known;
	request.log.error(error.stack ?? error.message);
	return problem('internal-error', 'Something went wrong in the service.');
}

/** Sends a problem with its own media type. */
export function sendProblem(reply: FastifyReply, error: Problem): FastifyReply {
	return reply
		.code(error.problem.status)
		.headers(error.headers)
		.type(problemType)
		.send(JSON.stringify(error.problem));
}
