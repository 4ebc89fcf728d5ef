/**
 * A small world for the rules of `model/subscription/reducer.ts`: a service and an n8n, for which time passes,
 * and what must hold in it.
 */
import {
	type Installation,
	type N8nMutation,
	type N8nOptions,
	type Reason,
	SILENCE_MS,
	SimulatedN8n,
} from './simulatedN8n';
import {
	type Remote,
	type ServiceMutation,
	type ServiceOptions,
	SimulatedService,
} from './simulatedService';

export type WorldOptions = N8nOptions & ServiceOptions;
export type Mutation = N8nMutation & ServiceMutation;

export class World {
	readonly service: SimulatedService;

	readonly n8n: SimulatedN8n;

	private readonly options: WorldOptions;

	private readonly time = { now: 1_000_000_000_000 };

	constructor(options: WorldOptions, mutation: Mutation = {}) {
		this.options = options;
		this.service = new SimulatedService(options, mutation);
		this.n8n = new SimulatedN8n(options, mutation, {
			service: this.service,
			time: this.time,
			checkDeletion: (...deletion) => this.checkDeletion(...deletion),
		});
	}

	/** Fails if a subscription is deleted that must stay. */
	private checkDeletion(installation: Installation, remote: Remote, reason: Reason): void {
		if (remote.state === 'deleted' || !installation.isPublished) return;
		if (remote.targetUrl !== installation.address) {
			throw new Error(`${remote.id} of another address was deleted`);
		}
		if (remote.state !== 'active' || reason === 'unpublished' || reason === 'conflict') return;
		const { database, main } = installation;
		const inMemory = [
			...(main?.set.retired ?? []),
			...(main?.set.current ? [main.set.current] : []),
		];
		// Main's memory counts where main receives the deliveries. A subscription that a hook made is saved in a
		// moment; if n8n is killed before, the next start makes another.
		const remembers = installation.processors.length === 0 || main?.set.trust === 'here';
		const isKnown = (id: string) =>
			[...database.retired, ...(database.current ? [database.current] : [])].some(
				(one) => one.id === id,
			) ||
			(remembers && inMemory.some((one) => one.id === id));
		// Where another node's execution deleted what was saved, main has it saved again.
		const { blindWorkers, probesWork } = this.options;
		const isSavedAgain = blindWorkers && probesWork && inMemory.some(({ id }) => id === remote.id);
		if (!isKnown(remote.id) && !isSavedAgain) return;
		const successor = [...this.service.remotes.values()].some(
			(one) =>
				one.id !== remote.id &&
				one.targetUrl === remote.targetUrl &&
				one.state === 'active' &&
				isKnown(one.id),
		);
		if (!successor) throw new Error(`${remote.id} worked and was deleted without a successor`);
	}

	/** Something happens in the workspace. */
	event(): string {
		return this.service.event(this.time.now);
	}

	/** Time passes; n8n's cron ticks and the service delivers. */
	pass(ms: number, step = 10_000): void {
		const { time, service, n8n } = this;
		const end = time.now + ms;
		while (time.now < end) {
			time.now = Math.min(end, time.now + step);
			// Even the shortest step is longer than main waits for an answer: five seconds.
			n8n.giveUpProbes();
			n8n.endDueLong();
			n8n.runDueJobs();
			service.deliverDue(time.now, (remote, event) => n8n.receive(remote, event));
			n8n.tick();
		}
	}

	/** n8n is off for a while; the service continues. */
	sleep(ms: number): void {
		const { time, service, n8n } = this;
		n8n.kill();
		time.now += ms;
		service.deliverDue(time.now, (remote, event) => n8n.receive(remote, event));
		n8n.start();
	}

	/** All that hinders ends, and n8n runs; then time passes in which everything can come to rest. */
	comeToRest(): void {
		this.n8n.becomePrompt();
		this.service.recover();
		this.n8n.recover();
		for (let round = 0; round < 12; round += 1) {
			this.event();
			this.pass(720_000, 30_000);
		}
		// A subscription that an overwritten copy left behind is deleted with the next renewal.
		this.pass(SILENCE_MS + 3_600_000, 300_000);
	}

	/** The subscriptions that deliver to n8n. */
	get live(): string[] {
		return this.service.live(this.n8n.original.address);
	}

	/** Events that were answered 200 and had no execution. */
	get lost(): string[] {
		const { acknowledged, executions } = this.n8n;
		return [...acknowledged].filter((event) => !executions.has(event));
	}
}
