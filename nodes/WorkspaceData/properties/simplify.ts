/** The switch 'Simplify' of both nodes. */

/** Selects if records are returned as names and values, or as the service sends them. */
export const simplifyProperty = {
	displayName: 'Simplify',
	name: 'simple',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
} as const;
