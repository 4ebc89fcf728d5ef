/** Settings that can be changed while the service runs: set by options at the start, by control later. */
import { z } from 'zod/v4';

/** Longest time that a timer of Node takes, in ms; a longer one would fire at once. */
export const maximumTimerMs = 2 ** 31 - 1;

export const settingsSchema = z.object({
	/** Time before the first retry of a delivery, in ms; doubles with each further one. */
	backoffMs: z.number().min(0).max(maximumTimerMs).default(10_000),
	/** How long a target may take to respond to a delivery, in ms. */
	deliveryTimeoutMs: z.int().min(1).max(maximumTimerMs).default(10_000),
	/** Life of an access token, in seconds. */
	tokenLifetimeSeconds: z.int().min(1).max(maximumTimerMs).default(300),
});

/** Settings that can be changed while the service runs. */
export type Settings = z.infer<typeof settingsSchema>;
