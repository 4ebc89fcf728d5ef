/** The records of a card, with what is planned so far. */
import type { DataRecord } from '../transport/api';
import type { JsonObject } from '../values/jsonObject';
import type { Wish } from './entry';
import type { MatchKey } from './matchKey';
import { ageOf, byAge } from './ownValues';
import type { Row } from './planned';

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
