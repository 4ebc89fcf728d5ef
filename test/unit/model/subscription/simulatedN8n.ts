/** An n8n of several processes that can be killed at any step; time is a number, and nothing of it waits. */
import {
	NO_SUBSCRIPTIONS,
	type StoredSubscriptions,
} from '../../../../nodes/WorkspaceData/model/subscription/stored';
import type {
	SubscriptionEvent,
	ProbeAnswer,
	Effect,
} from '../../../../nodes/WorkspaceData/model/subscription/eventsAndEffects';
import { reduce } from '../../../../nodes/WorkspaceData/model/subscription/reducer';
import {
	accepted,
	isOverwritten,
	readBack,
	stored,
	withStored,
} from '../../../../nodes/WorkspaceData/model/subscription/merge';
import {
	EMPTY_SET,
	type SubscriptionSet,
} from '../../../../nodes/WorkspaceData/model/subscription/state';
import type { Remote, SimulatedService } from './simulatedService';

const OVERLAP_MS = 15 * 60_000;
export const SILENCE_MS = 24 * 3_600_000;

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
export interface N8nMutation {
	/** C3: an old subscription's event waits for the new one, which has not been seen to deliver. */
	leavesToNew?: boolean;
	/** C5: what is due is deleted without reading back what is saved. */
	readsNothingBack?: boolean;
	/** C6: subscriptions of other addresses are deleted. */
	deletesForeign?: boolean;
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
	/** When its turn comes, where executions wait behind others. */
	dueAt: number;
}

/** One n8n with its database and address; in queue mode executions run in workers. */
export interface Installation {
	address: string;
	queueMode: boolean;
	database: StoredSubscriptions;
	main: Process | undefined;
	processors: Process[];
	epoch: number;
	isPublished: boolean;
}

export interface N8nOptions {
	queueMode: boolean;
	processors: number;
	/** Whether executions run as soon as they are started. */
	prompt: boolean;
	/** Whether workers get no static data, as those of n8n 2.41: then main has n8n save its own. */
	blindWorkers?: boolean;
	/** How long each execution waits behind others, in ms. */
	backlogMs?: number;
	/** Whether the probes that main sends itself are always answered at once. */
	probesWork?: boolean;
}

/** Why a subscription is deleted. */
export type Reason = 'due' | 'conflict' | 'refused' | 'unpublished';

/** The parts of the world around n8n. */
interface Surroundings {
	service: SimulatedService;
	time: { readonly now: number };
	/** Fails if a subscription is deleted that must stay. */
	checkDeletion(installation: Installation, remote: Remote, reason: Reason): void;
}

export class SimulatedN8n {
	readonly installations: Installation[];

	private jobs: Job[] = [];

	/** Executions by event. */
	readonly executions = new Map<string, number>();

	/** Events answered 200. */
	readonly acknowledged = new Set<string>();

	private unheardEnds = 0;

	private probeWays: ProbeWay[] = [];

	private probes: Probe[] = [];

	/** Executions without items that main started. */
	saves = 0;

	private longExecutions: Array<{ database: StoredSubscriptions; endsAt: number }> = [];

	private turn = 0;

	private readonly options: N8nOptions;

	private readonly mutation: N8nMutation;

	private readonly around: Surroundings;

	private isPrompt: boolean;

	constructor(options: N8nOptions, mutation: N8nMutation, around: Surroundings) {
		this.options = options;
		this.mutation = mutation;
		this.around = around;
		this.isPrompt = options.prompt;
		this.installations = [this.install('https://n8n/1', NO_SUBSCRIPTIONS)];
	}

	/** How far n8n's clock is ahead, in ms. */
	private clockAheadMs = 0;

	/** Whether executions wait so long for a place that n8n answers after the service has given up. */
	private isLate = false;

	private get now(): number {
		return this.around.time.now + this.clockAheadMs;
	}

	/** n8n's clock is set. */
	setClock(aheadMs: number): void {
		this.clockAheadMs = aheadMs;
	}

	/** n8n's executions wait for a place from now on, or no more. */
	answerLate(isLate: boolean): void {
		this.isLate = isLate;
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

	/** A delivery reaches one of the processes at its address. @returns whether it is answered 200 */
	receive(remote: Remote, event: string): boolean {
		const installation = this.installations.find(({ address }) => address === remote.targetUrl);
		if (!installation?.isPublished) return false;
		const { main, processors, database } = installation;
		const receivers = processors.length > 0 ? processors : main ? [main] : [];
		this.turn += 1;
		const receiver = receivers[this.turn % receivers.length];
		if (!receiver) return false;
		this.dispatch(receiver, { type: 'read', stored: database });
		const known = withStored(receiver.set, database);
		if (!accepted(known, this.now).some(({ id }) => id === remote.id)) return false;
		this.dispatch(receiver, {
			type: 'delivered',
			id: remote.id,
			overlapMs: OVERLAP_MS,
			now: this.now,
		});
		if (isOverwritten(receiver.set, database)) installation.database = stored(receiver.set);
		this.acknowledged.add(event);
		if (this.mutation.leavesToNew && known.current && remote.id !== known.current.id) return true;
		// Before the answer: main only sees its own.
		if (this.isLate || receiver.taken.has(event)) {
			this.dispatch(receiver, { type: 'strained', id: remote.id, now: this.now });
		}
		if (receiver.taken.has(event)) return !this.isLate;
		receiver.taken.add(event);
		this.executions.set(event, (this.executions.get(event) ?? 0) + 1);
		return !this.isLate;
	}

	private dispatch(process: Process, event: SubscriptionEvent): Effect[] {
		const outcome = reduce(process.set, event);
		process.set = outcome.set;
		return outcome.effects;
	}

	private delete(installation: Installation, ids: readonly string[], reason: Reason): void {
		const { main } = installation;
		const { service, checkDeletion } = this.around;
		for (const id of ids) {
			const isDone = service.delete(id, (remote) => checkDeletion(installation, remote, reason));
			if (!main) continue;
			if (isDone) this.dispatch(main, { type: 'deleted', ids: [id] });
			else this.dispatch(main, { type: 'notDeleted', ids: [id], now: this.now });
		}
	}

	/** @returns whether there is a new subscription */
	private renew(installation: Installation, savedByHook: boolean): boolean {
		const { main, address } = installation;
		if (!main) return false;
		let answer = this.around.service.post(address);
		if (answer === 'conflict') {
			const effects = this.dispatch(main, { type: 'conflicted' });
			for (const task of effects) {
				if (task.type !== 'delete') continue;
				const why = this.around.service.onePerAddress ? 'conflict' : 'refused';
				this.delete(
					installation,
					task.subscriptions.map(({ id }) => id),
					why,
				);
			}
			if (effects.length > 0) answer = this.around.service.post(address);
		}
		if (typeof answer === 'string') {
			const isLost = answer === 'lost';
			this.dispatch(main, { type: 'refused', isLost, jitter: 1, now: this.now });
			return false;
		}
		const subscription = {
			id: answer.id,
			secret: answer.id,
			targetUrl: address,
			workspaceId: 'w',
			cardId: null,
			since: this.around.time.now,
			clockAheadMs: -this.clockAheadMs,
			generation: 0,
		};
		this.carryOut(
			installation,
			this.dispatch(main, {
				type: 'created',
				subscription,
				savedByHook,
				overlapMs: OVERLAP_MS,
				now: this.now,
			}),
		);
		return true;
	}

	private carryOut(installation: Installation, effects: readonly Effect[]): void {
		const { main } = installation;
		if (!main) return;
		for (const task of effects) {
			if (task.type === 'delete') {
				this.delete(
					installation,
					task.subscriptions.map(({ id }) => id),
					'due',
				);
			} else if (task.type === 'create') {
				this.renew(installation, false);
			} else if (task.type === 'probe') {
				this.probe(installation, main, task);
			} else if (task.type === 'save') {
				const ids = task.deletes.map(({ id }) => id);
				this.saves += 1;
				const { blindWorkers = false, backlogMs = 0 } = this.options;
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
					dueAt: this.now + backlogMs,
				});
				if (this.isPrompt && backlogMs === 0) while (this.jobs.length > 0) this.runJob();
			}
		}
	}

	private probe(
		owner: Installation,
		sentBy: Process,
		{ subscription, known }: Extract<Effect, { type: 'probe' }>,
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
			? withStored(receiver.set, database)
			: database;
		if (![current, ...retired].some((one) => one?.id === id)) return 'refused';
		const isExact = current?.id === id && retired.every((one) => known.includes(one.id));
		return isExact ? 'confirmed' : 'unknown';
	}

	private hear({ owner, sentBy, generation }: Probe, answer: ProbeAnswer): void {
		if (owner.main !== sentBy) return;
		const heard = this.mutation.believesAnyAnswer ? 'confirmed' : answer;
		const event = { type: 'probed', generation, answer: heard, jitter: 1, now: this.now } as const;
		this.carryOut(owner, this.dispatch(sentBy, event));
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
	giveUpProbes(): void {
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
		const { now } = this;
		const at = { address, stored: database, overlapMs: OVERLAP_MS, now };
		const effects = this.dispatch(main, { type: 'started', byPerson, ...at });
		const isMade = effects.some(({ type }) => type === 'create') && this.renew(installation, true);
		if (byPerson && !isMade) {
			this.unpublish(installation);
			return;
		}
		installation.isPublished = true;
		installation.database = stored(main.set);
	}

	/** As `loseAnswer` of the service: one that was not saved when n8n was killed is known to nobody. */
	kill(): void {
		const { main } = this.original;
		if (this.around.service.onePerAddress && main && this.original.isPublished) {
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
		const at = { address, stored: database, overlapMs: Infinity, now: this.now };
		this.dispatch(main, { type: 'started', byPerson: true, ...at });
		for (const task of this.dispatch(main, { type: 'unpublished', now: this.now })) {
			if (task.type === 'delete') {
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
		this.dispatch(startedBy, {
			type: 'saved',
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
		const gone = ids.filter((id) => this.around.service.remotes.get(id)?.state === 'deleted');
		const retired = toSave.retired.filter(({ id }) => !gone.includes(id));
		owner.database = { ...toSave, retired };
	}

	failJob(): void {
		const job = this.jobs.shift();
		if (!job || job.owner.main !== job.startedBy) return;
		this.dispatch(job.startedBy, { type: 'notSaved', now: this.now });
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

	/** Main does not hear of the end of the next execution: it may end before n8n listens for that. */
	missEnd(): void {
		this.unheardEnds += 1;
	}

	/** Ends the long executions whose time has come. */
	endDueLong(): void {
		while ((this.longExecutions[0]?.endsAt ?? Infinity) <= this.now) this.endLong();
	}

	/** Runs the executions whose turn has come, where they wait behind others. */
	runDueJobs(): void {
		if (!this.options.backlogMs) return;
		while ((this.jobs[0]?.dueAt ?? Infinity) <= this.now) this.runJob();
	}

	/** n8n's cron ticks. */
	tick(): void {
		for (const installation of this.installations) {
			const { main } = installation;
			if (!main || !installation.isPublished) continue;
			const limits = { silenceMs: SILENCE_MS, overlapMs: OVERLAP_MS };
			const event = { type: 'passed', ...limits, now: this.now } as const;
			this.carryOut(installation, this.dispatch(main, event));
		}
	}

	/** From now on executions run as soon as they are started. */
	becomePrompt(): void {
		this.isPrompt = true;
		while (this.jobs.length > 0) this.runJob();
	}

	/** All that hinders ends, and n8n runs. */
	recover(): void {
		this.unheardEnds = 0;
		this.isLate = false;
		this.clockAheadMs = 0;
		this.probeWays = [];
		while (this.longExecutions.length > 0) this.endLong();
		if (!this.original.isPublished) this.start(this.original, true);
		this.start();
	}
}
