/**
 * Remembers what this process wrote to the records of a card: in the last minute, because a listing may lag behind,
 * and since the oldest listing that a run still uses was opened.
 */
import type { DataRecord } from '../../model/response/record';
import { type JsonObject, ownValue } from '../../model/response/shapes';
import { canonicalJson } from '../../model/value/serialization';

/** How long a listing may lag behind, and a request without a response may still be carried out, in ms. */
export const LAG_MS = 60_000;
/** The approximate maximum of characters kept for later listings. */
const MAX_CHARACTERS = 4_000_000;

/** A record after a write; without a record, one may have been created, and its ID is unknown. */
export interface News {
	record?: DataRecord;
	sent: JsonObject;
}

/** A value that was written. */
interface Written {
	value: unknown;
	/** The number of the step. */
	step: number;
	/** The previous values as JSON; undefined if they are unknown. */
	older: ReadonlySet<string> | undefined;
}

/** A record that was written, or that may have been created. */
class State {
	/** The number of its last step, and when it was, in ms since the epoch. */
	step = 0;
	at = 0;
	/** The approximate number of characters that it takes. */
	size = 0;
	underWay = 0;
	/** True if writes have overlapped since the last quiet moment: the service may carry them out in any order. */
	overlaps = false;
	/** True if it is unknown which write was carried out last. */
	isUnclear = false;
	isDeleted = false;
	created: DataRecord | undefined;
	/** What was sent to create it, if its ID is unknown. */
	mayExist: JsonObject | undefined;
	/** The values of the last response, which may include more than was sent. */
	shown: { step: number; data: JsonObject } | undefined;
	readonly written = new Map<string, Written>();
}

/** The approximate number of characters that a record takes. */
const sizeOf = (data: JsonObject): number =>
	Object.values(data).reduce<number>(
		(sum, value) => sum + (typeof value === 'string' ? value.length : 50),
		400,
	);

/** The writes to one card. */
export class CardMemory {
	/** By ID, in the order of their last steps. A record whose ID is unknown has a symbol. */
	private readonly states = new Map<string | symbol, State>();
	/** The number of steps so far: a write has begun, or its outcome is known. */
	private steps = 0;
	private size = 0;
	private readonly views = new Set<CardView>();
	/** How many deletions have begun, and how many have ended. */
	private readonly deletions = { begun: 0, ended: 0 };

	/**
	 * Runs a reading. Returns true if this process deleted no record meanwhile: pages may otherwise skip records.
	 */
	async withoutDeletions(read: () => Promise<unknown>): Promise<boolean> {
		const { begun, ended } = this.deletions;
		await read();
		return begun === ended && begun === this.deletions.begun;
	}

	async deleting(send: () => Promise<void>): Promise<void> {
		this.deletions.begun += 1;
		await send().finally(() => (this.deletions.ended += 1));
	}

	state(id: string): Readonly<State> | undefined {
		return this.states.get(id);
	}

	/** The records that were created and not deleted. A listing may not show them yet. */
	get creations(): readonly DataRecord[] {
		return [...this.states.values()].flatMap(({ created, isDeleted }) =>
			created && !isDeleted ? [created] : [],
		);
	}

	/** Creations whose record is unknown, after a time in ms since the epoch. */
	unknownAfter(time: number): News[] {
		return [...this.states.values()].flatMap(({ at, mayExist }) =>
			mayExist && at > time ? [{ sent: mayExist }] : [],
		);
	}

	/** Returns a copy for a dry run, whose writes nobody else sees. */
	copy(): CardMemory {
		const copy = new CardMemory();
		for (const [id, state] of this.states)
			copy.states.set(id, { ...state, written: new Map(state.written) });
		copy.steps = this.steps;
		copy.size = this.size;
		return copy;
	}

	/** Opens a view for a new listing. */
	open(now: number): CardView {
		this.forget(now);
		const view = new CardView(this, now, this.steps);
		this.views.add(view);
		return view;
	}

	close(view: CardView): void {
		this.views.delete(view);
	}

	/** Returns true if nobody needs it any longer. */
	isOver(now: number): boolean {
		this.forget(now);
		// A write that is under way has a state, no matter when it began.
		return this.states.size === 0 && this.views.size === 0;
	}

	/** Notes that a change or deletion is sent. */
	begin(id: string, at: number): void {
		const state = this.step(id, at);
		state.underWay += 1;
		state.overlaps = state.underWay > 1;
	}

	/** Notes that a change or deletion has ended. @param outcome `unclear` if it may have been carried out */
	end(id: string, outcome: 'deleted' | 'unclear' | 'refused', at: number): void {
		const state = this.ended(id, at);
		if (outcome === 'unclear') state.isUnclear = true;
		if (outcome === 'deleted') Object.assign(state, { isDeleted: true, isUnclear: false });
	}

	/** Notes a change. @param before the record's previous values, if they are known */
	changed(record: DataRecord, sent: JsonObject, before: JsonObject | undefined, at: number): void {
		const state = this.ended(record.id, at, record.data);
		Object.assign(state, { isUnclear: state.overlaps, isDeleted: false });
		state.shown = { step: state.step, data: record.data };
		if (state.created) state.created = record;
		for (const id of Object.keys(sent)) {
			const last = state.written.get(id);
			const older = olderOf(before && canonicalJson(ownValue(before, id)), last);
			state.written.set(id, { value: ownValue(record.data, id), step: state.step, older });
		}
		this.tell({ record, sent });
	}

	/** Notes a created record. */
	created(record: DataRecord, sent: JsonObject, at: number): void {
		const state = this.step(record.id, at, record.data);
		Object.assign(state, { created: record, isDeleted: false });
		this.tell({ record, sent });
	}

	/** Notes that a record may exist. @param isFailed true if the response says that its creation failed */
	mayExist(sent: JsonObject, isFailed: boolean, at: number): void {
		// Later listings show if it exists.
		if (!isFailed) this.step(Symbol('unknown'), at, sent).mayExist = sent;
		this.tell({ sent });
	}

	private tell(news: News): void {
		for (const { inboxes } of this.views) for (const inbox of inboxes) inbox.push(news);
	}

	private step(id: string | symbol, at: number, data: JsonObject = {}): State {
		if (this.size > MAX_CHARACTERS) this.forget(at);
		const state = this.states.get(id) ?? new State();
		const size = Math.max(state.size, sizeOf(data));
		this.size += size - state.size;
		Object.assign(state, { step: this.steps, at, size });
		this.steps += 1;
		this.states.delete(id);
		this.states.set(id, state);
		return state;
	}

	private ended(id: string, at: number, data?: JsonObject): State {
		const state = this.step(id, at, data);
		state.underWay = Math.max(0, state.underWay - 1);
		return state;
	}

	/** Forgets what neither a run nor a later listing needs any longer. */
	private forget(now: number): void {
		const needed = Math.min(...[...this.views].map(({ since }) => since), this.steps);
		for (const [id, { step, at, size, underWay }] of this.states) {
			const isMuch = this.size > MAX_CHARACTERS / 2;
			if (step >= needed || (now - at < LAG_MS && !isMuch)) break;
			if (underWay > 0) continue;
			this.states.delete(id);
			this.size -= size;
		}
	}
}

/** The values before a write, as JSON, since the last write that a listing may show. */
function olderOf(
	before: string | undefined,
	last: Written | undefined,
): ReadonlySet<string> | undefined {
	if (before === undefined || (last && !last.older)) return undefined;
	return new Set([before, ...(last ? [canonicalJson(last.value), ...(last.older ?? [])] : [])]);
}

/**
 * The records of a card as this process knows them. A write after the listing was opened counts. An earlier write
 * counts only if the listing shows the values before it; any other values were written by somebody else since.
 */
export class CardView {
	/** The number of the first step after the listing was opened. */
	readonly since: number;
	/** What each follower has yet to learn. */
	readonly inboxes: News[][] = [];
	readonly memory: CardMemory;
	private readonly openedAt: number;
	private readonly unlisted = new Set<string>();
	/** Records that a listing shows as they were before a write of the minute before. */
	private readonly doubtful = new Set<string>();

	constructor(memory: CardMemory, openedAt: number, since: number) {
		this.memory = memory;
		this.openedAt = openedAt;
		this.since = since;
	}

	/**
	 * Returns the current state of a record that a listing has just shown. If it has values from before an earlier write,
	 * either the listing lags behind, or somebody has restored them: the record is in doubt until it is written again.
	 */
	listed(listed: DataRecord): DataRecord | 'deleted' {
		const state = this.memory.state(listed.id);
		const isDoubtful = state !== undefined && this.isEarlier(state, listed);
		this.doubtful[isDoubtful ? 'add' : 'delete'](listed.id);
		return this.current(listed);
	}

	/** Returns true if a listed record has values from before a write that ended before the listing was opened. */
	private isEarlier({ step, isDeleted, written }: Readonly<State>, { data }: DataRecord): boolean {
		if (isDeleted) return step < this.since;
		return [...written].some(([id, { step: at, value, older }]) => {
			const listed = canonicalJson(ownValue(data, id));
			return at < this.since && older?.has(listed) && listed !== canonicalJson(value);
		});
	}

	/** Returns the current state of a record. */
	current(listed: DataRecord): DataRecord | 'deleted' {
		const state = this.memory.state(listed.id);
		if (!state) return listed;
		if (state.isDeleted) return 'deleted';
		const shown = state.shown && state.shown.step >= this.since ? state.shown.data : {};
		const written = [...state.written].filter(
			([id, { step, older }]) =>
				step >= this.since || older?.has(canonicalJson(ownValue(listed.data, id))),
		);
		const values = Object.fromEntries(written.map(([id, { value }]) => [id, value]));
		const data = { ...listed.data, ...shown, ...values };
		return { ...listed, data, raw: { ...listed.raw, data } };
	}

	/** Returns true if this process wrote the record, or began to, since it was listed. */
	isWritten(id: string): boolean {
		return (this.memory.state(id)?.step ?? -1) >= this.since;
	}

	/** Returns true if no write to the record is under way, and the listing shows the last one. */
	isClear(id: string): boolean {
		const { underWay = 0, isUnclear = false } = this.memory.state(id) ?? {};
		return underWay === 0 && !isUnclear && !this.isDoubtful(id);
	}

	/** Returns true if a listing and this process disagree about the record. */
	isDoubtful(id: string): boolean {
		return this.doubtful.has(id) && !this.isWritten(id);
	}

	/** Returns true if no listing has shown the record, which this process created. */
	isUnlisted(id: string): boolean {
		return this.unlisted.has(id);
	}

	/** Returns true if the record's values are known: the last write has ended, and its outcome is clear. */
	isCertain(id: string): boolean {
		const written = [...(this.memory.state(id)?.written.values() ?? [])];
		const isKnown = written.every(({ step, older }) => step >= this.since || older !== undefined);
		return isKnown && this.isClear(id) && (this.isWritten(id) || !this.isUnlisted(id));
	}

	/** Notes that a record of `creations` isn't listed: the listing lags behind, or somebody deleted the record. */
	notListed(id: string): void {
		this.unlisted.add(id);
	}

	/**
	 * Returns a list that receives all writes from now on. It begins with creations in the minute before the listing was
	 * opened, which may not show them yet.
	 */
	follow(): News[] {
		const inbox = this.memory.unknownAfter(this.openedAt - LAG_MS);
		this.inboxes.push(inbox);
		return inbox;
	}
}
