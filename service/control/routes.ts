/** Serves control over HTTP. */
import type { FastifyInstance } from 'fastify';
import { prettifyError, ZodError } from 'zod/v4';
import { hashSecret, secretMatches } from '../foundation/secrets.ts';
import type { Control } from './calls/index.ts';
import { isProblem, problem } from '../foundation/problem.ts';

/** Path of control. */
export const controlRoot = '/control';

/** Serves every call of control as `POST /control/<name>` with a JSON object, behind a token. */
export function addControlRoutes(app: FastifyInstance, control: Control, token: string) {
	const tokenHash = hashSecret(token);
	const calls = new Map(Object.entries(control as Record<string, (input: never) => unknown>));
	app.post<{ Params: { name: string } }>(
		`${controlRoot}/:name`,
		{
			schema: { hide: true },
			onRequest: async ({ headers }) => {
				const given = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
				if (given === undefined || !secretMatches(given, tokenHash)) {
					throw problem('invalid-credentials', 'Control needs its own token.');
				}
			},
		},
		async (request, reply) => {
			const { name } = request.params;
			const found = calls.get(name);
			if (!found) throw problem('route-not-found', `There is no control call "${name}".`);
			try {
				const result: unknown = await found((request.body ?? {}) as never);
				return await reply
					.type('application/json; charset=utf-8')
					.send(JSON.stringify(result ?? null));
			} catch (error) {
				if (isProblem(error)) throw error;
				const { message } = error as Error;
				const detail = error instanceof ZodError ? prettifyError(error) : message;
				throw problem('validation-failed', detail);
			}
		},
	);
}
