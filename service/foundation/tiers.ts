/** The tiers of the rate limit. */

/** Requests per window of 60 s, by subscription tier (DECISIONS.md, part 8). */
export const tiers = {
	free: 60,
	standard: 600,
	business: 6_000,
	enterprise: 1_000_000,
} as const;

/** Names of the tiers, smallest first. */
export const tierNames = ['free', 'standard', 'business', 'enterprise'] as const;
/** Name of a tier. */
export type Tier = (typeof tierNames)[number];
