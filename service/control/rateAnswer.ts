/** How a refusal for the rate looks. */
import type { FastifyReply } from 'fastify';
import { z } from 'zod/v4';

/** How a refusal for the rate looks; all but the first of each is for trying clients. */
export const rateAnswerSchema = z.strictObject({
	status: z.literal([429, 403, 503]).default(429),
	/** Whether there is a Retry-After header. */
	retryAfter: z.boolean().default(true),
	/** Whether responses have the three headers at all. */
	headers: z.boolean().default(true),
	/** The form of X-RateLimit-Reset, on every response. */
	reset: z.enum(['seconds', 'milliseconds', 'past', 'far', 'missing']).default('seconds'),
});

/** How a refusal for the rate looks. */
export type RateAnswer = z.output<typeof rateAnswerSchema>;

const resets: Record<Exclude<RateAnswer['reset'], 'missing'>, (seconds: number) => number> = {
	seconds: (seconds) => seconds,
	milliseconds: (seconds) => seconds * 1000,
	past: (seconds) => seconds - 86_400,
	far: (seconds) => seconds + 365 * 86_400,
};

/** X-RateLimit-Reset and a refusal as another service would send them. */
export function shapeRate(reply: FastifyReply, payload: unknown, answer: RateAnswer): unknown {
	const { status, retryAfter, reset, headers } = answer;
	const names = ['limit', 'remaining', 'reset'].map((name) => `x-ratelimit-${name}`);
	if (!headers) for (const name of names) void reply.removeHeader(name);
	if (reset === 'missing') void reply.removeHeader('x-ratelimit-reset');
	else if (reply.hasHeader('x-ratelimit-reset')) {
		const seconds = Number(reply.getHeader('x-ratelimit-reset'));
		void reply.header('x-ratelimit-reset', String(resets[reset](seconds)));
	}
	if (reply.statusCode !== 429 || typeof payload !== 'string') return payload;
	if (!retryAfter) void reply.removeHeader('retry-after');
	void reply.code(status).removeHeader('content-length');
	return JSON.stringify({ ...(JSON.parse(payload) as object), status });
}
