/**
 * Remembers the events that this process has accepted, so that a second delivery starts no second
 * execution.
 */
import { BoundedMap } from '../../model/boundedMap';
import type { Clock } from '../../transport/http/clock';
import { isSuccess, problemOf, type DeliveryResponse, type ResponseProblem } from './lateResponses';

/** A delivery that n8n is working on, or that it responded to with success. */
interface Delivery {
	subscription: string;
	begunAt: number;
	/** Resolves once n8n has responded; undefined after success. */
	ended: Promise<void> | undefined;
}

/** A verified event that is to be executed. */
export interface Claim {
	key: string;
	/** The subscription that delivered it. */
	subscription: string;
	/** True if the same subscription may deliver it again to have it executed again. */
	mayRepeat: boolean;
}

/**
 * Max keys for a node: enough for an overlap of 15 minutes at twenty deliveries a second, and about 3 MB.
 * Beyond it, an event that is delivered again runs twice.
 */
export const MAX_KNOWN = 20_000;
/** How long a second delivery waits for the first, in ms: as long as n8n may wait for a free slot. */
const MAX_WAIT_MS = 600_000;

/** Calls the listener when the connection is closed, or now if it already is. */
function onClose(response: DeliveryResponse, listener: () => void): void {
	if (response.destroyed) listener();
	else response.once('close', listener);
}

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

/** Resolves when a second delivery stops waiting: after ten minutes, or because its sender hung up. */
const patienceOf = async (response: DeliveryResponse, clock: Clock): Promise<'pending'> =>
	await new Promise((resolve) => {
		const turnOff = clock.alarm(MAX_WAIT_MS, () => resolve('pending'));
		onClose(response, () => {
			turnOff();
			resolve('pending');
		});
	});

/** The first 72 bits of a key: two of 20,000 collide once in 10^13 nodes. */
const shortKey = (key: string): string =>
	Buffer.from(key, 'hex').toString('base64url', 0, 9) || key;

/** Recently accepted events, by key. */
export class Duplicates {
	/** The last delivery of each event. An event from two subscriptions is always a duplicate. */
	private readonly known = new BoundedMap<string, Delivery>(MAX_KNOWN);

	/**
	 * Claims an event for execution, unless it was claimed before. Waits for an earlier delivery of it that
	 * is still in progress: if n8n couldn't save that execution, this one must run. A delivery only counts
	 * after n8n responded to it with success.
	 *
	 * @param onProblem is called for late, missing and repeated responses
	 * @returns `accepted`: the event is to be executed; `duplicate`: it was executed; `pending`: the
	 * earlier delivery is still in progress after ten minutes, or this sender hung up
	 */
	async claim(
		event: Claim,
		response: DeliveryResponse,
		clock: Clock,
		onProblem: (problem: ResponseProblem) => void = () => {},
	): Promise<'accepted' | 'duplicate' | 'pending'> {
		const key = shortKey(event.key);
		const isSame = this.known.get(key)?.subscription === event.subscription;
		if (isSame && !event.mayRepeat) onProblem('repeated');
		let patience: Promise<'pending'> | undefined;
		for (;;) {
			const earlier = this.known.get(key);
			if (!earlier || (event.mayRepeat && earlier.subscription === event.subscription)) break;
			if (!earlier.ended) return 'duplicate';
			// n8n never responds to some deliveries, so a retry of one runs.
			if (clock.now() - earlier.begunAt >= MAX_WAIT_MS) break;
			patience ??= patienceOf(response, clock);
			if ((await Promise.race([earlier.ended, patience])) === 'pending') return 'pending';
		}
		// There must be no wait after the check, or two simultaneous deliveries could both get here.
		this.begin(key, event.subscription, response, { clock, onProblem });
		return 'accepted';
	}

	private begin(
		key: string,
		subscription: string,
		response: DeliveryResponse,
		{ clock, onProblem }: { clock: Clock; onProblem: (problem: ResponseProblem) => void },
	): void {
		const begunAt = clock.now();
		const before = this.known.get(key);
		const ended = new Promise<void>((resolve) =>
			onEnd(response, () => {
				if (isSuccess(response)) delivery.ended = undefined;
				// Another delivery of the event may have replaced this one.
				else if (this.known.get(key) === delivery) {
					if (before && !before.ended) this.known.set(key, before);
					else this.known.delete(key);
				}
				const problem = problemOf(response, clock.now() - begunAt);
				if (problem) onProblem(problem);
				resolve();
			}),
		);
		const delivery: Delivery = { subscription, begunAt, ended };
		this.known.set(key, delivery);
		onClose(response, () => {
			if (!response.writableEnded) onProblem('hungUp');
		});
	}
}
