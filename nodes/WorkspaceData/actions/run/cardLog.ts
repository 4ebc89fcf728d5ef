/** What this process does to the records of a card while a run uses it: a listing may show them as they were before. */
import type { DataRecord } from '../../model/response/record';
import { type JsonObject, ownValue } from '../../model/response/jsonObject';
import { countChange, lastChange } from '../../transport/sharedState';
import { UNCLEAR_MS } from './unclearCreations';

/** A record after a write; without a record, one may have been created, and its ID is unknown. */
export interface News {
	record?: DataRecord;
	sent: JsonObject;
}

/** The changes of a record. */
class Entry {
	/** The number of its last change. */
	at = 0;
	/** True if it is unknown whether the last change was carried out. */
	isUnclear = false;
	isDeleted = false;
	created: DataRecord | undefined;
	/** The values of the last response, which may include more than was sent. */
	shown: { at: number; data: JsonObject } | undefined;
	readonly written = new Map<string, { at: number; value: unknown }>();
}

/** A run that uses the card. */
interface Reader {
	/** The number of the last change before it. */
	since: number;
	inboxes: News[][];
}

/** The writes to one card. A write counts for a listed record if it ended after the page of the record was requested. */
export class CardLog {
	/** By ID, in the order of their last changes. */
	private readonly entries = new Map<string, Entry>();
	/** What was sent to create records without a clear response, and when, in ms since the epoch. */
	private lost: Array<{ sent: JsonObject; at: number }> = [];
	private readonly readers = new Map<object, Reader>();
	/** How many deletions have begun, and how many have ended. */
	private readonly deletions = { begun: 0, ended: 0 };

	/** Keeps all changes from now on until the run is closed. */
	open(run: object): void {
		this.readers.set(run, { since: lastChange(), inboxes: [] });
	}

	/** Forgets what no other run needs. */
	close(run: object): void {
		this.readers.delete(run);
		const needed = Math.min(...[...this.readers.values()].map(({ since }) => since));
		for (const [id, { at }] of this.entries) {
			if (at > needed) break;
			this.entries.delete(id);
		}
	}

	/** Returns true if nobody needs it any longer. @param now ms since the epoch */
	isOver(now: number): boolean {
		return this.readers.size === 0 && this.lostAt(now).length === 0;
	}

	/** Returns a list that receives all writes from now on. It begins with creations that may still be carried out. */
	follow(run: object, now: number): News[] {
		const inbox: News[] = this.lostAt(now).map(({ sent }) => ({ sent }));
		this.readers.get(run)?.inboxes.push(inbox);
		return inbox;
	}

	/** Runs a reading. Returns true if this process deleted no record meanwhile: pages may otherwise skip records. */
	async withoutDeletions(read: () => Promise<unknown>): Promise<boolean> {
		const { begun, ended } = this.deletions;
		await read();
		return begun === ended && begun === this.deletions.begun;
	}

	async deleting(send: () => Promise<void>): Promise<void> {
		this.deletions.begun += 1;
		await send().finally(() => (this.deletions.ended += 1));
	}

	/** Returns a listed record as it is now, as far as this process knows; undefined if it was deleted. */
	current(listed: DataRecord): DataRecord | undefined {
		const entry = this.entries.get(listed.id);
		const { asOf = 0 } = listed;
		if (!entry || entry.at <= asOf) return listed;
		if (entry.isDeleted) return undefined;
		const { shown, written } = entry;
		const values = [...written].filter(([, { at }]) => at > asOf);
		const data = {
			...listed.data,
			...(shown && shown.at > asOf && shown.data),
			...Object.fromEntries(values.map(([id, { value }]) => [id, value])),
		};
		return { ...listed, data, raw: { ...listed.raw, data } };
	}

	/** Returns the records that were created after a change, and not deleted: a listing may not show them. */
	createdAfter(change: number): DataRecord[] {
		return [...this.entries.values()].flatMap(({ created, isDeleted, at }) =>
			created && !isDeleted && at > change ? [created] : [],
		);
	}

	/** Returns true if this process wrote the record since it was listed. */
	isWritten({ id, asOf = 0 }: DataRecord): boolean {
		return (this.entries.get(id)?.at ?? 0) > asOf;
	}

	/** Returns true if the record's values are known: the outcome of the last change is clear. */
	isClear(record: DataRecord): boolean {
		return !(this.entries.get(record.id)?.isUnclear && this.isWritten(record));
	}

	/** Notes a deletion. */
	deleted(id: string): void {
		Object.assign(this.next(id), { isDeleted: true, isUnclear: false });
	}

	/** Notes a change or a deletion that may have been carried out. */
	unclear(id: string): void {
		this.next(id).isUnclear = true;
	}

	/** Notes a change. */
	changed(record: DataRecord, sent: JsonObject): void {
		const { id, data } = record;
		const entry = this.next(id);
		const { at } = entry;
		Object.assign(entry, { isUnclear: false, isDeleted: false, shown: { at, data } });
		if (entry.created) entry.created = record;
		for (const field of Object.keys(sent))
			entry.written.set(field, { at, value: ownValue(data, field) ?? null });
		this.publish({ record, sent });
	}

	/** Notes a created record. */
	created(record: DataRecord, sent: JsonObject): void {
		this.entries.delete(record.id);
		this.next(record.id).created = record;
		this.publish({ record, sent });
	}

	/** Notes that a record may exist, or may still be created. @param now ms since the epoch */
	mayExist(sent: JsonObject, now: number): void {
		this.lost = [...this.lostAt(now), { sent, at: now }];
		this.publish({ sent });
	}

	private lostAt(now: number) {
		return this.lost.filter(({ at }) => now - at < UNCLEAR_MS);
	}

	/** Returns the entry of a record, with the number of a new change, as the last one. */
	private next(id: string): Entry {
		const entry = this.entries.get(id) ?? new Entry();
		entry.at = countChange();
		this.entries.delete(id);
		this.entries.set(id, entry);
		return entry;
	}

	private publish(news: News): void {
		for (const { inboxes } of this.readers.values()) for (const inbox of inboxes) inbox.push(news);
	}
}
