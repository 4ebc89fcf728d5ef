/** Whatever goes wrong in a request, as a problem. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Guard } from '../auth/guard.ts';
import { isProblem, type Problem, problem, problemType } from '../foundation/problem.ts';

/** Sends what was thrown as a problem; what is the service's own fault is logged. */
export function sendProblem(
	error: FastifyError | Problem,
	request: FastifyRequest,
	reply: FastifyReply,
): FastifyReply {
	const known = isProblem(error) ? error : fromFastify(error, request);
	if (!known) request.log.error(error.stack ?? error.message);
	const { problem: body, headers } =
		known ?? problem('internal-error', 'Something went wrong in the service.');
	return reply.code(body.status).headers(headers).type(problemType).send(JSON.stringify(body));
}

/** Fastify's own refusals, as our problems. */
function fromFastify(error: FastifyError, request: FastifyRequest): Problem | undefined {
	const { code = '', statusCode = 500, message } = error;
	if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
		const { bodyLimit } = request.routeOptions;
		return problem('body-too-large', `A body may have at most ${bodyLimit} bytes here.`);
	}
	if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
		return problem('unsupported-media-type', 'Send bodies as application/json.');
	}
	if (['ECONNRESET', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE'].includes(code)) {
		return problem('malformed-request', 'The connection was closed before the body was there.');
	}
	const isRefused = code.startsWith('FST_') && statusCode >= 400 && statusCode < 500;
	return isRefused ? problem('malformed-request', `${message}.`) : undefined;
}

/** Refuses unknown paths with 404, and other methods with 405 and Allow, before anything else is looked at. */
export function refuseUnknownRoutes(app: FastifyInstance, guard: Guard): void {
	const routes: Array<{ path: RegExp; methods: string[] }> = [];
	app.addHook('onRoute', ({ url, method }) => {
		const pattern = url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+');
		routes.push({ path: new RegExp(`^${pattern}$`), methods: [method].flat() });
	});
	app.addHook('onRequest', async (request, reply) => {
		if (!request.is404) return;
		await guard.onPublicRequest(request, reply);
		const { method, url } = request;
		const [path = ''] = url.split('?', 1);
		const known = routes.filter((route) => route.path.test(path));
		const allow = known.flatMap(({ methods }) => methods).join(', ');
		throw allow === ''
			? problem('route-not-found', `There is nothing at ${method} ${path}.`)
			: problem('method-not-allowed', `${method} is not possible here, only ${allow}.`, {
					headers: { allow },
				});
	});
	// The hook has refused it.
	app.setNotFoundHandler(() => {});
}
