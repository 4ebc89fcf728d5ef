/** Which events this process has accepted, so that a second delivery of one starts no second execution. */
import type { Clock } from '../../transport/http/clock';
import { isSuccess, problemOf, type DeliveryResponse, type ResponseProblem } from './lateResponses';

/** A delivery that n8n is working on. */
interface Open {
	subscription: string;
	begunAt: number;
	/** Resolves once n8n has responded. */
	ended: Promise<void>;
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
/** How long a second delivery waits for the first, in ms: as long as n8n may wait for a free slot. */
const MAX_WAIT_MS = 600_000;

/** Calls once the connection is closed; at once if it is. */
function onClose(response: DeliveryResponse, listener: () => void): void {
	if (response.destroyed) listener();
	else response.once('close', listener);
}

/** Calls once n8n responds. After the sender has hung up, no event reports that. */
function onEnd(response: DeliveryResponse, listener: () => void): void {
	const { end } = response;
	response.end = (...given) => {
		response.end = end;
		const ended = end.apply(response, given);
		listener();
		return ended;
	};
}

/** Resolves when a second delivery waits no longer: after ten minutes, or because its sender hung up. */
const patienceOf = async (response: DeliveryResponse, clock: Clock): Promise<'pending'> =>
	await new Promise((resolve) => {
		const turnOff = clock.alarm(MAX_WAIT_MS, () => resolve('pending'));
		onClose(response, () => {
			turnOff();
			resolve('pending');
		});
	});

/** The first 72 bits of a key: two of 100,000 are the same once in 10^12 nodes. */
const shortKey = (key: string): string =>
	Buffer.from(key, 'hex').toString('base64url', 0, 9) || key;

/** Recently accepted events, by key. */
export class Duplicates {
	/** Which subscription delivered an event, and when. Oldest first. */
	private readonly known = new Map<string, { subscription: string; at: number }>();
	/** Oldest first, but for repetitions. */
	private readonly open = new Map<string, Open>();
	/** As the latest event shows. */
	private overlaps = false;

	/**
	 * Claims an event for execution, unless it was claimed before. While an earlier delivery of it is under
	 * way, waits for the outcome: if n8n could not save its execution, this one must run. A delivery counts
	 * only once n8n responded to it with success.
	 *
	 * @param onProblem is called for late, missing and repeated responses
	 * @returns `accepted`: the event is to be executed; `duplicate`: it has its execution; `pending`: the
	 *   earlier delivery is still under way after ten minutes, or this sender hung up
	 */
	async claim(
		event: Claim,
		response: DeliveryResponse,
		clock: Clock,
		onProblem: (problem: ResponseProblem) => void = () => {},
	): Promise<'accepted' | 'duplicate' | 'pending'> {
		const { known, open } = this;
		const key = shortKey(event.key);
		const mayRun = (by: { subscription: string } | undefined) =>
			by === undefined || (event.mayRepeat && by.subscription === event.subscription);
		this.overlaps = event.overlaps;
		this.giveUpUnanswered(clock.now());
		const cameBefore = known.get(key) ?? open.get(key);
		if (cameBefore?.subscription === event.subscription && !event.mayRepeat) onProblem('repeated');
		let patience: Promise<'pending'> | undefined;
		for (;;) {
			if (!mayRun(known.get(key))) return 'duplicate';
			const earlier = open.get(key);
			if (!earlier || mayRun(earlier)) break;
			patience ??= patienceOf(response, clock);
			if ((await Promise.race([earlier.ended, patience])) === 'pending') return 'pending';
		}
		// Without a pause after the look: two deliveries that come together must not both get here.
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
		const ended = new Promise<void>((resolve) =>
			onEnd(response, () => {
				const now = clock.now();
				// Unless another one of the event has taken its place.
				if (this.open.get(key) === delivery) {
					this.open.delete(key);
					if (isSuccess(response)) this.remember(key, { subscription, at: now });
				}
				const problem = problemOf(response, now - begunAt);
				if (problem) onProblem(problem);
				resolve();
			}),
		);
		const delivery: Open = { subscription, begunAt, ended };
		this.open.set(key, delivery);
		onClose(response, () => {
			if (!response.writableEnded) onProblem('hungUp');
		});
	}

	private remember(key: string, event: { subscription: string; at: number }): void {
		this.known.delete(key);
		this.known.set(key, event);
		for (const [oldest, { at }] of this.known) {
			const isNeeded = this.overlaps || event.at - at <= RETRIES_MS;
			if (this.known.size <= MIN_KNOWN || (isNeeded && this.known.size <= MAX_KNOWN)) return;
			this.known.delete(oldest);
		}
	}

	/** Deliveries that n8n never responds to do not stay: a retry of one runs. */
	private giveUpUnanswered(now: number): void {
		for (const [key, { begunAt }] of this.open) {
			if (now - begunAt < MAX_WAIT_MS) return;
			this.open.delete(key);
		}
	}
}
