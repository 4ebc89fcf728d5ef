/** What a run knows about the records of a card: writes of this process override what the run has listed. */
import type { DataRecord } from '../../model/answer/record';
import type { JsonObject } from '../../model/answer/shapes';

/** A write to the records of a card, in the order in which this process learns of it. */
export type WriteEvent =
	/** A create is under way. `settled` is fulfilled once its outcome is known. */
	| { type: 'creating'; settled: Promise<unknown> }
	| { type: 'created'; record: DataRecord; sent: JsonObject }
	/** A create without a clear answer: the record may exist. */
	| { type: 'maybeCreated'; sent: JsonObject }
	/** A change or deletion is under way. */
	| { type: 'changing'; id: string }
	/** A change was carried out. `record` holds at least the values that were sent. */
	| { type: 'changed'; record: DataRecord; sent: JsonObject }
	| { type: 'deleted'; id: string }
	/** A change or deletion failed; it may have been carried out. */
	| { type: 'failed'; id: string }
	/** A change or deletion was not carried out. */
	| { type: 'refused'; id: string };

/** A record that was written. */
interface State {
	/** How many writes have begun or ended. */
	steps: number;
	underWay: number;
	/** Whether two writes were under way at once since the last time when none was. */
	overlaps: boolean;
	/** Whether it is unknown which write was carried out last. */
	isUnclear: boolean;
	/** The values of all changes; undefined while none has succeeded. */
	values?: JsonObject;
	isDeleted?: boolean;
}

/** The records of a card that were written. */
export interface RecordStates {
	apply(event: WriteEvent): void;
	/** A listed record in its current state. */
	current(listed: DataRecord): DataRecord | 'deleted';
	/** From now on the records are listed: earlier writes are no reason to spare a record. */
	list(): void;
	/** Whether this process has written the record, or begun to, since it was listed. */
	isWritten(id: string): boolean;
	/** A number that differs after each step of a write to the record: by it one sees whether there was any meanwhile. */
	stepsOf(id: string): number;
	/** Whether the values of a record are known: no write is under way, and the last one had a clear answer. */
	isCertain(id: string): boolean;
}

/** Creates the states of the records of a card; none was written. */
export function createRecordStates(): RecordStates {
	const states = new Map<string, State>();
	/** The steps of records before they were listed. */
	const before = new Map<string, number>();

	function begin(id: string): void {
		const { underWay = 0, steps = 0, isUnclear = false, ...known } = states.get(id) ?? {};
		// The service may carry out two writes in any order.
		const overlaps = underWay > 0;
		states.set(id, { ...known, isUnclear, steps: steps + 1, underWay: underWay + 1, overlaps });
	}

	/** @param outcome of a write that was carried out: if it was alone, the values are certain again */
	function end(id: string, outcome: Partial<State>): void {
		const state = states.get(id);
		if (!state) return;
		state.underWay -= 1;
		state.steps += 1;
		Object.assign(state, { isUnclear: state.overlaps }, outcome);
	}

	return {
		apply(event) {
			switch (event.type) {
				case 'changing':
					begin(event.id);
					break;
				case 'changed': {
					const { id, data } = event.record;
					if (!states.has(id)) begin(id);
					// A value that was cleared is in what was sent only.
					const values = { ...states.get(id)?.values, ...event.sent, ...data };
					end(id, { values, isDeleted: false });
					break;
				}
				case 'deleted':
					if (!states.has(event.id)) begin(event.id);
					end(event.id, { isDeleted: true });
					break;
				case 'failed':
					end(event.id, { isUnclear: true });
					break;
				case 'refused':
					end(event.id, { isUnclear: states.get(event.id)?.isUnclear ?? false });
					break;
				default:
			}
		},
		current(listed) {
			const state = states.get(listed.id);
			if (state?.isDeleted) return 'deleted';
			if (!state?.values) return listed;
			const data = { ...listed.data, ...state.values };
			return { ...listed, data, raw: { ...listed.raw, data } };
		},
		list() {
			for (const [id, { steps }] of states) before.set(id, steps);
		},
		isWritten: (id) => (states.get(id)?.steps ?? 0) !== (before.get(id) ?? 0),
		stepsOf: (id) => states.get(id)?.steps ?? 0,
		isCertain(id) {
			const state = states.get(id);
			return !state || (state.underWay === 0 && !state.isUnclear);
		},
	};
}
