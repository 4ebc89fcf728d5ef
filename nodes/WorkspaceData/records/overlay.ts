/** The records of a card, with what is planned so far: what the plan consists of. */
import type { DataRecord } from '../transport/api';
import type { InputError } from '../values/inputError';
import type { JsonObject } from '../values/json';
import type { SyncSettings, Wish } from './entry';
import type { MatchKey } from './matchKey';
import { ageOf, byAge } from './ownValues';

/** A record that exists, or will exist: its steps share it. */
export interface Row {
	/** After what is planned so far. */
	record: DataRecord;
	/** As it is known to be: as it was read, and after what was written so far; undefined before its creation. */
	now?: DataRecord;
	/** False if only its ID is known. */
	isRead: boolean;
	isNew?: boolean;
	isDeleted?: boolean;
	/** True if a write of it failed. */
	isFailed?: boolean;
}

/** What is done to a record. */
export interface Step {
	action: 'create' | 'change' | 'keep' | 'delete';
	row: Row;
	before: DataRecord;
	after: DataRecord;
	/** What differs, by field ID. */
	sent: JsonObject;
	/** If the record has been deleted meanwhile: an error, no item, an empty item, or what was to be done. */
	ifGone: 'error' | 'skip' | 'empty' | 'done';
	/** What came of it: perhaps an item, or an error. Nothing if the run ended before it. */
	outcome?: { json?: JsonObject } | { error: unknown };
}

/** What is done for an item. */
export interface PlannedItem {
	entry: Wish['entry'];
	steps: Step[];
	/** Why it can't be written. */
	refusal?: InputError;
}

export interface Plan {
	items: PlannedItem[];
	/** Of records without an item. */
	deletions: Step[];
}

/** The rules of a card's plan. */
export interface Rules {
	/** The name of the card. */
	card: string;
	/** By which items find records, and which values are the same. */
	key: Pick<MatchKey, 'fields' | 'isSame' | 'of' | 'shown'>;
	sync?: SyncRules;
	/** Gives way to n8n's loop. */
	breathe: () => Promise<void>;
}

/** The rules of a Sync for the records of a card. */
export interface SyncRules extends Pick<SyncSettings, 'deletes' | 'maxDeletions'> {
	/** True if a record meets the conditions. */
	meets: (record: DataRecord) => boolean;
	/** The time of new records, ISO. */
	now: string;
}

export class Overlay {
	readonly rows: Row[] = [];
	readonly byKey = new Map<string, Row[]>();
	private readonly byId = new Map<string, Row>();
	private readonly isComplete: boolean;
	private readonly key: Pick<MatchKey, 'of'>;

	/** @param isComplete true if it gets all records of the card: others don't exist */
	constructor(isComplete: boolean, key: Pick<MatchKey, 'of'>) {
		this.isComplete = isComplete;
		this.key = key;
	}

	add(row: Row): Row {
		if (!row.isNew) row.now = row.record;
		this.rows.push(row);
		const key = this.key.of(row.record.data);
		const same = this.byKey.get(key ?? '');
		if (key === undefined) this.byId.set(row.record.id, row);
		else if (same) same.push(row);
		else this.byKey.set(key, [row]);
		return row;
	}

	/** The rows that an item finds: of a key, the oldest first. */
	async find({ entry, key = '', test }: Wish, breathe: () => Promise<void>): Promise<Row[]> {
		const { find } = entry;
		if (find.by === 'key') return oldestFirst(this.byKey.get(key) ?? []);
		if (find.by === 'id') {
			const known = this.byId.get(find.id);
			if (known || this.isComplete) return known ? [known] : [];
			return [this.add({ record: recordOf(find.id, {}), isRead: false })];
		}
		const found: Row[] = [];
		for (const row of test ? this.rows : []) {
			await breathe();
			if (!row.isDeleted && test?.(row.record)) found.push(row);
		}
		return found;
	}
}

const oldestFirst = (rows: Row[]): Row[] =>
	rows.toSorted((a, b) => byAge(ageOf(a.record), ageOf(b.record)));

/** A record as far as it is known. */
export const recordOf = (
	id: string,
	data: JsonObject,
	createdAt: string | null = null,
): DataRecord => ({ id, data, createdAt, raw: {} });
