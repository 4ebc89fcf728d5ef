/** Which events this process has taken on, so that a second delivery of one starts no second execution. */
import { wait, type Clock } from '../../transport/http/clock';

/** The part of n8n's response to a delivery that is needed here. */
export interface DeliveryResponse {
	readonly writableEnded: boolean;
	readonly statusCode: number;
	once(event: 'finish' | 'close', listener: () => void): unknown;
}

/** A delivery that n8n is working on; without its response once that was garbage-collected. */
interface Open {
	subscription: string;
	response(): DeliveryResponse | undefined;
	/** Its sender hung up: until when to look for n8n's answer, in ms since the epoch. */
	watchedUntil?: number;
}

/** The events of late, by their keys. */
export interface Duplicates {
	/**
	 * Takes an event on, unless it was taken on before. While an earlier delivery of it is under way, waits
	 * for what becomes of that one: if n8n could not save its execution, this one must run. A delivery
	 * counts only once n8n answered it with success.
	 *
	 * @param event its key, the id of the subscription that delivered it, and whether that one may deliver it
	 *   again to have it executed again; what another subscription delivers too is always a duplicate
	 * @returns `taken`: the event is to be executed; `known`: it has its execution; `undecided`: the earlier
	 *   delivery is still under way after ten minutes, or this sender hung up
	 */
	claim(
		event: { key: string; subscription: string; mayRepeat: boolean },
		response: DeliveryResponse,
		clock: Clock,
	): Promise<'accepted' | 'duplicate' | 'pending'>;
}

/**
 * Most events that are remembered for a node: 1,000 keys of 64 characters take less than 200 kB. The
 * retries of a delivery come within minutes.
 */
export const MAX_KNOWN = 1_000;
/** Most deliveries of a node whose senders hung up and whose outcome is still waited for. */
const MAX_HUNG_UP = 200;
/** How often a second delivery looks whether the first one is answered, in ms. */
const LOOK_AGAIN_MS = 100;
/** How long a second delivery waits for the first, in ms: as long as n8n may wait for a free slot. */
const MAX_WAIT_MS = 600_000;
/** How often to look whether n8n has answered although the sender hung up, in ms: no event tells. */
const HUNG_UP_INTERVAL_MS = 1_000;

const isSuccess = ({ statusCode }: DeliveryResponse): boolean =>
	statusCode >= 200 && statusCode < 300;

/** Gives an object as long as somebody else keeps it. Of its own, so that the closure holds nothing else. */
function weakly<T extends object>(object: T): () => T | undefined {
	const weak = new WeakRef(object);
	return () => weak.deref();
}

/** Creates an empty memory of events. */
export function createDuplicates(): Duplicates {
	/** Which subscription delivered an event, by the event's key. */
	const known = new Map<string, string>();
	const open = new Map<string, Open>();
	let isWatching = false;

	function remember(key: string, subscription: string): void {
		known.delete(key);
		known.set(key, subscription);
		if (known.size <= MAX_KNOWN) return;
		const [oldest] = known.keys();
		if (oldest !== undefined) known.delete(oldest);
	}

	/** Notes the end of a delivery, unless another one of the event has taken its place. */
	function settle(key: string, delivery: Open): void {
		if (open.get(key) !== delivery) return;
		open.delete(key);
		const response = delivery.response();
		if (response?.writableEnded && isSuccess(response)) remember(key, delivery.subscription);
	}

	const hungUp = () => [...open].filter(([, { watchedUntil }]) => watchedUntil !== undefined);

	/**
	 * Looks for n8n's answers to senders that are gone, as long as there are any. Does not keep their
	 * requests, which can be large, in memory: n8n does as long as it works on them.
	 */
	async function watchHungUp(clock: Clock): Promise<void> {
		if (isWatching) return;
		isWatching = true;
		for (let left = hungUp(); left.length > 0; left = hungUp()) {
			for (const [key, delivery] of left) {
				const isOver = (delivery.watchedUntil ?? 0) <= clock.now();
				if (isOver || delivery.response()?.writableEnded !== false) settle(key, delivery);
			}
			await clock.sleep(HUNG_UP_INTERVAL_MS);
		}
		isWatching = false;
	}

	function begin(
		key: string,
		subscription: string,
		response: DeliveryResponse,
		clock: Clock,
	): void {
		const delivery: Open = { subscription, response: () => response };
		open.set(key, delivery);
		response.once('finish', () => settle(key, delivery));
		response.once('close', () => {
			if (response.writableEnded) settle(key, delivery);
			if (open.get(key) !== delivery) return;
			delivery.response = weakly(response);
			delivery.watchedUntil = clock.now() + MAX_WAIT_MS;
			const [oldest, ...others] = hungUp();
			if (oldest && others.length >= MAX_HUNG_UP) open.delete(oldest[0]);
			void watchHungUp(clock);
		});
	}

	return {
		async claim({ key, subscription, mayRepeat }, response, clock) {
			const isRepeated = (by: string | undefined) => mayRepeat && by === subscription;
			const end = clock.now() + MAX_WAIT_MS;
			let hungUp = false;
			let isWaiting = false;
			for (;;) {
				const earlier = open.get(key);
				// Held while this one waits, so that its outcome is not lost.
				const answer = earlier?.response();
				if (earlier && answer?.writableEnded !== false) settle(key, earlier);
				if (known.has(key) && !isRepeated(known.get(key))) return 'duplicate';
				if (!open.has(key) || isRepeated(earlier?.subscription)) break;
				if (hungUp || clock.now() >= end) return 'pending';
				if (!isWaiting) response.once('close', () => (hungUp = true));
				isWaiting = true;
				await wait(LOOK_AGAIN_MS, clock);
			}
			// In the same turn as the look: two deliveries that come together must not both get here.
			begin(key, subscription, response, clock);
			return 'accepted';
		},
	};
}
