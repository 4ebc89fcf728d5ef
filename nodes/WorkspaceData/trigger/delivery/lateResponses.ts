/** Responses to deliveries that come late, not at all or without success: the service may pause the subscription for them. */

/** How late a response may be, in ms: the interface does not say when a service gives up. */
const IN_TIME_MS = 5_000;
/** When to renew after one, in ms, unless a further delivery comes: the service may still be trying again. */
export const LATE_RENEWAL_MS = 540_000;

/** The part of n8n's response to a delivery that is needed here. */
export interface DeliveryResponse {
	readonly writableEnded: boolean;
	/** Whether the connection is closed: the sender may have hung up before n8n called the node. */
	readonly destroyed: boolean;
	readonly statusCode: number;
	once(event: 'close', listener: () => void): unknown;
	/** n8n calls it to respond. */
	end(...given: unknown[]): unknown;
}

/** Why a service may count a delivery as failed. */
export type ResponseProblem = 'late' | 'refused' | 'repeated' | 'hungUp';

export const isSuccess = ({ statusCode }: DeliveryResponse): boolean =>
	statusCode >= 200 && statusCode < 300;

/**
 * The problem of a response, once n8n has sent it; undefined for one with success and in time.
 *
 * @param tookMs how long the delivery waited for it
 */
export function problemOf(response: DeliveryResponse, tookMs: number): ResponseProblem | undefined {
	if (!isSuccess(response)) return 'refused';
	return tookMs > IN_TIME_MS ? 'late' : undefined;
}

/** In words for the log. */
const PROBLEMS: Record<ResponseProblem, string> = {
	late: 'n8n responded late to a delivery',
	refused: 'n8n failed to respond to a delivery with success',
	repeated: 'A delivery came again',
	hungUp: "A sender didn't wait for the response to its delivery",
};

/** What n8n's log says of one. */
export const problemWarning = (problem: ResponseProblem): string =>
	`${PROBLEMS[problem]}: check n8n's load and its limit of executions. The trigger creates a new subscription in ten minutes unless events arrive`;
