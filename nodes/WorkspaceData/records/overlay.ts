/** The records of a card, with what is planned so far. */
import type { JsonObject } from '../values/jsonObject';
import { ageOf, byAge } from './ownValues';
import type { DataRecord } from '../transport/api';
import type { Find, Row, Rules } from './planned';

export class Overlay {
	readonly rows: Row[] = [];
	readonly byKey = new Map<string, Row[]>();
	private readonly byId = new Map<string, Row>();

	private readonly isComplete: boolean;
	private readonly keyOf: Rules['keyOf'];

	/** @param isComplete true if it gets all records of the card: others don't exist */
	constructor(isComplete: boolean, keyOf: Rules['keyOf']) {
		this.isComplete = isComplete;
		this.keyOf = keyOf;
	}

	add(row: Row): Row {
		this.rows.push(row);
		if (!this.keyOf) this.byId.set(row.record.id, row);
		const key = this.keyOf?.(row.record.data);
		const same = key === undefined ? undefined : this.byKey.get(key);
		if (same) same.push(row);
		else if (key !== undefined) this.byKey.set(key, [row]);
		return row;
	}

	/** The rows that an item finds: of a key, the oldest first. */
	async find(find: Find, breathe: () => Promise<void>): Promise<Row[]> {
		if (find.by === 'key') return oldestFirst(this.byKey.get(find.key) ?? []);
		const known = find.by === 'id' ? this.byId.get(find.id) : undefined;
		if (known) return [known];
		if (find.by === 'id' && !this.isComplete)
			return [this.add({ record: recordOf(find.id, {}), isRead: false })];
		const found: Row[] = [];
		for (const [place, row] of find.by === 'test' ? this.rows.entries() : []) {
			if (place % 100 === 0) await breathe();
			if (!row.isDeleted && find.by === 'test' && find.test(row.record)) found.push(row);
		}
		return found;
	}
}

const oldestFirst = (rows: Row[]): Row[] =>
	rows.toSorted((a, b) => byAge(ageOf(a.record), ageOf(b.record)));

/** A record as far as the plan knows it. */
export const recordOf = (
	id: string,
	data: JsonObject,
	createdAt: string | null = null,
): DataRecord => ({
	...{ id, data, createdAt, raw: {} },
});
