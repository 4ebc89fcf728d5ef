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
