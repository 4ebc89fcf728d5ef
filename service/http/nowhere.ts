/** Requests that lead nowhere: without a Host, to paths that don't exist, by methods that a path doesn't have. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { problem } from '../foundation/problem.ts';
import type { Guard } from './guard.ts';

/** Refuses them with 404, or with 405 and Allow, before anything else of the request is looked at. */
export function refuseNowhere(app: FastifyInstance, guard: Guard): void {
	const methodsOf = new Map<string, string[]>();
	app.addHook('onRoute', ({ url, method }) => {
		methodsOf.set(url, [methodsOf.get(url) ?? [], method].flat());
	});
	app.addHook('onRequest', async (request, reply) => {
		checkHost(request.raw);
		if (!request.is404) return;
		await guard.onPublicRequest(request, reply);
		const { method, url } = request;
		const [path = ''] = url.split('?', 1);
		const known = [...methodsOf].find(([route]) => toPattern(route).test(path));
		if (!known) throw problem('route-not-found', `There is nothing at ${method} ${path}.`);
		const allow = known[1].join(', ');
		throw problem('method-not-allowed', `${method} is not possible here, only ${allow}.`, {
			headers: { allow },
		});
	});
	// The hook has refused it.
	app.setNotFoundHandler(() => {});
}

/** The paths of a route. */
const toPattern = (route: string) =>
	new RegExp(`^${route.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`);

/** HTTP/1.1 asks for a Host header (RFC 9112, 3.2). */
function checkHost({ httpVersion, headers }: FastifyRequest['raw']): void {
	if (httpVersion === '1.0' || headers.host !== undefined) return;
	throw problem('malformed-request', 'The request has no Host header.');
}
