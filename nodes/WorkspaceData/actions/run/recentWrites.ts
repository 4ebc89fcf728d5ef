/**
 * What this process wrote to the records of a card in the last minute: a listing may lag behind. A write counts against a listing
 * only where the listing shows what was there before it; anything else, somebody else has written since.
 */
import type { DataRecord } from '../../model/answer/record';
import { type JsonObject, ownValue } from '../../model/answer/shapes';
import { canonicalJson } from '../../model/value/serialization';

/** A write to the records of a card, in the order in which this process learns of it. */
export type WriteEvent =
	/** A create is under way. `settled` is fulfilled once its outcome is known. */
	| { type: 'creating'; settled: Promise<unknown> }
	| { type: 'created'; record: DataRecord; sent: JsonObject }
	/** A create without a clear answer: the record may exist. */
	| { type: 'maybeCreated'; sent: JsonObject }
	/** A change or deletion is under way. */
	| { type: 'changing'; id: string }
	/** A change was carried out. `record` holds at least the values that were sent, `before` what was there, if it is known. */
	| { type: 'changed'; record: DataRecord; sent: JsonObject; before?: JsonObject | undefined }
	| { type: 'deleted'; id: string }
	/** A change or deletion failed; it may have been carried out. */
	| { type: 'failed'; id: string }
	/** A change or deletion was not carried out. */
	| { type: 'refused'; id: string };

/** How long a listing may lag behind, in ms. */
const LAG_MS = 60_000;
/** The most writes that are remembered, and the most characters of their values: records may be large. */
const MAX_WRITES = 10_000;
const MAX_CHARACTERS = 4_000_000;

/** A write that was carried out. */
type Done = Extract<WriteEvent, { type: 'created' | 'changed' | 'deleted' }>;

let writes: Array<{ address: string; at: number; event: Done; size: number }> = [];
let size = 0;

/** About how many characters the values of a record take. */
const sizeOf = (data: JsonObject): number =>
	Object.values(data).reduce<number>(
		(sum, value) => sum + (typeof value === 'string' ? value.length : 50),
		0,
	);

/** Remembers a write. @param address of its card @param now ms since the epoch */
export function rememberWrite(address: string, event: WriteEvent, now: number): void {
	if (event.type !== 'created' && event.type !== 'changed' && event.type !== 'deleted') return;
	const own = event.type === 'deleted' ? 0 : sizeOf(event.record.data);
	writes.push({ address, at: now, event, size: own });
	size += own;
	if (writes.length <= MAX_WRITES && size <= MAX_CHARACTERS) return;
	writes = writes.slice(Math.ceil(writes.length / 2));
	size = writes.reduce((sum, write) => sum + write.size, 0);
}

/** A value that was written, and the values that were there before, as JSON; undefined where these are not known. */
interface Written {
	value: unknown;
	older: ReadonlySet<string> | undefined;
}

/** The writes to one card, for a listing that is opened now. */
export class RecentWrites {
	private readonly changed = new Map<string, Map<string, Written>>();
	private readonly created = new Map<string, DataRecord>();
	private readonly deleted = new Set<string>();

	/** @param address of the card; without it nothing was written @param now ms since the epoch */
	constructor(address?: string, now = 0) {
		for (const write of writes) {
			if (write.address === address && Math.abs(now - write.at) < LAG_MS) this.add(write.event);
		}
	}

	private add(event: Done): void {
		if (event.type === 'deleted') {
			this.deleted.add(event.id);
			this.created.delete(event.id);
			return;
		}
		const { record } = event;
		const isNew = event.type === 'created';
		if (isNew || this.created.has(record.id)) this.created.set(record.id, record);
		// A listing that shows the record shows what it was created with.
		if (isNew) return;
		const fields = this.changed.get(record.id) ?? new Map<string, Written>();
		this.changed.set(record.id, fields);
		for (const id of Object.keys(event.sent)) {
			fields.set(id, {
				value: ownValue(record.data, id),
				older: olderOf(event, id, fields.get(id)),
			});
		}
	}

	/** A listed record as it is now. */
	current(listed: DataRecord): DataRecord | 'deleted' {
		if (this.deleted.has(listed.id)) return 'deleted';
		const fields = this.changed.get(listed.id);
		if (!fields) return listed;
		const newer = [...fields].filter(([id, { older }]) =>
			older?.has(canonicalJson(ownValue(listed.data, id))),
		);
		if (newer.length === 0) return listed;
		const data = {
			...listed.data,
			...Object.fromEntries(newer.map(([id, { value }]) => [id, value])),
		};
		return { ...listed, data, raw: { ...listed.raw, data } };
	}

	/** Whether it can be told what a record holds now: a change is told from an older value only if that was known. */
	isCertain(id: string): boolean {
		return [...(this.changed.get(id)?.values() ?? [])].every(({ older }) => older !== undefined);
	}

	/** Whether a value of a record was written. */
	has(id: string, fieldId: string): boolean {
		return this.changed.get(id)?.has(fieldId) ?? false;
	}

	/** The records that were created, and are not deleted: a listing may not show them yet. */
	get creations(): readonly DataRecord[] {
		return [...this.created.values()];
	}
}

/** The values before a write, as JSON. @param written the write to the same value before it, if any */
function olderOf(
	{ before }: Extract<Done, { type: 'changed' }>,
	fieldId: string,
	written: Written | undefined,
): ReadonlySet<string> | undefined {
	if (!before || (written && !written.older)) return undefined;
	const last = written ? [canonicalJson(written.value), ...(written.older ?? [])] : [];
	return new Set([...last, canonicalJson(ownValue(before, fieldId))]);
}
