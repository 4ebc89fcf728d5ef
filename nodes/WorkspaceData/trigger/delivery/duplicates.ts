/** Which events this process has accepted, so that a second delivery of one starts no second execution. */
import { wait, type Clock } from '../../transport/http/clock';
import { isSuccess, signOf, type DeliveryResponse, type StrainSign } from './lateAnswers';

/** A delivery that n8n is working on; without its response once that was garbage-collected. */
interface Open {
	subscription: string;
	response(): DeliveryResponse | undefined;
	/** Its sender hung up: until when to look for n8n's answer, in ms since the epoch. */
	watchedUntil?: number;
}

/** A verified event that wants an execution. */
export interface Claim {
	key: string;
	/** The subscription that delivered it. */
	subscription: string;
	/** Whether that one may deliver it again to have it executed again. */
	mayRepeat: boolean;
	/** Whether another subscription may deliver it, too; what two deliver is always a duplicate. */
	overlaps: boolean;
}

/** Keys that are remembered however old they are: some 80 kB for a node. */
export const MIN_KNOWN = 1_000;
/**
 * Most keys that are remembered for a node: during an overlap of 15 minutes at a hundred deliveries a second,
 * and some 10 MB. Beyond it, an event that an old subscription delivers that late runs twice.
 */
export const MAX_KNOWN = 100_000;
/** How long the retries of a delivery may come, in ms. While subscriptions overlap, keys are kept longer. */
const RETRIES_MS = 3_600_000;
/** Most deliveries of a node whose senders hung up and whose outcome is still waited for. */
const MAX_HUNG_UP = 200;
/** How often a second delivery looks whether the first one is answered, in ms. */
const LOOK_AGAIN_MS = 100;
/** How long a second delivery waits for the first, in ms: as long as n8n may wait for a free slot. */
const MAX_WAIT_MS = 600_000;
/** How often to look whether n8n has answered although the sender hung up, in ms: no event tells. */
const HUNG_UP_INTERVAL_MS = 1_000;

/** Calls once the connection is closed; at once if it is. */
function onClose(response: DeliveryResponse, listener: () => void): void {
	if (response.destroyed) listener();
	else response.once('close', listener);
}

/** Gives an object as long as somebody else keeps it. A function, so that its closure keeps nothing else. */
function weakly<T extends object>(object: T): () => T | undefined {
	const weak = new WeakRef(object);
	return () => weak.deref();
}

/** The first 72 bits of a key: two of 100,000 are the same once in 10^12 nodes. */
const shortKey = (key: string): string =>
	Buffer.from(key, 'hex').toString('base64url', 0, 9) || key;

/** Recently accepted events, by key. */
export class Duplicates {
	/** Which subscription delivered an event, and when. Oldest first. */
	private readonly known = new Map<string, { subscription: string; at: number }>();
	private readonly open = new Map<string, Open>();
	private isWatching = false;
	/** As the latest event tells. */
	private overlaps = false;

	/**
	 * Claims an event for execution, unless it was claimed before. While an earlier delivery of it is under
	 * way, waits for the outcome: if n8n could not save its execution, this one must run. A delivery counts
	 * only once n8n answered it with success.
	 *
	 * @param onStrain hears of late, missing and repeated answers
	 * @returns `accepted`: the event is to be executed; `duplicate`: it has its execution; `pending`: the
	 *   earlier delivery is still under way after ten minutes, or this sender hung up
	 */
	async claim(
		event: Claim,
		response: DeliveryResponse,
		clock: Clock,
		onStrain: (sign: StrainSign) => void = () => {},
	): Promise<'accepted' | 'duplicate' | 'pending'> {
		const { known, open } = this;
		const { subscription, mayRepeat } = event;
		this.overlaps = event.overlaps;
		const key = shortKey(event.key);
		const isRepeated = (by: string | undefined) => mayRepeat && by === subscription;
		const cameBefore = known.get(key)?.subscription ?? open.get(key)?.subscription;
		if (cameBefore === subscription && !mayRepeat) onStrain('repeated');
		const end = clock.now() + MAX_WAIT_MS;
		let hungUp = false;
		let isWaiting = false;
		for (;;) {
			const earlier = open.get(key);
			// Kept while this one waits, so that its outcome is not lost.
			const answer = earlier?.response();
			if (earlier && answer?.writableEnded !== false) this.settle(key, earlier, clock);
			if (known.has(key) && !isRepeated(known.get(key)?.subscription)) return 'duplicate';
			if (!open.has(key) || isRepeated(earlier?.subscription)) break;
			if (hungUp || clock.now() >= end) return 'pending';
			if (!isWaiting) onClose(response, () => (hungUp = true));
			isWaiting = true;
			await wait(LOOK_AGAIN_MS, clock);
		}
		// Without a pause after the look: two deliveries that come together must not both get here.
		this.begin(key, { subscription, response: () => response }, clock, onStrain);
		return 'accepted';
	}

	private begin(
		key: string,
		delivery: Open,
		clock: Clock,
		onStrain: (sign: StrainSign) => void,
	): void {
		const response = delivery.response() as DeliveryResponse;
		const begunAt = clock.now();
		this.open.set(key, delivery);
		response.once('finish', () => {
			this.settle(key, delivery, clock);
			const sign = signOf(response, clock.now() - begunAt);
			if (sign) onStrain(sign);
		});
		onClose(response, () => {
			if (response.writableEnded) this.settle(key, delivery, clock);
			else onStrain('hungUp');
			if (this.open.get(key) !== delivery) return;
			delivery.response = weakly(response);
			delivery.watchedUntil = clock.now() + MAX_WAIT_MS;
			const [oldest, ...others] = this.hungUp();
			if (oldest && others.length >= MAX_HUNG_UP) this.open.delete(oldest[0]);
			void this.watchHungUp(clock);
		});
	}

	/** Notes the end of a delivery, unless another one of the event has taken its place. */
	private settle(key: string, delivery: Open, clock: Clock): void {
		if (this.open.get(key) !== delivery) return;
		this.open.delete(key);
		const response = delivery.response();
		if (!response?.writableEnded || !isSuccess(response)) return;
		const now = clock.now();
		this.known.delete(key);
		this.known.set(key, { subscription: delivery.subscription, at: now });
		for (const [oldest, { at }] of this.known) {
			const isNeeded = this.overlaps || now - at <= RETRIES_MS;
			if (this.known.size <= MIN_KNOWN || (isNeeded && this.known.size <= MAX_KNOWN)) return;
			this.known.delete(oldest);
		}
	}

	private hungUp(): Array<[string, Open]> {
		return [...this.open].filter(([, { watchedUntil }]) => watchedUntil !== undefined);
	}

	/**
	 * Looks for n8n's answers to senders that are gone, as long as there are any. Does not keep their
	 * requests, which can be large, in memory: n8n does as long as it works on them.
	 */
	private async watchHungUp(clock: Clock): Promise<void> {
		if (this.isWatching) return;
		this.isWatching = true;
		for (let left = this.hungUp(); left.length > 0; left = this.hungUp()) {
			for (const [key, delivery] of left) {
				const isOver = (delivery.watchedUntil ?? 0) <= clock.now();
				if (isOver || delivery.response()?.writableEnded !== false)
					this.settle(key, delivery, clock);
			}
			await clock.sleep(HUNG_UP_INTERVAL_MS);
		}
		this.isWatching = false;
	}
}
