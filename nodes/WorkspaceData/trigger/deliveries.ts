/** The deliveries that n8n works on or has taken, so that a repeated one starts no second execution. */
import type { IWebhookFunctions } from 'n8n-workflow';
import { BoundedMap } from '../values/boundedMap';

type DeliveryResponse = ReturnType<IWebhookFunctions['getResponseObject']>;

interface Receipt {
	begunAt: number;
	/** Until n8n has responded. */
	response: DeliveryResponse | undefined;
	/** True if n8n responded with 2xx. */
	isTaken: boolean;
}

/** About 5 MB. A delivery that is repeated after that many others runs again. */
const MAX_KNOWN = 20_000;
/** n8n never responds to some deliveries. In ms. */
const MAX_OPEN_MS = 600_000;

/** The deliveries of a node, by key. */
export class Deliveries {
	private readonly known = new BoundedMap<string, Receipt>(MAX_KNOWN);
	private readonly open = new Set<Receipt>();

	/** @returns false if the delivery is repeated: n8n works on it, or has taken it */
	begin(key: string, response: DeliveryResponse): boolean {
		// If the sender has hung up, no event tells that n8n has responded.
		for (const one of this.open) this.settle(one);
		const earlier = this.known.get(key);
		if (earlier && (earlier.isTaken || earlier.response)) return false;
		const receipt: Receipt = { begunAt: Date.now(), response, isTaken: false };
		this.known.set(key, receipt);
		this.open.add(receipt);
		response.once('finish', () => this.settle(receipt));
		return true;
	}

	/** Keeps only how n8n has responded, once it has. */
	private settle(receipt: Receipt): void {
		const { response, begunAt } = receipt;
		if (!response || (!response.writableEnded && Date.now() - begunAt < MAX_OPEN_MS)) return;
		const { statusCode, writableEnded } = response;
		receipt.isTaken = writableEnded && statusCode >= 200 && statusCode < 300;
		receipt.response = undefined;
		this.open.delete(receipt);
	}
}
