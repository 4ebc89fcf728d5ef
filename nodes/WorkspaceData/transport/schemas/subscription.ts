/** The response to a new webhook subscription. @see service interface, part 2, "Webhook subscription" */
import { z } from 'zod/v3';
import { identifier } from './parts';

/** Its identifier is `webhook_id`, or `id`. */
export const subscription = z
	.object({
		webhook_id: identifier.optional(),
		id: identifier.optional(),
		secret: z.string().min(1),
	})
	.transform(({ webhook_id, id, secret }) => ({ id: webhook_id ?? id, secret }))
	.refine((shape): shape is Subscription => shape.id !== undefined, { path: ['webhook_id'] });

export interface Subscription {
	id: string;
	secret: string;
}
