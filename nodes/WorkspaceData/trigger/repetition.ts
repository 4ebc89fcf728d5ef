import type { BoundedMap } from '../model/boundedMap';
import { wait, type Clock } from '../transport/clock';

/** What is needed of n8n's response to a delivery. */
export interface DeliveryResponse {
	readonly headersSent: boolean;
	readonly statusCode: number;
	once(event: 'finish' | 'close', listener: () => void): unknown;
}

/** A delivery that n8n has taken on. */
export interface Delivery {
	/** Whether it was answered with success; undefined as long as it is not answered. */
	accepted: boolean | undefined;
	/** The response as long as it is needed. */
	response: DeliveryResponse | undefined;
}

/** How often a second delivery looks whether the first one is answered, in ms. */
const LOOK_AGAIN_MS = 100;
/** How long it does so; services give up on a delivery earlier, and come again. */
const MAX_WAIT_MS = 60_000;

/**
 * Whether n8n answered. A service that gave up waiting closes the connection: n8n still goes on, and
 * what it then answers into the void says whether there is an execution.
 */
function isAccepted({ accepted, response }: Delivery): boolean | undefined {
	if (accepted !== undefined || !response?.headersSent) return accepted;
	return isSuccess(response);
}

const isSuccess = ({ statusCode }: DeliveryResponse): boolean =>
	statusCode >= 200 && statusCode < 300;

/**
 * Takes a delivery on, unless its event has been taken on before. While an earlier delivery of it is
 * under way, waits for what becomes of that one: if n8n could not save its execution, this one has to
 * run. A delivery counts only once it was answered with success.
 *
 * @returns false where the event has its execution
 */
export async function takeOn(
	deliveries: BoundedMap<string, Delivery>,
	key: string,
	response: DeliveryResponse,
	clock: Clock,
): Promise<boolean> {
	const end = clock.now() + MAX_WAIT_MS;
	for (;;) {
		const earlier = deliveries.get(key);
		const accepted = earlier ? isAccepted(earlier) : false;
		if (accepted) return false;
		if (accepted === false || clock.now() >= end) break;
		await wait(LOOK_AGAIN_MS, clock);
	}
	// In the same turn as the look: two deliveries that come together must not both get here.
	const delivery: Delivery = { accepted: undefined, response };
	deliveries.set(key, delivery);
	response.once('finish', () => {
		delivery.accepted = isSuccess(response);
		delivery.response = undefined;
	});
	return true;
}
