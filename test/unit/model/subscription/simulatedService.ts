/** A small service that tries deliveries again and pauses subscriptions. Nothing in it waits; `now` is a number. */

/** When the service tries a delivery again. */
const BACKOFF_MS = [5_000, 30_000, 120_000];
const MAX_ATTEMPTS = 4;

/** A subscription at the service. */
export interface Remote {
	id: string;
	targetUrl: string;
	failures: number;
	state: 'active' | 'paused' | 'deleted';
}

interface Delivery {
	event: string;
	subscription: string;
	attempts: number;
	at: number;
}

export interface ServiceOptions {
	/** Whether it takes one subscription for an address. */
	onePerAddress: boolean;
}

/** A rule of 0.1.0, to show that the world finds it. */
export interface ServiceMutation {
	/** C7: any refusal of a new subscription makes the old one give way. */
	anyRefusalIsConflict?: boolean;
}

export class SimulatedService {
	readonly remotes = new Map<string, Remote>();

	private deliveries: Delivery[] = [];

	private refusals: number[] = [];

	private lostAnswers = 0;

	private lostDeletions = 0;

	private made = 0;

	private events = 0;

	/** How often it was asked for something; bounded in the end. */
	calls = 0;

	/** Whether it answers nothing. */
	isDown = false;

	/** Whether all answers to new subscriptions are lost. */
	losesAnswers = false;

	refusesDeletions = false;

	readonly onePerAddress: boolean;

	private readonly mutation: ServiceMutation;

	constructor({ onePerAddress }: ServiceOptions, mutation: ServiceMutation) {
		this.onePerAddress = onePerAddress;
		this.mutation = mutation;
	}

	/** Creates a subscription, unless something is in the way. */
	post(address: string): Remote | 'refused' | 'conflict' | 'lost' {
		this.calls += 1;
		if (this.isDown) return 'refused';
		const status = this.refusals.shift();
		if (status !== undefined) return this.mutation.anyRefusalIsConflict ? 'conflict' : 'refused';
		const isTaken = [...this.remotes.values()].some(
			(one) => one.targetUrl === address && one.state !== 'deleted',
		);
		if (this.onePerAddress && isTaken) return 'conflict';
		const remote: Remote = {
			id: `whk_${(this.made += 1)}`,
			targetUrl: address,
			failures: 0,
			state: 'active',
		};
		this.remotes.set(remote.id, remote);
		if (this.losesAnswers) return 'lost';
		if (this.lostAnswers > 0) {
			this.lostAnswers -= 1;
			return 'lost';
		}
		return remote;
	}

	/**
	 * Deletes a subscription.
	 *
	 * @param check gets the subscription before it is deleted
	 * @returns false for a deletion that is lost
	 */
	delete(id: string, check: (remote: Remote) => void): boolean {
		this.calls += 1;
		if (this.isDown || this.refusesDeletions) return false;
		if (this.lostDeletions > 0) {
			this.lostDeletions -= 1;
			return false;
		}
		const remote = this.remotes.get(id);
		if (remote) {
			check(remote);
			remote.state = 'deleted';
		}
		return true;
	}

	/** Something happens in the workspace: every active subscription must deliver it. */
	event(now: number): string {
		const event = `event ${(this.events += 1)}`;
		for (const { id, state } of this.remotes.values()) {
			if (state === 'active') {
				this.deliveries.push({ event, subscription: id, attempts: 0, at: now });
			}
		}
		return event;
	}

	/**
	 * Carries out the deliveries that are due.
	 *
	 * @param receive hands a delivery to its address; returns whether it is answered 200
	 */
	deliverDue(now: number, receive: (remote: Remote, event: string) => boolean): void {
		const due = this.deliveries.filter(({ at }) => at <= now);
		this.deliveries = this.deliveries.filter(({ at }) => at > now);
		for (const delivery of due) {
			const remote = this.remotes.get(delivery.subscription);
			if (remote?.state !== 'active') continue;
			if (receive(remote, delivery.event)) continue;
			remote.failures += 1;
			const attempts = delivery.attempts + 1;
			if (attempts >= MAX_ATTEMPTS) {
				remote.state = 'paused';
				continue;
			}
			const at = now + (BACKOFF_MS[attempts - 1] ?? 0);
			this.deliveries.push({ ...delivery, attempts, at });
		}
	}

	refuse(status: number): void {
		this.refusals.push(status);
	}

	/** Where a service takes one for an address, one that nobody knows is in the way for good. */
	loseAnswer(): void {
		if (!this.onePerAddress) this.lostAnswers += 1;
	}

	/** As `loseAnswer`: after a week of failures it is left behind. */
	loseDeletion(): void {
		if (!this.onePerAddress) this.lostDeletions += 1;
	}

	/** All that hinders ends. */
	recover(): void {
		this.refusals = [];
		this.lostAnswers = 0;
		this.lostDeletions = 0;
	}

	/** The subscriptions of an address that deliver. */
	live(address: string): string[] {
		return [...this.remotes.values()]
			.filter(({ targetUrl, state }) => targetUrl === address && state === 'active')
			.map(({ id }) => id);
	}
}
