/** What can be changed while the service runs; set by options at the start, by control later. */
export interface RuntimeSettings {
	/** Time before the first retry of a delivery, in ms; doubles with each further one. */
	backoffMs: number;
	/** How long a target may take to answer a delivery, in ms. */
	deliveryTimeoutMs: number;
	/** Deliveries of one subscription at a time; more than one gives the order up. */
	parallelDeliveries: number;
	/** Life of an access token, in seconds. */
	tokenLifetimeSeconds: number;
	/** Time that every API answer is held back, in ms. */
	latencyMs: number;
	/** How cursors behave: properly, or as a broken service would. */
	paging: 'normal' | 'repeatCursor' | 'endless';
}

/** Failed attempts after which a subscription is paused. @see service interface, part 8 */
export const maximumFailures = 4;

/** Records in a page where the request does not say, and the most it may ask for. */
export const pageSize = { default: 50, maximum: 500 } as const;

/** Largest request body, in bytes. */
export const maximumBodyBytes = 8 * 1024 * 1024;

/** Values that hold where the options say nothing. */
export const defaultSettings: Readonly<RuntimeSettings> = {
	backoffMs: 10_000,
	deliveryTimeoutMs: 10_000,
	parallelDeliveries: 1,
	tokenLifetimeSeconds: 300,
	latencyMs: 0,
	paging: 'normal',
};
