/**
 * A small world for the rules of `model/subscriptionRules.ts`: a service that pauses subscriptions, and
 * an n8n of several processes that can be killed at any step. Nothing of it waits; time is a number.
 */
import {
	NO_SUBSCRIPTIONS,
	type StoredSubscriptions,
} from '../../../nodes/WorkspaceData/model/subscription';
import type {
	Happening,
	ProbeAnswer,
	Todo,
} from '../../../nodes/WorkspaceData/model/subscriptionHappening';
import { readBack } from '../../../nodes/WorkspaceData/model/subscriptionReadBack';
import { happened } from '../../../nodes/WorkspaceData/model/subscriptionRules';
import {
	accepted,
	EMPTY_SET,
	isOverwritten,
	stored,
	type SubscriptionSet,
	withStored,
} from '../../../nodes/WorkspaceData/model/subscriptionSet';

const OVERLAP_MS = 15 * 60_000;
export const SILENCE_MS = 24 * 3_600_000;
/** When the service tries a delivery again. */
const BACKOFF_MS = [5_000, 30_000, 120_000];
const MAX_ATTEMPTS = 4;

/** A subscription at the service. */
interface Remote {
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

/** The ways of a probe: `slowThere` and `slowBack` are answered when `answerProbe` is called. */
export type ProbeWay = 'lost' | 'hangs' | 'slowThere' | 'slowBack';

/** A probe under way. */
interface Probe {
	owner: Installation;
	sentBy: Process;
	generation: number;
	/** Answers with what is saved at this moment; undefined for a probe that hangs. */
	answer: (() => ProbeAnswer) | undefined;
}

/** A rule of 0.1.0, or one that suggests itself, to show that the world finds it. */
export interface Mutation {
	/** C3: an old subscription's event waits for the new one, which has not been seen to deliver. */
	leavesToNew?: boolean;
	/** C5: what is due is deleted without reading back what is saved. */
	readsNothingBack?: boolean;
	/** C6: subscriptions of other addresses are deleted. */
	deletesForeign?: boolean;
	/** C7: any refusal of a new subscription makes the old one give way. */
	anyRefusalIsConflict?: boolean;
	/** A probe is verified against what the process that gets it remembers. */
	probesMemory?: boolean;
	/** Whatever becomes of a probe, what is due is deleted. */
	believesAnyAnswer?: boolean;
}

/** A process of n8n: `main` looks after the subscriptions, `processor` only receives deliveries. */
interface Process {
	kind: 'main' | 'processor';
	set: SubscriptionSet;
	taken: Set<string>;
}

interface Job {
	owner: Installation;
	epoch: number;
	state: StoredSubscriptions;
	generation: number;
	deletes: string[];
	isSettled: boolean;
	startedBy: Process;
	/** When main itself had n8n save the state. */
	savedAt: number | undefined;
}

/** One n8n with its database and address; in queue mode executions run in workers. */
interface Installation {
	address: string;
	queueMode: boolean;
	database: StoredSubscriptions;
	main: Process | undefined;
	processors: Process[];
	epoch: number;
	isPublished: boolean;
}

export interface WorldOptions {
	queueMode: boolean;
	processors: number;
	onePerAddress: boolean;
	/** Whether executions run as soon as they are started. */
	prompt: boolean;
	/** Whether workers get no static data, as those of n8n 2.41: then main has n8n save its own. */
	blindWorkers?: boolean;
	/** Whether the probes that main sends itself are always answered at once. */
	probesWork?: boolean;
}

export class World {
	now = 1_000_000_000_000;

	readonly remotes = new Map<string, Remote>();

	readonly installations: Installation[];

	private deliveries: Delivery[] = [];

	private jobs: Job[] = [];

	/** Executions by event. */
	readonly executions = new Map<string, number>();

	/** Events answered 200. */
	readonly acknowledged = new Set<string>();

	private refusals: number[] = [];

	private lostAnswers = 0;

	private lostDeletions = 0;

	private unheardEnds = 0;

	private probeWays: ProbeWay[] = [];

	private probes: Probe[] = [];

	/** Executions without items that main started. */
	saves = 0;

	private longExecutions: Array<{ database: StoredSubscriptions; endsAt: number }> = [];

	private made = 0;

	private events = 0;

	private turn = 0;

	/** How often main asked the service for something; bounded in the end. */
	calls = 0;

	private readonly options: WorldOptions;

	private readonly mutation: Mutation;

	private isPrompt: boolean;

	constructor(options: WorldOptions, mutation: Mutation = {}) {
		this.options = options;
		this.mutation = mutation;
		this.isPrompt = options.prompt;
		this.installations = [this.install('https://n8n/1', NO_SUBSCRIPTIONS)];
	}

	private install(address: string, database: StoredSubscriptions): Installation {
		return {
			address,
			queueMode: this.options.queueMode,
			database,
			main: undefined,
			processors: Array.from({ length: this.options.processors }, () => this.process('processor')),
			epoch: 0,
			isPublished: false,
		};
	}

	private process(kind: Process['kind']): Process {
		return { kind, set: EMPTY_SET, taken: new Set() };
	}

	get original(): Installation {
		const [first] = this.installations;
		if (!first) throw new Error('There is no n8n');
		return first;
	}

	// --- The service.

	private post(address: string): Remote | 'refused' | 'conflict' | 'lost' {
		this.calls += 1;
		const status = this.refusals.shift();
		if (status !== undefined) return this.mutation.anyRefusalIsConflict ? 'conflict' : 'refused';
		const isTaken = [...this.remotes.values()].some(
			(one) => one.targetUrl === address && one.state !== 'deleted',
		);
		if (this.options.onePerAddress && isTaken) return 'conflict';
		const remote: Remote = {
			id: `whk_${(this.made += 1)}`,
			targetUrl: address,
			failures: 0,
			state: 'active',
		};
		this.remotes.set(remote.id, remote);
		if (this.lostAnswers > 0) {
			this.lostAnswers -= 1;
			return 'lost';
		}
		return remote;
	}

	/** Something happens in the workspace: every active subscription must deliver it. */
	event(): string {
		const event = `event ${(this.events += 1)}`;
		for (const { id, state } of this.remotes.values()) {
			if (state === 'active') {
				this.deliveries.push({ event, subscription: id, attempts: 0, at: this.now });
			}
		}
		return event;
	}

	/** Carries out the deliveries that are due. */
	private deliverDue(): void {
		const due = this.deliveries.filter(({ at }) => at <= this.now);
		this.deliveries = this.deliveries.filter(({ at }) => at > this.now);
		for (const delivery of due) {
			const remote = this.remotes.get(delivery.subscription);
			if (remote?.state !== 'active') continue;
			if (this.receive(remote, delivery.event)) continue;
			remote.failures += 1;
			const attempts = delivery.attempts + 1;
			if (attempts >= MAX_ATTEMPTS) {
				remote.state = 'paused';
				continue;
			}
			const at = this.now + (BACKOFF_MS[attempts - 1] ?? 0);
			this.deliveries.push({ ...delivery, attempts, at });
		}
	}

	/** A delivery reaches one of the processes at its address. @returns whether it is answered 200 */
	private receive(remote: Remote, event: string): boolean {
		const installation = this.installations.find(({ address }) => address === remote.targetUrl);
		if (!installation?.isPublished) return false;
		const { main, processors, database } = installation;
		const receivers = processors.length > 0 ? processors : main ? [main] : [];
		this.turn += 1;
		const receiver = receivers[this.turn % receivers.length];
		if (!receiver) return false;
		this.tell(receiver, { what: 'read', stored: database });
		const known = withStored(receiver.set, database, this.now);
		if (!accepted(known, this.now).some(({ id }) => id === remote.id)) return false;
		this.tell(receiver, {
			what: 'delivered',
			id: remote.id,
			overlapMs: OVERLAP_MS,
			now: this.now,
		});
		if (isOverwritten(receiver.set, database)) installation.database = stored(receiver.set);
		this.acknowledged.add(event);
		if (this.mutation.leavesToNew && known.current && remote.id !== known.current.id) return true;
		if (receiver.taken.has(event)) return true;
		receiver.taken.add(event);
		this.executions.set(event, (this.executions.get(event) ?? 0) + 1);
		return true;
	}

	// --- n8n.

	private tell(process: Process, event: Happening): Todo[] {
		const outcome = happened(process.set, event);
		process.set = outcome.set;
		return outcome.todo;
	}

	private delete(installation: Installation, ids: readonly string[], reason: string): void {
		const { main } = installation;
		for (const id of ids) {
			this.calls += 1;
			const remote = this.remotes.get(id);
			if (this.lostDeletions > 0) {
				this.lostDeletions -= 1;
				if (main) this.tell(main, { what: 'notDeleted', ids: [id], now: this.now });
				continue;
			}
			if (remote) {
				this.checkDeletion(installation, remote, reason);
				remote.state = 'deleted';
			}
			if (main) this.tell(main, { what: 'deleted', ids: [id] });
		}
	}

	/** Fails if a subscription is deleted that must stay. */
	private checkDeletion(installation: Installation, remote: Remote, reason: string): void {
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
		const successor = [...this.remotes.values()].some(
			(one) =>
				one.id !== remote.id &&
				one.targetUrl === remote.targetUrl &&
				one.state === 'active' &&
				isKnown(one.id),
		);
		if (!successor) throw new Error(`${remote.id} worked and was deleted without a successor`);
	}

	/** @returns whether there is a new subscription */
	private renew(installation: Installation, savedByHook: boolean): boolean {
		const { main, address } = installation;
		if (!main) return false;
		let answer = this.post(address);
		if (answer === 'conflict') {
			const todo = this.tell(main, { what: 'conflicted' });
			for (const task of todo) {
				if (task.do !== 'delete') continue;
				const why = this.options.onePerAddress ? 'conflict' : 'refused';
				this.delete(
					installation,
					task.subscriptions.map(({ id }) => id),
					why,
				);
			}
			if (todo.length > 0) answer = this.post(address);
		}
		if (typeof answer === 'string') {
			this.tell(main, { what: 'refused', jitter: 1, now: this.now });
			return false;
		}
		const subscription = {
			id: answer.id,
			secret: answer.id,
			targetUrl: address,
			workspaceId: 'w',
			cardId: null,
			since: this.now,
			clockAheadMs: 0,
			generation: 0,
		};
		this.carryOut(
			installation,
			this.tell(main, {
				what: 'created',
				subscription,
				savedByHook,
				overlapMs: OVERLAP_MS,
				now: this.now,
			}),
		);
		return true;
	}

	private carryOut(installation: Installation, todo: readonly Todo[]): void {
		const { main } = installation;
		if (!main) return;
		for (const task of todo) {
			if (task.do === 'delete') {
				this.delete(
					installation,
					task.subscriptions.map(({ id }) => id),
					'due',
				);
			} else if (task.do === 'create') {
				this.renew(installation, false);
			} else if (task.do === 'probe') {
				this.probe(installation, main, task);
			} else if (task.do === 'save') {
				const ids = task.deletes.map(({ id }) => id);
				this.saves += 1;
				const { blindWorkers = false } = this.options;
				if (blindWorkers) {
					installation.database = stored(main.set);
					this.delete(installation, ids, 'due');
				}
				if (this.mutation.readsNothingBack && ids.length > 0) {
					this.delete(installation, ids, 'due');
				}
				this.jobs.push({
					owner: installation,
					epoch: installation.epoch,
					state: stored(main.set),
					generation: main.set.current?.generation ?? 0,
					deletes: blindWorkers ? [] : ids,
					isSettled: task.isSettled,
					startedBy: main,
					savedAt: blindWorkers ? this.now : undefined,
				});
				if (this.isPrompt) while (this.jobs.length > 0) this.runJob();
			}
		}
	}

	private probe(
		owner: Installation,
		sentBy: Process,
		{ subscription, known }: Extract<Todo, { do: 'probe' }>,
	): void {
		const { id, generation } = subscription;
		const way = this.options.probesWork ? undefined : this.probeWays.shift();
		const ask = () => this.answerOf(owner, id, known);
		const sent = { owner, sentBy, generation };
		if (way === 'lost') this.hear({ ...sent, answer: undefined }, 'unknown');
		else if (way === 'hangs') this.probes.push({ ...sent, answer: undefined });
		else if (way === 'slowThere') this.probes.push({ ...sent, answer: ask });
		else if (way === 'slowBack') {
			const answer = ask();
			this.probes.push({ ...sent, answer: () => answer });
		} else this.hear({ ...sent, answer: undefined }, ask());
	}

	/** The process that the gateway picks answers by what is saved. */
	private answerOf(owner: Installation, id: string, known: readonly string[]): ProbeAnswer {
		const { main, processors, database, isPublished } = owner;
		const receivers = [...processors, ...(main ? [main] : [])];
		this.turn += 1;
		const receiver = receivers[this.turn % receivers.length];
		if (!receiver || !isPublished) return 'unknown';
		const { current, retired } = this.mutation.probesMemory
			? withStored(receiver.set, database, this.now)
			: database;
		if (![current, ...retired].some((one) => one?.id === id)) return 'refused';
		const isExact = current?.id === id && retired.every((one) => known.includes(one.id));
		return isExact ? 'confirmed' : 'unknown';
	}

	private hear({ owner, sentBy, generation }: Probe, answer: ProbeAnswer): void {
		if (owner.main !== sentBy) return;
		const heard = this.mutation.believesAnyAnswer ? 'confirmed' : answer;
		const event = { what: 'probed', generation, answer: heard, jitter: 1, now: this.now } as const;
		this.carryOut(owner, this.tell(sentBy, event));
	}

	/** How the next probe fares. */
	delayProbe(way: ProbeWay): void {
		this.probeWays.push(way);
	}

	/** A slow probe is answered. */
	answerProbe(): void {
		const index = this.probes.findIndex(({ answer }) => answer !== undefined);
		const [probe] = index < 0 ? [] : this.probes.splice(index, 1);
		if (probe?.answer) this.hear(probe, probe.answer());
	}

	/** Main does nothing else about a node before it has an answer, or none in time. */
	private giveUpProbes(): void {
		for (const probe of this.probes.splice(0)) this.hear(probe, 'unknown');
	}

	/**
	 * n8n starts, or somebody publishes: as the hook does. Executions in workers that outlive this and then
	 * write static data back are the one case that is not covered: main cannot tell that there are workers.
	 */
	start(installation = this.original, byPerson = false): void {
		if (installation.main && !byPerson) return;
		if (byPerson && installation.isPublished) return;
		if (!byPerson && !installation.isPublished) return;
		if (installation === this.original) while (this.longExecutions.length > 0) this.endLong();
		installation.main = this.process('main');
		installation.epoch += 1;
		const { main, address, database } = installation;
		const event = { what: 'started', address, stored: database, now: this.now } as const;
		this.tell(main, event);
		const isMade = this.renew(installation, true);
		if (byPerson && !isMade) {
			this.unpublish(installation);
			return;
		}
		installation.isPublished = true;
		installation.database = stored(main.set);
	}

	/** As `loseAnswer`: one that was not saved when n8n was killed is known to nobody. */
	kill(): void {
		const { main } = this.original;
		if (this.options.onePerAddress && main && this.original.isPublished) {
			this.original.database = stored(main.set);
		}
		this.original.main = undefined;
		if (!this.options.queueMode)
			this.jobs = this.jobs.filter(({ owner }) => owner !== this.original);
	}

	unpublish(installation = this.original): void {
		const { main, address, database } = installation;
		if (!main) return;
		installation.isPublished = false;
		installation.epoch += 1;
		this.tell(main, { what: 'started', address, stored: database, now: this.now });
		for (const task of this.tell(main, { what: 'unpublished', now: this.now })) {
			if (task.do === 'delete') {
				this.delete(
					installation,
					task.subscriptions.map(({ id }) => id),
					'unpublished',
				);
			}
		}
		installation.database = stored(main.set);
		installation.main = undefined;
		for (const process of installation.processors) process.set = EMPTY_SET;
	}

	/** Somebody starts a copy of the database at another address. */
	copy(): void {
		if (this.installations.length > 1 || !this.original.isPublished) return;
		const database = JSON.parse(JSON.stringify(this.original.database)) as StoredSubscriptions;
		const copy = this.install('https://n8n/2', { ...NO_SUBSCRIPTIONS, ...database });
		this.installations.push(copy);
		copy.isPublished = true;
		this.start(copy);
		if (this.mutation.deletesForeign && copy.main) {
			const ids = copy.main.set.retired.map(({ id }) => id);
			this.delete(copy, ids, 'due');
		}
	}

	/** A worker, or this very process, runs the execution that waited longest. */
	runJob(): void {
		const job = this.jobs.shift();
		if (!job) return;
		const { owner, deletes, startedBy } = job;
		if (job.savedAt === undefined) this.readBackAndSave(job);
		if (this.unheardEnds > 0) {
			this.unheardEnds -= 1;
			return;
		}
		if (owner.main !== startedBy || job.epoch !== owner.epoch) return;
		this.tell(startedBy, {
			what: 'saved',
			generation: job.generation,
			here: !owner.queueMode,
			deleted: deletes,
			overlapMs: OVERLAP_MS,
			jitter: 1,
			now: job.savedAt ?? this.now,
		});
	}

	private readBackAndSave(job: Job): void {
		const { owner, state } = job;
		const { toDelete, toSave } = readBack(state, owner.database, job, this.now);
		const ids = toDelete.map(({ id }) => id);
		this.delete(owner, ids, 'due');
		const gone = ids.filter((id) => this.remotes.get(id)?.state === 'deleted');
		const retired = toSave.retired.filter(({ id }) => !gone.includes(id));
		owner.database = { ...toSave, retired };
	}

	failJob(): void {
		const job = this.jobs.shift();
		if (!job || job.owner.main !== job.startedBy) return;
		this.tell(job.startedBy, { what: 'notSaved', now: this.now });
	}

	/**
	 * An execution begins that runs long and saves all static data when it ends. One that runs longer than
	 * the overlap is the other case that is not covered: nobody looks at what is saved after that. Where
	 * workers are blind, one that writes deletes all that is saved, and only a probe finds that. None is sent
	 * in the overlap after a start.
	 */
	beginLong(): void {
		const { queueMode, blindWorkers, probesWork } = this.options;
		if (!queueMode) return;
		const isProbed = probesWork && this.original.main?.set.trust !== 'here';
		if (blindWorkers && !isProbed) return;
		const database = blindWorkers ? NO_SUBSCRIPTIONS : this.original.database;
		this.longExecutions.push({ database, endsAt: this.now + OVERLAP_MS - 60_000 });
	}

	/** Should it end between the answer to a probe and main: that is not covered either. */
	endLong(): void {
		const ended = this.longExecutions.shift();
		if (!ended || !this.original.isPublished) return;
		this.original.database = ended.database;
		this.giveUpProbes();
	}

	refuse(status: number): void {
		this.refusals.push(status);
	}

	/** Where a service takes one for an address, one that nobody knows is in the way for good. */
	loseAnswer(): void {
		if (!this.options.onePerAddress) this.lostAnswers += 1;
	}

	/** As `loseAnswer`: after a week of failures it is left behind. */
	loseDeletion(): void {
		if (!this.options.onePerAddress) this.lostDeletions += 1;
	}

	/** Main does not hear of the end of the next execution: it may end before n8n listens for that. */
	missEnd(): void {
		this.unheardEnds += 1;
	}

	/** Time passes; n8n's cron ticks and the service delivers. */
	pass(ms: number, step = 10_000): void {
		const end = this.now + ms;
		while (this.now < end) {
			this.now = Math.min(end, this.now + step);
			// Even the shortest step is longer than main waits for an answer: five seconds.
			this.giveUpProbes();
			while ((this.longExecutions[0]?.endsAt ?? Infinity) <= this.now) this.endLong();
			this.deliverDue();
			for (const installation of this.installations) {
				const { main } = installation;
				if (!main || !installation.isPublished) continue;
				const event = { what: 'passed', silenceMs: SILENCE_MS, now: this.now } as const;
				this.carryOut(installation, this.tell(main, event));
			}
		}
	}

	/** All that hinders ends, and n8n runs; then time passes in which everything can come to rest. */
	comeToRest(): void {
		this.isPrompt = true;
		while (this.jobs.length > 0) this.runJob();
		this.refusals = [];
		this.lostAnswers = 0;
		this.lostDeletions = 0;
		this.unheardEnds = 0;
		this.probeWays = [];
		while (this.longExecutions.length > 0) this.endLong();
		if (!this.original.isPublished) this.start(this.original, true);
		this.start();
		for (let round = 0; round < 12; round += 1) {
			this.event();
			this.pass(720_000, 30_000);
		}
		// A subscription that an overwritten copy left behind is deleted with the next renewal.
		this.pass(SILENCE_MS + 3_600_000, 300_000);
	}

	live(installation = this.original): string[] {
		return [...this.remotes.values()]
			.filter(({ targetUrl, state }) => targetUrl === installation.address && state === 'active')
			.map(({ id }) => id);
	}

	/** Events that were answered 200 and had no execution. */
	get lost(): string[] {
		return [...this.acknowledged].filter((event) => !this.executions.has(event));
	}
}
