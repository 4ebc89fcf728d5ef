/**
 * Remembers what this process wrote to the records of a card: in the last minute, because a listing may lag behind,
 * and since the oldest listing that a run still uses was opened.
 */
import type { DataRecord } from '../../model/response/record';
import { type JsonObject, ownValue } from '../../model/response/shapes';
import { canonicalJson } from '../../model/value/serialization';
import { getOrCreate } from './getOrCreate';

/** How long a listing may lag behind, and a request without a response may still be carried out, in ms. */
export const LAG_MS = 60_000;
/** The maximum number of steps kept for later listings, and of characters in their values. */
const MAX_STEPS = 5_000;
const MAX_CHARACTERS = 2_000_000;

/**
 * The outcome of a creation that returned no ID. `done`: it was carried out. `answered`: the response says that it
 * failed. `unanswered`: there was no response, so it may be carried out later.
 */
export type UnknownCreation = 'done' | 'answered' | 'unanswered';

/** A step of a write: it has begun, or its outcome is known. */
export interface Step {
	/** When it happened, in ms since the epoch. */
	at: number;
	/** The record; undefined if its ID is unknown. */
	id?: string;
	/** The record after the write. */
	record?: DataRecord;
	sent?: JsonObject;
	creation?: UnknownCreation;
}

/** A value that was written. */
interface Written {
	value: unknown;
	/** The number of the step. */
	step: number;
	/** The previous values as JSON; undefined if they are unknown. */
	older: ReadonlySet<string> | undefined;
}

/** A record that was written. */
interface State {
	/** The number of its last step. */
	step: number;
	underWay: number;
	/** True if writes have overlapped since the last quiet moment: the service may carry them out in any order. */
	overlaps: boolean;
	/** True if it is unknown which write was carried out last. */
	isUnclear: boolean;
	isDeleted: boolean;
	created?: DataRecord;
	/** The values of the last response, which may include more than was sent. */
	shown?: { step: number; data: JsonObject };
	written: Map<string, Written>;
}

/** The approximate size of a record's values in characters. */
const sizeOf = ({ data }: DataRecord): number =>
	Object.values(data).reduce<number>(
		(sum, value) => sum + (typeof value === 'string' ? value.length : 50),
		0,
	);

/** The writes to one card. */
export class CardMemory {
	private readonly states = new Map<string, State>();
	private steps: Step[] = [];
	/** The number of the first step that is kept. */
	private first = 0;
	private size = 0;
	private readonly views = new Set<CardView>();
	/** How many deletions have begun, and how many have ended. */
	private readonly deletions = { begun: 0, ended: 0 };

	/**
	 * Runs a reading. Returns true if this process deleted no record meanwhile: pages may otherwise skip records.
	 */
	async withoutDeletions(read: () => Promise<void>): Promise<boolean> {
		const { begun, ended } = this.deletions;
		await read();
		return begun === ended && begun === this.deletions.begun;
	}

	async deleting(send: () => Promise<void>): Promise<void> {
		this.deletions.begun += 1;
		await send().finally(() => (this.deletions.ended += 1));
	}

	get next(): number {
		return this.first + this.steps.length;
	}

	/** Returns the steps from a number up to another, as far as they are kept. */
	between(from: number, to = this.next): readonly Step[] {
		return this.steps.slice(Math.max(0, from - this.first), Math.max(0, to - this.first));
	}

	state(id: string): Readonly<State> | undefined {
		return this.states.get(id);
	}

	/** The records that were created and not deleted. */
	get creations(): readonly DataRecord[] {
		return [...this.states.values()].flatMap(({ created, isDeleted }) =>
			created && !isDeleted ? [created] : [],
		);
	}

	/** Returns a copy for a dry run, whose writes nobody else sees. */
	copy(): CardMemory {
		const copy = new CardMemory();
		for (const [id, state] of this.states)
			copy.states.set(id, { ...state, written: new Map(state.written) });
		copy.steps = [...this.steps];
		copy.first = this.first;
		copy.size = this.size;
		return copy;
	}

	/** Opens a view for a new listing. */
	open(now: number): CardView {
		this.forget(now);
		const view = new CardView(this, now);
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
		return this.steps.length === 0 && this.states.size === 0 && this.views.size === 0;
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
		const state = this.ended(record.id, at, { record, sent });
		Object.assign(state, { isUnclear: state.overlaps, isDeleted: false });
		state.shown = { step: state.step, data: record.data };
		if (state.created) state.created = record;
		for (const id of Object.keys(sent)) {
			const last = state.written.get(id);
			const older = olderOf(before && canonicalJson(ownValue(before, id)), last);
			state.written.set(id, { value: ownValue(record.data, id), step: state.step, older });
		}
	}

	/** Notes a created record. */
	created(record: DataRecord, sent: JsonObject, at: number): void {
		const state = this.step(record.id, at, { record, sent });
		Object.assign(state, { created: record, isDeleted: false });
	}

	/** Notes a step, such as a creation with an unknown ID, or one that may have succeeded. */
	note(step: Step): void {
		this.steps.push(step);
		if (step.record) this.size += sizeOf(step.record);
		if (this.steps.length > MAX_STEPS || this.size > MAX_CHARACTERS) this.forget(step.at);
	}

	private step(id: string, at: number, facts: Omit<Step, 'at' | 'id'> = {}): State {
		const state = getOrCreate(this.states, id, () => ({
			step: 0,
			underWay: 0,
			overlaps: false,
			isUnclear: false,
			isDeleted: false,
			written: new Map<string, Written>(),
		}));
		state.step = this.next;
		this.note({ ...facts, at, id });
		return state;
	}

	private ended(id: string, at: number, facts?: Omit<Step, 'at' | 'id'>): State {
		const state = this.step(id, at, facts);
		state.underWay = Math.max(0, state.underWay - 1);
		return state;
	}

	/** Forgets what neither a run nor a later listing needs any longer. */
	private forget(now: number): void {
		const needed = Math.min(...[...this.views].map(({ since }) => since), this.next);
		let count = 0;
		for (; this.first + count < needed; count += 1) {
			const { at, id, record } = this.steps[count] as Step;
			const isMuch = this.steps.length - count > MAX_STEPS / 2 || this.size > MAX_CHARACTERS / 2;
			if (now - at < LAG_MS && !isMuch) break;
			if (record) this.size -= sizeOf(record);
			const state = id === undefined ? undefined : this.states.get(id);
			if (id !== undefined && state?.step === this.first + count && state.underWay === 0)
				this.states.delete(id);
		}
		this.steps.splice(0, count);
		this.first += count;
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
	private readonly memory: CardMemory;
	private readonly openedAt: number;
	private readonly unlisted = new Set<string>();
	/** Records that a listing shows as they were before a write of the minute before. */
	private readonly doubtful = new Set<string>();

	constructor(memory: CardMemory, openedAt: number) {
		this.memory = memory;
		this.openedAt = openedAt;
		this.since = memory.next;
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
		const state = this.memory.state(id);
		if (!state) return !this.unlisted.has(id);
		const isKnown = [...state.written.values()].every(
			({ step, older }) => step >= this.since || older !== undefined,
		);
		const isSeen = state.step >= this.since || !this.unlisted.has(id);
		return this.isClear(id) && isKnown && isSeen;
	}

	/** Records that this process created shortly before the listing, which may not show them yet. */
	creations(): readonly DataRecord[] {
		return this.memory.creations;
	}

	/** Notes that a record of `creations` isn't listed: the listing lags behind, or somebody deleted the record. */
	notListed(id: string): void {
		this.unlisted.add(id);
	}

	/**
	 * Returns a function that returns the steps since its last call. The first call returns the steps since the
	 * listing was opened, and creations in the minute before, which it may not show yet.
	 */
	follow(): () => readonly Step[] {
		const unseen = this.memory
			.between(0, this.since)
			.filter(({ creation = 'answered' }) => creation !== 'answered')
			.filter(({ at }) => this.openedAt - at < LAG_MS);
		let next = this.since;
		return () => {
			const news = [...unseen.splice(0), ...this.memory.between(next)];
			next = this.memory.next;
			return news;
		};
	}
}
