/**
 * Remembers the events that this process has accepted, so that a second delivery starts no second
 * execution.
 */
import { BoundedMap } from '../../values/boundedMap';
import { RESPONSE_IN_TIME_MS } from '../../model/subscription/subscriptionRules';
import type { Clock } from '../../transport/http/clock';
import type { TriggerNode } from '../subscription/node';

/** The required part of n8n's response to a delivery. */
interface DeliveryResponse {
	readonly statusCode: number;
	/** n8n calls it to respond. */
	end(...given: unknown[]): unknown;
}

/** A delivery that n8n is working on, or that it responded to with success. */
interface Delivery {
	subscription: string;
	begunAt: number;
	/** Resolves once n8n has responded; undefined after success. */
	ended: Promise<void> | undefined;
}

/**
 * Max keys for a node: enough for an overlap of 15 minutes at twenty deliveries a second, and about 5 MB.
 * Beyond it, an event that is delivered again runs twice.
 */
export const MAX_KNOWN = 20_000;
/** How long n8n may wait for a free slot, in ms. It never responds to some deliveries. */
const MAX_WAIT_MS = 600_000;

const isSuccess = ({ statusCode }: DeliveryResponse): boolean =>
	statusCode >= 200 && statusCode < 300;

/** Calls the listener when n8n responds. After the sender has hung up, no event reports this. */
function onEnd(response: DeliveryResponse, listener: () => void): void {
	const { end } = response;
	response.end = (...given) => {
		response.end = end;
		const ended = end.apply(response, given);
		listener();
		return ended;
	};
}

const accepted = new WeakMap<TriggerNode, Duplicates>();

/** The events that a node has accepted in this process. */
export function duplicatesOf(node: TriggerNode): Duplicates {
	const known = accepted.get(node) ?? new Duplicates();
	accepted.set(node, known);
	return known;
}

/** Recently accepted events, by key. */
export class Duplicates {
	/** The last delivery of each event. An event from two subscriptions is always a duplicate. */
	private readonly known = new BoundedMap<string, Delivery>(MAX_KNOWN);

	/**
	 * Claims an event for execution, unless it was claimed before. Waits for an earlier delivery of it that
	 * is still in progress: if n8n couldn't save that execution, this one must run. A delivery only counts
	 * after n8n responded to it with success.
	 *
	 * @param event its key, and the subscription that delivered it
	 * @param onDoubt is called for late, missing and repeated responses
	 * @returns true if the event is to be executed; false if it was executed
	 */
	async claim(
		{ key, subscription }: { key: string; subscription: string },
		response: DeliveryResponse,
		clock: Clock,
		onDoubt: () => void,
	): Promise<boolean> {
		if (this.known.get(key)?.subscription === subscription) onDoubt();
		for (;;) {
			const earlier = this.known.get(key);
			// A retry runs if n8n doesn't seem to respond.
			if (!earlier || (earlier.ended && clock.now() - earlier.begunAt >= MAX_WAIT_MS)) break;
			if (!earlier.ended) return false;
			await earlier.ended;
		}
		// There must be no wait after the check, or two simultaneous deliveries could both get here.
		const begunAt = clock.now();
		const ended = new Promise<void>((resolve) =>
			onEnd(response, () => {
				if (isSuccess(response)) delivery.ended = undefined;
				// Another delivery of the event may have replaced this one.
				else if (this.known.get(key) === delivery) this.known.delete(key);
				if (!isSuccess(response) || clock.now() - begunAt > RESPONSE_IN_TIME_MS) onDoubt();
				resolve();
			}),
		);
		const delivery: Delivery = { subscription, begunAt, ended };
		this.known.set(key, delivery);
		return true;
	}
}
