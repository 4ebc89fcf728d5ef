/**
 * Remembers the events that this process has accepted, so that a second delivery starts no second
 * execution.
 */
import { BoundedMap } from '../../model/boundedMap';
import type { Clock } from '../../transport/http/clock';
import { isSuccess, problemOf, type DeliveryResponse, type ResponseProblem } from './lateResponses';

/** A delivery that n8n is working on. */
interface Open {
	subscription: string;
	begunAt: number;
	/** Resolves once n8n has responded. */
	ended: Promise<void>;
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
 * Max keys for a node: enough for an overlap of 15 minutes at twenty deliveries a second, and about 2 MB.
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
	/** Who delivered each event. An event from two subscriptions is always a duplicate. */
	private readonly known = new BoundedMap<string, Pick<Open, 'subscription'>>(MAX_KNOWN);
	/** Oldest first, except for repetitions. */
	private readonly open = new Map<string, Open>();

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
		const { known, open } = this;
		const key = shortKey(event.key);
		const mayRun = (by: { subscription: string } | undefined) =>
			by === undefined || (event.mayRepeat && by.subscription === event.subscription);
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
		const ended = new Promise<void>((resolve) =>
			onEnd(response, () => {
				const now = clock.now();
				// Another delivery of the event may have replaced this one.
				if (this.open.get(key) === delivery) {
					this.open.delete(key);
					if (isSuccess(response)) this.known.set(key, { subscription });
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

	/** Forgets deliveries that n8n never responds to, so that a retry of one runs. */
	private giveUpUnanswered(now: number): void {
		for (const [key, { begunAt }] of this.open) {
			if (now - begunAt < MAX_WAIT_MS) return;
			this.open.delete(key);
		}
	}
}
