/** A small world for the rules of `model/subscription/subscriptionRules.ts`: installations of n8n, and a service. Nothing in it waits. */
import * as rules from '../../../../nodes/WorkspaceData/model/subscription/subscriptionRules';
import {
	accepted,
	NOTHING_SAVED,
	type Saved,
} from '../../../../nodes/WorkspaceData/model/subscription/saved';

export const ADDRESS = 'https://n8n.example.com/webhook/1';
export const MINUTE = 60_000;
export const OVERLAP = 15 * MINUTE;
export const SILENCE = 24 * 60 * MINUTE;
/** When the service tries a delivery again, in ms. */
const BACKOFF = [5_000, 30_000, 120_000];

/** A subscription at the service. */
export interface Remote {
	id: string;
	targetUrl: string;
	madeBy: N8n;
	state: 'active' | 'paused' | 'deleted';
	/** Set once its own n8n wanted it deleted, because a person unpublished the workflow. */
	isEnded?: boolean;
}

interface Delivery {
	event: string;
	to: Remote;
	attempts: number;
	at: number;
}

export interface Options {
	/** Whether the service takes one subscription for an address. */
	onePerAddress: boolean;
	/** The most subscriptions that the service takes. */
	limit: number;
	/** Whether deliveries come to processes other than main, which know only what is saved. */
	queueMode: boolean;
	/** Whether executions get no static data there: then main writes. */
	blindWorkers: boolean;
}

/** One n8n: its database, its main process, and whether the address leads here. */
export class N8n {
	database: Saved = NOTHING_SAVED;
	state: rules.SubscriptionState | undefined;
	/** What a process that receives deliveries remembers. */
	processor: rules.SubscriptionState = rules.INITIAL;
	isPublished = false;
	/** Executions that save, and have not ended. */
	jobs: Saved[] = [];
}

export class World {
	now = 1_000_000_000_000;
	readonly remotes: Remote[] = [];
	readonly production = new N8n();
	copy: N8n | undefined;
	/** The n8n that answers at the address. */
	answering = this.production;
	readonly executed = new Set<string>();
	/** When each event happened: production must get all, by a delivery or by a search. */
	owed = new Map<string, number>();
	/** How often n8n did anything but run for an event. */
	tasks = 0;
	private events = 0;
	private deliveries: Delivery[] = [];
	private marks = 0;
	/** n8n saves what a hook did when that returns; what a person ended is deleted in it. */
	private inHook = false;
	/** How many of the next creations are refused, and how many responses and searches are lost. */
	hindered = { refusal: 0, answer: 0, deletion: 0, search: 0 };
	/** Whether executions that save wait. */
	holdsJobs = false;

	readonly options: Options;

	constructor(options: Options) {
		this.options = options;
	}

	private dispatch<Given>(
		n8n: N8n,
		change: rules.Change<Given>,
		given: Given & { now: number },
	): rules.SubscriptionState {
		n8n.state = change(n8n.state ?? rules.INITIAL, given);
		return n8n.state;
	}

	/** n8n starts, or a person publishes: as the hook does. */
	start(n8n = this.production, byPerson = false): void {
		if (n8n.state?.address !== undefined || n8n.isPublished === byPerson) return;
		n8n.isPublished = true;
		const stored = n8n.database;
		const at = { address: ADDRESS, overlapMs: OVERLAP, now: this.now };
		this.dispatch(n8n, rules.onStarted, { stored, mark: this.mark(), ...at });
		this.inHook = true;
		this.create(n8n, true, byPerson);
		this.inHook = false;
		n8n.database = (n8n.state as unknown as rules.SubscriptionState).saved;
		if (byPerson && !n8n.database.current) this.unpublish(n8n);
	}

	private readonly mark = (): string => `mark ${(this.marks += 1)}`;

	/** Returns true if something goes wrong this time. */
	private hinders(what: keyof World['hindered']): boolean {
		return this.hindered[what] > 0 && (this.hindered[what] -= 1) >= 0;
	}

	kill(n8n = this.production): void {
		n8n.state = undefined;
		if (!this.options.queueMode) n8n.jobs = [];
	}

	/** A process that could not start the node knows nothing but what is saved. */
	unpublish(n8n = this.production): void {
		if (!n8n.isPublished) return;
		if (!n8n.state) {
			this.dispatch(n8n, rules.onRead, { address: ADDRESS, stored: n8n.database, now: this.now });
		}
		this.ask(n8n);
		n8n.isPublished = false;
		for (const remote of this.remotes) remote.isEnded ||= remote.madeBy === n8n;
		this.deleteDue(n8n, this.dispatch(n8n, rules.onUnpublished, { now: this.now }));
		n8n.database = (n8n.state as unknown as rules.SubscriptionState).saved;
		n8n.jobs = [];
		n8n.state = undefined;
	}

	/** Somebody starts a copy of the database with the same address. @param starts whether the node can be started */
	startCopy(starts = true): void {
		if (this.copy || !this.production.isPublished) return;
		this.copy = new N8n();
		this.copy.database = structuredClone(this.production.database);
		this.copy.isPublished = true;
		if (starts) this.start(this.copy);
	}

	private post(n8n: N8n): Remote | 'refused' | 'lost' | 'address' | 'limit' {
		if (this.hinders('refusal')) return 'refused';
		const existing = this.remotes.filter(({ state }) => state !== 'deleted');
		if (this.options.onePerAddress && existing.length > 0) return 'address';
		if (existing.length >= this.options.limit) return 'limit';
		const id = `whk_${this.remotes.length + 1}`;
		const remote: Remote = { id, targetUrl: ADDRESS, madeBy: n8n, state: 'active' };
		this.remotes.push(remote);
		return this.hinders('answer') ? 'lost' : remote;
	}

	private create(n8n: N8n, savedByHook: boolean, isPublishing = false): void {
		this.tasks += 1;
		let answer = this.post(n8n);
		if ((answer === 'address' || answer === 'limit') && n8n.state) {
			if (isPublishing) this.ask(n8n);
			const room = rules.roomFor(n8n.state, { reason: answer, isPublishing }, SILENCE, this.now);
			for (const { id } of room) this.delete(n8n, id);
			if (room.length > 0) answer = this.post(n8n);
		}
		const { now } = this;
		if (typeof answer === 'string') {
			this.dispatch(n8n, rules.onRefused, { isNeeded: false, now });
			return;
		}
		const { id } = answer;
		const place = { targetUrl: ADDRESS, baseUrl: 'https://data/api/v1', workspaceId: 'w' };
		const subscription = { id, sealed: id, ...place, cardId: null, since: now };
		const how = { mark: this.mark(), savedByHook, catchesUp: true, now };
		const state = this.dispatch(n8n, rules.onCreated, { subscription, ...how });
		this.deleteDue(n8n, state);
	}

	private deleteDue(n8n: N8n, state: rules.SubscriptionState): void {
		for (const { id } of rules.dueDeletions(state, this.now)) {
			this.tasks += 1;
			this.delete(n8n, id);
		}
	}

	/** Fails where a subscription is deleted that must stay. */
	private delete(n8n: N8n, id: string): void {
		const remote = this.remotes.find((one) => one.id === id);
		const isLost = this.hinders('deletion');
		if (!isLost && remote && remote.state !== 'deleted') {
			// Where nobody answers at the address, nobody can tell; production subscribes again when it starts.
			const responds = this.production.state && this.production.isPublished;
			if (n8n === this.copy && remote.madeBy !== n8n && !remote.isEnded && responds) {
				throw new Error(`the copy deleted ${id} of production`);
			}
			const delivered = remote.state === 'active';
			remote.state = 'deleted';
			if (delivered) this.checkSuccessor(n8n, remote);
		}
		this.dispatch(n8n, rules.onDeleted, { id, isDone: !isLost, now: this.now });
	}

	/** Where one was deleted while published, another one delivers, or the service takes one only. */
	private checkSuccessor(n8n: N8n, { id }: Remote): void {
		const { onePerAddress, limit } = this.options;
		if (this.inHook || !n8n.isPublished || n8n !== this.answering || onePerAddress || limit < 10)
			return;
		const known = this.listAt(n8n).map((one) => one.id);
		const isThere = this.remotes.some((one) => one.state === 'active' && known.includes(one.id));
		const werePaused = this.remotes.every((one) => one.state !== 'active');
		if (!isThere && !werePaused) throw new Error(`${id} was deleted, and no other one delivers`);
	}

	private listAt(n8n: N8n) {
		const { saved } = this.options.queueMode ? n8n.processor : (n8n.state ?? n8n.processor);
		const counts = saved.version > n8n.database.version ? saved : n8n.database;
		return accepted(counts, this.now);
	}

	/** As n8n does once a minute. */
	private look(n8n: N8n): void {
		const { now } = this;
		let state = this.dispatch(n8n, rules.onPassed, { now });
		if (rules.isToAsk(state, now)) state = this.ask(n8n);
		if (rules.isToRenew(state, SILENCE, now)) this.create(n8n, false);
		else this.deleteDue(n8n, state);
		if (n8n.state && rules.isToSave(n8n.state, now)) this.save(n8n);
	}

	/** An execution returns the records of the time that may be missed. */
	private runSearch(n8n: N8n): void {
		const { now } = this;
		const waiting = n8n.state?.search;
		const search = n8n.state && rules.dueSearch(n8n.state, now);
		if (!search || !waiting) return;
		this.dispatch(n8n, rules.onSearching, { now });
		if (this.hinders('search')) {
			this.dispatch(n8n, rules.onSearchFailed, { failed: waiting, now });
			return;
		}
		for (const [event, at] of this.owed) {
			if (n8n === this.production && at > search.from && at <= search.to) this.executed.add(event);
		}
		this.dispatch(n8n, rules.onSearched, { to: search.to, cardId: null, now });
	}

	private ask(n8n: N8n): rules.SubscriptionState {
		this.tasks += 1;
		const there = this.answering;
		const has = there.database.mark === n8n.state?.saved.mark ? 'yes' : 'no';
		const result = there.isPublished && there.state ? has : 'none';
		// A process that responds to deliveries only may have got the probe.
		const isOurs = result !== 'none' && there === n8n && !this.options.queueMode;
		return this.dispatch(n8n, rules.onProbed, { result, isOurs, now: this.now });
	}

	private save(n8n: N8n): void {
		this.tasks += 1;
		const { saved } = this.dispatch(n8n, rules.onSaving, { now: this.now });
		if (this.options.blindWorkers) {
			n8n.database = saved;
			this.dispatch(n8n, rules.onSaved, { version: saved.version, now: this.now });
		} else n8n.jobs.push(saved);
		if (!this.holdsJobs) this.runJobs(n8n);
	}

	runJobs(n8n = this.production): void {
		for (const job of n8n.jobs.splice(0)) {
			if (n8n.database.version < job.version) n8n.database = job;
			if (n8n.state) this.dispatch(n8n, rules.onSaved, { version: job.version, now: this.now });
		}
	}

	/** An execution that ran long writes back what it found. */
	writeBack(old: Saved): void {
		if (this.production.isPublished) this.production.database = old;
	}

	/** The service pauses all subscriptions. */
	pauseAll(): void {
		for (const remote of this.remotes) if (remote.state === 'active') remote.state = 'paused';
	}

	/** Something happens in the workspace. */
	event(): void {
		this.now += 1_000;
		const event = `event ${(this.events += 1)}`;
		this.owed.set(event, this.now);
		for (const to of this.remotes) {
			if (to.state === 'active') this.deliveries.push({ event, to, attempts: 0, at: this.now });
		}
	}

	private receive({ to, event }: Delivery): boolean {
		const n8n = this.answering;
		if (!n8n.isPublished || (!this.options.queueMode && !n8n.state)) return false;
		const read = (state: rules.SubscriptionState) =>
			rules.onRead(state, { stored: n8n.database, now: this.now });
		n8n.processor = read(n8n.processor);
		const state = this.options.queueMode
			? n8n.processor
			: read(n8n.state as rules.SubscriptionState);
		if (!accepted(state.saved, this.now).some(({ id }) => id === to.id)) return false;
		if (this.options.queueMode) n8n.database = state.saved;
		else {
			n8n.state = state;
			this.dispatch(n8n, rules.onDelivered, { id: to.id, now: this.now });
			if (n8n.database.version < state.saved.version) n8n.database = state.saved;
		}
		if (n8n === this.production) this.executed.add(event);
		return true;
	}

	/** Time passes; the service delivers, and n8n looks once a minute. */
	pass(ms: number, step = 30_000): void {
		const end = this.now + ms;
		while (this.now < end) {
			this.now = Math.min(end, this.now + step);
			const due = this.deliveries.filter(({ at }) => at <= this.now);
			this.deliveries = this.deliveries.filter(({ at }) => at > this.now);
			for (const delivery of due) {
				if (delivery.to.state !== 'active' || this.receive(delivery)) continue;
				const pause = BACKOFF[delivery.attempts];
				const attempts = delivery.attempts + 1;
				if (pause === undefined) delivery.to.state = 'paused';
				else this.deliveries.push({ ...delivery, attempts, at: this.now + pause });
			}
			for (const n8n of [this.production, this.copy]) {
				if (!n8n?.state || !n8n.isPublished) continue;
				// One look later, when the events of its time have happened.
				this.runSearch(n8n);
				this.look(n8n);
			}
		}
	}

	/** All that hinders ends, and time passes in which everything can come to rest. */
	comeToRest(): void {
		this.hindered = { refusal: 0, answer: 0, deletion: 0, search: 0 };
		this.holdsJobs = false;
		this.runJobs();
		if (!this.production.isPublished) this.start(this.production, true);
		this.start();
		this.workAsUsual(8);
		// The next renewal ends what an overwritten list left behind.
		this.pass(SILENCE + 120 * MINUTE, 5 * MINUTE);
		this.workAsUsual(4);
	}

	/** Events come, and nothing hinders. */
	workAsUsual(events: number): void {
		for (let round = 0; round < events; round += 1) {
			this.event();
			this.pass(20 * MINUTE);
		}
	}

	/** The subscriptions of production that deliver. */
	get live(): Remote[] {
		const isOurs = ({ madeBy }: Remote) => madeBy === this.production;
		return this.remotes.filter((one) => one.state === 'active' && isOurs(one));
	}
}
