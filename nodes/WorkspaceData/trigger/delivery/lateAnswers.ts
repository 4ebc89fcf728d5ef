/** Answers to deliveries that come late, not at all or without success: the service may pause the subscription for them. */

/** How late an answer may be, in ms: the interface does not say when a service gives up. */
const IN_TIME_MS = 5_000;
/** When to renew after one, in ms, unless a further delivery comes: the service may still be trying again. */
export const LATE_RENEWAL_MS = 540_000;

/** The part of n8n's response to a delivery that is needed here. */
export interface DeliveryResponse {
	readonly writableEnded: boolean;
	/** Whether the connection is closed: the sender may have hung up before n8n called the node. */
	readonly destroyed: boolean;
	readonly statusCode: number;
	once(event: 'finish' | 'close', listener: () => void): unknown;
}

/** Signs that a service may count a delivery as failed. */
export type StrainSign = 'late' | 'refused' | 'repeated' | 'hungUp';

export const isSuccess = ({ statusCode }: DeliveryResponse): boolean =>
	statusCode >= 200 && statusCode < 300;

/**
 * The sign that an answer gives, once n8n has sent it; undefined for one with success and in time.
 *
 * @param tookMs how long the delivery waited for it
 */
export function signOf(response: DeliveryResponse, tookMs: number): StrainSign | undefined {
	if (!isSuccess(response)) return 'refused';
	return tookMs > IN_TIME_MS ? 'late' : undefined;
}

/** What a late answer means, in words for the log. */
const STRAIN: Record<StrainSign, string> = {
	late: 'A delivery was answered late',
	refused: 'A delivery was not answered with success',
	repeated: 'A delivery came again',
	hungUp: 'A sender did not wait for the answer to its delivery',
};

/** What n8n's log says of a sign. */
export const strainWarning = (sign: StrainSign): string =>
	`${STRAIN[sign]}: n8n may have too little time or too few places for executions. In case the service pauses the subscription, the trigger renews it within ten minutes, unless deliveries continue`;
