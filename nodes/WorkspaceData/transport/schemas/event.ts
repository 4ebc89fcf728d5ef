/** A delivered event. @see service interface, part 6, "Delivery" */
import { z } from 'zod/v3';
import { identifier, jsonObject } from './parts';

/** Only record events are shown in the interface, so everything but the event's name may be missing. */
export const event = z.object({
	event: z.string().min(1),
	timestamp: z.string().optional().catch(undefined),
	workspace_id: identifier.optional().catch(undefined),
	card_id: identifier.optional().catch(undefined),
	card_name: z.string().optional().catch(undefined),
	record_id: identifier.optional().catch(undefined),
	data: jsonObject.optional().catch(undefined),
});

export type ServiceEvent = z.infer<typeof event>;
