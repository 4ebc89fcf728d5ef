/** The output of written records: what was done, or in a dry run what would be done. */
import type { DataRecord } from '../transport/api';
import { isEmpty } from '../values/emptyValue';
import { identityOf } from '../values/identity';
import { ownValue, type JsonObject } from '../values/json';
import { count, listed, quote } from '../values/messageText';
import type { Entry } from './entry';
import type { FieldIndex } from './fieldIndex';
import type { Step } from './overlay';
import { recordOutput } from './recordOutput';
import type { Run } from './run';

/** What became of a record. */
export type Written = Pick<Step, 'action' | 'row' | 'before' | 'after' | 'sent'>;

const DONE = {
	create: 'created',
	change: 'updated',
	keep: 'unchanged',
	delete: 'deleted',
} as const;
const WOULD = { create: 'create', change: 'update', keep: 'none', delete: 'delete' } as const;

/** Where records are written, and how. */
interface OutputPlace extends Pick<Entry, 'card' | 'isDry' | 'find'> {
	run: Run;
	index: FieldIndex;
}

/** The output of a card's written records, and what is counted of them. */
export class StepOutput {
	private readonly place: OutputPlace;
	private readonly toItem: ReturnType<typeof recordOutput>;
	private readonly counts = { create: 0, change: 0, delete: 0, keep: 0 };
	/** The number of records that lost a value, by the field's key. */
	private readonly cleared = new Map<string, number>();

	constructor(place: OutputPlace) {
		this.place = place;
		this.toItem = recordOutput(place.index, {});
	}

	/** Returns the item of a record, and counts it. */
	of(written: Written): JsonObject {
		const { action, row, before, after, sent } = written;
		// Only what was sent or shown is known of a record that wasn't read.
		const isPartial = !row.isRead;
		const item = this.toItem(after, isPartial);
		if (after.id === '') item.id = null;
		if (action === 'delete') delete item.created_at;
		this.counts[action] += 1;
		if (action === 'change') this.countCleared(sent, before, isPartial);
		if (this.place.isDry) {
			const changes = () => this.differences(written, (from, to) => ({ from, to }));
			const first = { dry_run: true, action: WOULD[action] };
			return { ...first, ...(action === 'change' && { changes: changes() }), ...item };
		}
		const old = () => this.differences(written, (from) => from);
		const json = {
			...item,
			...(action === 'delete' && { deleted: true }),
			...(action === 'change' && !isPartial && { before: old() }),
			...(this.isMarked(action) && { action: DONE[action] }),
		};
		if (action !== 'keep') this.place.run.done.add(DONE[action] as 'created', after.id, json);
		return json;
	}

	/** True if the output says what was done: where the operation decides it. */
	private isMarked(action: Step['action']): boolean {
		const { by } = this.place.find;
		if (action === 'delete') return by === 'key';
		return by === 'key' || by === 'filter';
	}

	/** Adds the hint at the end: the counts of a dry run, and values that were cleared. */
	hint(): void {
		const { isDry } = this.place;
		const cleared = [...this.cleared].map(
			([key, number]) => `${quote(key)} in ${count(number, 'record')}`,
		);
		const told = [
			...(isDry ? [this.countsInWords()] : []),
			...(cleared.length > 0 ? [`${isDry ? 'would clear' : 'cleared'} ${listed(cleared)}`] : []),
		];
		if (told.length === 0) return;
		this.place.run.hints.add(
			`${isDry ? 'Dry run of card' : 'Card'} '${this.place.card.name}': ${told.join('; ')}`,
		);
	}

	private countsInWords(): string {
		const { keep, ...changes } = this.counts;
		const parts = Object.entries(changes).filter(([, number]) => number > 0);
		const words = parts.map(([action, number], place) => {
			const done = DONE[action as keyof typeof DONE];
			return place === 0 ? `${count(number, 'record')} would be ${done}` : `${number} ${done}`;
		});
		return (words.join(', ') || 'nothing would change') + (keep > 0 ? `; ${keep} unchanged` : '');
	}

	/** The fields that changed, in the card's order, each with a form of its two values. */
	private differences(
		{ before, after, sent }: Written,
		form: (from: unknown, to: unknown) => unknown,
	): JsonObject {
		const changed = this.place.index.fields.flatMap((field) => {
			if (!Object.hasOwn(sent, field.id)) return [];
			const [from, to] = [ownValue(before.data, field.id), ownValue(after.data, field.id)];
			const identity = (value: unknown) => identityOf(field, value, this.place.run.zone);
			if (identity(from) === identity(to)) return [];
			return [[this.place.index.keyOf(field), form(from ?? null, to ?? null)] as const];
		});
		return Object.fromEntries(changed);
	}

	private countCleared(sent: JsonObject, before: DataRecord, isPartial: boolean): void {
		for (const [id, value] of Object.entries(sent)) {
			const field = this.place.index.byId(id);
			if (!field || !isEmpty(value) || (!isPartial && isEmpty(ownValue(before.data, id)))) continue;
			const key = this.place.index.keyOf(field);
			this.cleared.set(key, (this.cleared.get(key) ?? 0) + 1);
		}
	}
}
