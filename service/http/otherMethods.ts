/** Methods that a path does not have. */
import { METHODS } from 'node:http';
import type { RouteShorthandOptions } from 'fastify';
import { problem } from './problem.ts';
import type { App } from './context.ts';

/** Lets routes have every method that Node reads, so that each can be refused. */
export function knowAllMethods(app: App) {
	for (const method of METHODS) {
		if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
	}
}

/**
 * Answers 405 with Allow to the methods that a path does not have (DECISIONS.md, part 4).
 * @param possible the methods it has
 * @param hooks what runs before and after, as with the path's own methods
 */
export function refuseOtherMethods(
	app: App,
	url: string,
	possible: ReadonlySet<string>,
	hooks: Pick<RouteShorthandOptions, 'onRequest'> = {},
) {
	const allow = [...possible].join(', ');
	app.route({
		...hooks,
		method: app.supportedMethods.filter((method) => !possible.has(method)),
		url,
		schema: { hide: true },
		onRequest: [
			...[hooks.onRequest ?? []].flat(),
			async ({ method }) => {
				throw problem('method-not-allowed', `${method} is not possible here, only ${allow}.`, {
					headers: { allow },
				});
			},
		],
		handler: () => {},
	});
}
