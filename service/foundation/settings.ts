import { z } from 'zod/v4';

/** Longest time that a timer of Node takes, in ms; a longer one would fire at once. */
export const maximumTimerMs = 2 ** 31 - 1;

/** Most deliveries of one subscription at a time, and longest life of an access token, in seconds. */
export const maximumParallelDeliveries = 1_000;
export const maximumTokenLifetime = 2 ** 31 - 1;

/** Settings that can be changed while the service runs; set by options at the start, by control later. */
export const runtimeSettingsSchema = z.strictObject({
	/** Time before the first retry of a delivery, in ms; doubles with each further one. */
	backoffMs: z.number().min(0).max(maximumTimerMs),
	/** How long a target may take to answer a delivery, in ms. */
	deliveryTimeoutMs: z.int().min(1).max(maximumTimerMs),
	/** Deliveries of one subscription at a time; more than one gives the order up. */
	parallelDeliveries: z.int().min(1).max(maximumParallelDeliveries),
	/** Life of an access token, in seconds. */
	tokenLifetimeSeconds: z.int().min(1).max(maximumTokenLifetime),
});

/** Settings that can be changed while the service runs. */
export type RuntimeSettings = z.infer<typeof runtimeSettingsSchema>;

/** Failed attempts after which a subscription is paused. @see service interface, part 8 */
export const maximumFailures = 4;

/** Records in a page where the request does not say, and the most it may ask for. */
export const pageSize = { default: 50, maximum: 1_000 } as const;

/** Values that hold where the options say nothing. */
export const defaultSettings: Readonly<RuntimeSettings> = {
	backoffMs: 10_000,
	deliveryTimeoutMs: 10_000,
	parallelDeliveries: 1,
	tokenLifetimeSeconds: 300,
};
