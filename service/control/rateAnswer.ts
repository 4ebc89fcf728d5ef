/** How a refusal for the rate looks. */
import type { FastifyReply } from 'fastify';
import { z } from 'zod/v4';

/** How a refusal for the rate looks; all but the first of each is for trying clients. */
export const rateAnswerSchema = z
	.object({
		status: z.literal([429, 403, 503]).default(429),
		/** Whether there is a Retry-After header. */
		retryAfter: z.boolean().default(true),
		/** Whether answers have the three headers at all. */
		headers: z.boolean().default(true),
		/** The form of X-RateLimit-Reset, on every answer. */
		reset: z.enum(['seconds', 'milliseconds', 'past', 'far', 'missing']).default('seconds'),
	})
	.strict();

/** How a refusal for the rate looks. */
export type RateAnswer = z.output<typeof rateAnswerSchema>;

/** X-RateLimit-Reset and a refusal as another service would send them. */
export function shapeRate(
	reply: FastifyReply,
	payload: unknown,
	{ status, retryAfter, reset, headers }: RateAnswer,
): unknown {
	if (!headers) {
		for (const name of ['limit', 'remaining', 'reset']) {
			void reply.removeHeader(`x-ratelimit-${name}`);
		}
	}
	const seconds = Number(reply.getHeader('x-ratelimit-reset'));
	const value = {
		seconds,
		milliseconds: seconds * 1000,
		past: seconds - 86_400,
		far: seconds + 365 * 86_400,
		missing: undefined,
	}[reset];
	if (value === undefined) void reply.removeHeader('x-ratelimit-reset');
	else if (reply.hasHeader('x-ratelimit-reset')) {
		void reply.header('x-ratelimit-reset', String(value));
	}
	if (reply.statusCode !== 429 || typeof payload !== 'string') return payload;
	if (!retryAfter) void reply.removeHeader('retry-after');
	void reply.code(status).removeHeader('content-length');
	return JSON.stringify({ ...(JSON.parse(payload) as object), status });
}
