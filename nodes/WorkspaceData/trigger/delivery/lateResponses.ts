/**
 * Detects late and unsuccessful responses to deliveries, because the service may pause the subscription.
 */

/**
 * How late a response may be, in ms, before the service may count the delivery as failed. The interface
 * doesn't say when a service stops waiting.
 */
export const IN_TIME_MS = 5_000;
/**
 * The delay before a renewal after such a response, in ms, unless another delivery arrives: the service may
 * still retry.
 */
export const LATE_RENEWAL_MS = 540_000;

/** The required part of n8n's response to a delivery. */
export interface DeliveryResponse {
	/** True if the connection is closed: the sender may have hung up before n8n called the node. */
	readonly destroyed: boolean;
	readonly statusCode: number;
	once(event: 'close', listener: () => void): unknown;
	/** n8n calls it to respond. */
	end(...given: unknown[]): unknown;
}

export const isSuccess = ({ statusCode }: DeliveryResponse): boolean =>
	statusCode >= 200 && statusCode < 300;

/** The warning for n8n's log. It is true in every process, whether it can renew the subscription or not. */
export const DOUBT =
	"n8n responded to a delivery late or without success, or it came again: check n8n's load and its limit of executions. If deliveries stop, the trigger renews the subscription: in ten minutes, or in queue mode at the latest after 'Renew After Silence (Hours)'";
