/** The response to a new webhook subscription. @see service interface, part 2, "Webhook subscription" */
import { z } from 'zod/v3';
import { identifier, jsonObject } from './parts';

/** Its identifier is `webhook_id`, or `id`. */
export const subscription = jsonObject
	.transform((shape) => ({ webhook_id: shape.id, ...shape }))
	.pipe(z.object({ webhook_id: identifier, secret: z.string().min(1) }))
	.transform(({ webhook_id: id, secret }) => ({ id, secret }));
