/**
 * What this process wrote to the records of a card: in the last minute, as a listing may lag behind, and since the oldest listing
 * that a run still uses was opened.
 */
import type { DataRecord } from '../../model/answer/record';
import { type JsonObject, ownValue } from '../../model/answer/shapes';
import { canonicalJson } from '../../model/value/serialization';

/** How long a listing may lag behind, and a request without an answer may still be carried out, in ms. */
export const LAG_MS = 60_000;
/** The most steps that are kept for later listings, and the most characters of their values: records may be large. */
const MAX_STEPS = 10_000;
const MAX_CHARACTERS = 2_000_000;

/**
 * What may have become of a creation that has shown no ID: it was carried out; it was answered as if it was not; it was not
 * answered, so it may be carried out later.
 */
export type UnknownCreation = 'done' | 'answered' | 'unanswered';

/** A step of a write: it has begun, or its outcome is known. */
export interface Step {
	/** When it was taken, in ms since the epoch. */
	at: number;
	/** The record; undefined where its ID is not known. */
	id?: string;
	/** The record as the write left it. */
	record?: DataRecord;
	/** The values that were sent. */
	sent?: JsonObject;
	creation?: UnknownCreation;
}

/** A value that was written. */
interface Written {
	value: unknown;
	/** The number of the step. */
	step: number;
	/** The values that were there before, as JSON; undefined where these are not known. */
	older: ReadonlySet<string> | undefined;
}

/** A record that was written. */
interface State {
	/** The number of its last step. */
	step: number;
	underWay: number;
	/** Whether two writes were under way at once since none was: the service may carry them out in any order. */
	overlaps: boolean;
	/** Whether it is unknown which write was carried out last. */
	isUnclear: boolean;
	isDeleted: boolean;
	created?: DataRecord;
	/** The values of the last response, which may be more than were sent. */
	shown?: { step: number; data: JsonObject };
	written: Map<string, Written>;
}

/** About how many characters the values of a record take. */
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
	 * Runs a reading, and tells whether no record was deleted meanwhile by this process: pages may then have skipped others.
	 */
	async withoutDeletions(read: () => Promise<void>): Promise<boolean> {
		const { begun, ended } = this.deletions;
		await read();
		return begun === ended && begun === this.deletions.begun;
	}

	/** Runs a deletion. */
	async deleting(send: () => Promise<void>): Promise<void> {
		this.deletions.begun += 1;
		await send().finally(() => (this.deletions.ended += 1));
	}

	/** The number of the next step. */
	get next(): number {
		return this.first + this.steps.length;
	}

	/** The steps before a number, as far as they are kept. */
	before(step: number): readonly Step[] {
		return this.steps.slice(0, Math.max(0, step - this.first));
	}

	/** The steps from a number on. */
	from(step: number): readonly Step[] {
		return this.steps.slice(Math.max(0, step - this.first));
	}

	state(id: string): Readonly<State> | undefined {
		return this.states.get(id);
	}

	/** The records that were created, and are not deleted. */
	get creations(): readonly DataRecord[] {
		return [...this.states.values()].flatMap(({ created, isDeleted }) =>
			created && !isDeleted ? [created] : [],
		);
	}

	/** A view for a listing that is opened now. @param beneath a view of writes that were really sent, where these are pretended */
	open(now: number, beneath?: CardView): CardView {
		this.forget(now);
		const view = new CardView(this, beneath);
		this.views.add(view);
		return view;
	}

	close(view: CardView): void {
		this.views.delete(view);
	}

	/** Whether nobody needs it any more. */
	isOver(now: number): boolean {
		this.forget(now);
		// A write that is under way has a state, however long ago it began.
		return this.steps.length === 0 && this.states.size === 0 && this.views.size === 0;
	}

	/** A change or deletion is sent. */
	begin(id: string, at: number): void {
		const state = this.step(id, at);
		state.underWay += 1;
		state.overlaps = state.underWay > 1;
	}

	/** A change or deletion has ended. @param outcome `unclear` if it may have been carried out */
	end(id: string, outcome: 'deleted' | 'unclear' | 'refused', at: number): void {
		const state = this.ended(id, at);
		if (outcome !== 'refused') state.isUnclear = outcome === 'unclear' || state.overlaps;
		if (outcome === 'deleted') Object.assign(state, { isDeleted: true, isUnclear: false });
	}

	/** A change was carried out. @param before what the record held, if that is known */
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

	/** A record was created. */
	created(record: DataRecord, sent: JsonObject, at: number): void {
		const state = this.step(record.id, at, { record, sent });
		Object.assign(state, { created: record, isDeleted: false });
	}

	/** A record was created without its ID being known, or may have been. */
	createdUnknown(creation: UnknownCreation, sent: JsonObject, at: number): void {
		this.note({ at, sent, creation });
	}

	private note(step: Step): void {
		this.steps.push(step);
		if (step.record) this.size += sizeOf(step.record);
		if (this.steps.length > MAX_STEPS || this.size > MAX_CHARACTERS) this.forget(step.at);
	}

	private step(id: string, at: number, facts: Omit<Step, 'at' | 'id'> = {}): State {
		const state = this.states.get(id) ?? {
			step: 0,
			underWay: 0,
			overlaps: false,
			isUnclear: false,
			isDeleted: false,
			written: new Map<string, Written>(),
		};
		state.step = this.next;
		this.states.set(id, state);
		this.note({ ...facts, at, id });
		return state;
	}

	private ended(id: string, at: number, facts?: Omit<Step, 'at' | 'id'>): State {
		const state = this.step(id, at, facts);
		state.underWay = Math.max(0, state.underWay - 1);
		return state;
	}

	/** Forgets what no run needs any more, and no later listing. */
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

/** The values before a write, as JSON: all of them since the last one that a listing can show. */
function olderOf(
	before: string | undefined,
	last: Written | undefined,
): ReadonlySet<string> | undefined {
	if (before === undefined || (last && !last.older)) return undefined;
	return new Set([before, ...(last ? [canonicalJson(last.value), ...(last.older ?? [])] : [])]);
}

/**
 * The records of a card as this process knows them. A write since the listing was opened counts; an earlier one only where the
 * listing shows what was there before it: anything else, somebody else has written since.
 */
export class CardView {
	/** The number of the first step after the listing was opened. */
	readonly since: number;
	private readonly memory: CardMemory;
	private readonly beneath: CardView | undefined;
	private readonly unlisted = new Set<string>();

	constructor(memory: CardMemory, beneath?: CardView) {
		this.memory = memory;
		this.beneath = beneath;
		this.since = memory.next;
	}

	/** A listed record in its current state. */
	current(record: DataRecord): DataRecord | 'deleted' {
		const listed = this.beneath?.current(record) ?? record;
		const state = this.memory.state(record.id);
		if (listed === 'deleted' || state?.isDeleted) return 'deleted';
		if (!state) return listed;
		const shown = state.shown && state.shown.step >= this.since ? state.shown.data : {};
		const written = [...state.written].filter(
			([id, { step, older }]) =>
				step >= this.since || older?.has(canonicalJson(ownValue(listed.data, id))),
		);
		const values = Object.fromEntries(written.map(([id, { value }]) => [id, value]));
		const data = { ...listed.data, ...shown, ...values };
		return { ...listed, data, raw: { ...listed.raw, data } };
	}

	/** The number of the last step of a write to a record; undefined for none. By it one sees whether there was any meanwhile. */
	stepOf(id: string): number | undefined {
		return this.memory.state(id)?.step ?? this.beneath?.stepOf(id);
	}

	/** Whether this process has written the record, or begun to, since it was listed. */
	isWritten(id: string): boolean {
		return (
			(this.memory.state(id)?.step ?? -1) >= this.since || this.beneath?.isWritten(id) === true
		);
	}

	/** Whether it is known what a record holds: no write is under way, the last one was clear, and the listing can be told from it. */
	isCertain(id: string): boolean {
		if (this.beneath && !this.beneath.isCertain(id)) return false;
		const state = this.memory.state(id);
		if (!state) return !this.unlisted.has(id);
		const isKnown = [...state.written.values()].every(
			({ step, older }) => step >= this.since || older !== undefined,
		);
		const isSeen = state.step >= this.since || !this.unlisted.has(id);
		return state.underWay === 0 && !state.isUnclear && isKnown && isSeen;
	}

	/** Whether this process wrote a value of a record. */
	hasWritten(id: string, fieldId: string): boolean {
		return this.memory.state(id)?.written.has(fieldId) ?? false;
	}

	/** Records that this process created shortly before the listing, which may not show them yet. */
	creations(): readonly DataRecord[] {
		return [...(this.beneath?.creations() ?? []), ...this.memory.creations];
	}

	/** A record of `creations` is not listed: the listing lags behind, or somebody has deleted it. */
	notListed(id: string): void {
		this.unlisted.add(id);
	}

	/**
	 * Gives the steps since it was last asked; at first those since the listing was opened, and earlier creations that it may not
	 * show yet.
	 */
	follow(): () => readonly Step[] {
		const beneath = this.beneath?.follow();
		const unseen = this.memory
			.before(this.since)
			.filter(({ creation = 'answered' }) => creation !== 'answered');
		let next = this.since;
		return () => {
			const news = [...(beneath?.() ?? []), ...unseen.splice(0), ...this.memory.from(next)];
			next = this.memory.next;
			return news;
		};
	}
}
