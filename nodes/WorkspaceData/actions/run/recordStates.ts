/** What a run knows about the records of a card: writes of this process override what the run has listed. */
import type { DataRecord } from '../../model/answer/record';
import type { JsonObject } from '../../model/answer/shapes';
import { RecentWrites, type WriteEvent } from './recentWrites';

export type { WriteEvent };

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
	/** Whether this process has written the record, or begun to, since it was listed. */
	isWritten(id: string): boolean;
	/** A number that differs after each step of a write to the record: by it one sees whether there was any meanwhile. */
	stepsOf(id: string): number;
	/** Whether this process wrote a value of a record in the last minute. */
	hasWritten(id: string, fieldId: string): boolean;
	/** Records that this process created shortly before the listing, which may not show them yet. */
	creations(): readonly DataRecord[];
	/** A record of `creations` is not listed: the listing lags behind, or somebody has deleted it. */
	notListed(id: string): void;
	/** Whether the values of a record are known: no write is under way, and the last one had a clear answer. */
	isCertain(id: string): boolean;
}

/** Creates the states of the records of a card that is listed now. @param recent what was written before */
export function createRecordStates(recent = new RecentWrites()): RecordStates {
	const states = new Map<string, State>();
	const unlisted = new Set<string>();

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
					// A value that was cleared is in what was sent only.
					const values = { ...states.get(id)?.values, ...event.sent, ...data };
					end(id, { values, isDeleted: false });
					break;
				}
				case 'deleted':
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
		current(record) {
			const state = states.get(record.id);
			const listed = recent.current(record);
			if (state?.isDeleted || listed === 'deleted') return 'deleted';
			if (!state?.values) return listed;
			const data = { ...listed.data, ...state.values };
			return { ...listed, data, raw: { ...listed.raw, data } };
		},
		hasWritten: (id, fieldId) =>
			recent.has(id, fieldId) || Object.hasOwn(states.get(id)?.values ?? {}, fieldId),
		creations: () => recent.creations,
		notListed: (id) => void unlisted.add(id),
		isWritten: (id) => states.has(id),
		stepsOf: (id) => states.get(id)?.steps ?? 0,
		isCertain(id) {
			const state = states.get(id);
			if (!state) return !unlisted.has(id) && recent.isCertain(id);
			return state.underWay === 0 && !state.isUnclear;
		},
	};
}
