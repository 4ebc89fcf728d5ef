/** Requests to paths that don't exist, or by methods that a path doesn't have. */
import type { FastifyInstance } from 'fastify';
import { problem } from '../foundation/problem.ts';
import type { Guard } from './guard.ts';

/** Refuses them with 404, or with 405 and Allow, before anything else of the request is looked at. */
export function refuseUnknownRoutes(app: FastifyInstance, guard: Guard): void {
	const methodsOf = new Map<string, string[]>();
	app.addHook('onRoute', ({ url, method }) => {
		methodsOf.set(url, [methodsOf.get(url) ?? [], method].flat());
	});
	app.addHook('onRequest', async (request, reply) => {
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
