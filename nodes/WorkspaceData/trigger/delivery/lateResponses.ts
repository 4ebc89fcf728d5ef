/**
 * Detects late, missing and unsuccessful responses to deliveries, because the service may pause the
 * subscription.
 */

/** How late a response may be, in ms. The interface doesn't say when a service stops waiting. */
const IN_TIME_MS = 5_000;
/**
 * The delay before a renewal after such a response, in ms, unless another delivery arrives: the service may
 * still retry.
 */
export const LATE_RENEWAL_MS = 540_000;

/** The required part of n8n's response to a delivery. */
export interface DeliveryResponse {
	readonly writableEnded: boolean;
	/** True if the connection is closed: the sender may have hung up before n8n called the node. */
	readonly destroyed: boolean;
	readonly statusCode: number;
	once(event: 'close', listener: () => void): unknown;
	/** n8n calls it to respond. */
	end(...given: unknown[]): unknown;
}

/** The reason why a service may count a delivery as failed. */
export type ResponseProblem = 'late' | 'refused' | 'repeated' | 'hungUp';

export const isSuccess = ({ statusCode }: DeliveryResponse): boolean =>
	statusCode >= 200 && statusCode < 300;

/**
 * The problem of a response, after n8n has sent it; undefined if it was successful and in time.
 *
 * @param tookMs how long the delivery waited for it
 */
export function problemOf(response: DeliveryResponse, tookMs: number): ResponseProblem | undefined {
	if (!isSuccess(response)) return 'refused';
	return tookMs > IN_TIME_MS ? 'late' : undefined;
}

/** The text for the log. */
const PROBLEMS: Record<ResponseProblem, string> = {
	late: 'n8n responded late to a delivery',
	refused: 'n8n failed to respond to a delivery with success',
	repeated: 'A delivery came again',
	hungUp: "A sender didn't wait for the response to its delivery",
};

/**
 * The warning for n8n's log.
 *
 * @param isMain true if this process maintains the subscription; it can't tell another one
 */
export const problemWarning = (problem: ResponseProblem, isMain: boolean): string =>
	`${PROBLEMS[problem]}: check n8n's load and its limit of executions. ${
		isMain
			? 'The trigger creates a new subscription in ten minutes unless events arrive'
			: "If the service pauses the subscription, the trigger renews it after 'Renew After Silence (Hours)', or when it is published again"
	}`;
