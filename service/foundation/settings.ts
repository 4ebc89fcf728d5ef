/** The settings of the service: tiers, bounds, and what can be changed while it runs. */
import { z } from 'zod/v4';

/** Longest time that a timer of Node takes, in ms; a longer one would fire at once. */
export const maximumTimerMs = 2 ** 31 - 1;
/** Longest life of an access token, in seconds. */
export const maximumTokenLifetime = 2 ** 31 - 1;

/** Settings that can be changed while the service runs; set by options at the start, by control later. */
export const runtimeSettingsSchema = z.object({
	/** Time before the first retry of a delivery, in ms; doubles with each further one. */
	backoffMs: z.number().min(0).max(maximumTimerMs).default(10_000),
	/** How long a target may take to respond to a delivery, in ms. */
	deliveryTimeoutMs: z.int().min(1).max(maximumTimerMs).default(10_000),
	/** Deliveries of one subscription at a time; more than one gives the order up. */
	parallelDeliveries: z.int().min(1).max(1_000).default(1),
	/** Life of an access token, in seconds. */
	tokenLifetimeSeconds: z.int().min(1).max(maximumTokenLifetime).default(300),
});

/** Settings that can be changed while the service runs. */
export type RuntimeSettings = z.infer<typeof runtimeSettingsSchema>;

/** Records in a page if the request doesn't say, and the most it may ask for. */
export const pageSize = { default: 50, maximum: 1_000 } as const;

/** Requests per window of 60 s, by subscription tier (DECISIONS.md). */
export const tiers = { free: 60, standard: 600, business: 6_000, enterprise: 1_000_000 } as const;
/** Names of the tiers, smallest first. */
export const tierNames = ['free', 'standard', 'business', 'enterprise'] as const;
/** Name of a tier. */
export type Tier = (typeof tierNames)[number];

/** Names of the levels of the log. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
/** Least severe lines that are written. */
export type LogLevel = (typeof logLevels)[number];

/** Roles of a service account, least first (DECISIONS.md). */
export const roles = ['viewer', 'editor', 'admin'] as const;
/** The rights of a service account: read; read and change; the same. */
export type Role = (typeof roles)[number];
