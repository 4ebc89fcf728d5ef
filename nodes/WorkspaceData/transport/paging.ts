/** Reads a listing page by page, once for all its readers. */
import { sleep } from 'n8n-workflow';
import type { Page } from '../model/response/page';
import { UnexpectedResponse } from './failure/failures';

/** A listing with more pages is assumed to be endless. */
const MAX_PAGES = 100_000;
/** The maximum number of consecutive pages without a new entry; after more the listing is assumed to be endless. */
const MAX_BARREN_PAGES = 500;

/** The number of entries that the iterator reads at a time. */
const PART = 100;

/** How a listing is read. */
export interface ListingOptions {
	/** The maximum number of entries to read. */
	wanted?: number;
	/** True if returned entries are kept; else they can be read only once, in order. */
	keep?: boolean;
	/**
	 * True if an entry is returned again when a later page repeats it. It may have changed meanwhile, and the last
	 * reading is the newest.
	 */
	repeats?: boolean;
}

/** Reads the page at a cursor (undefined: the first). */
type ReadPage<Entry> = (cursor: string | undefined) => Promise<Page<Entry>>;

/**
 * A listing that is read at most once, however many readers it has. Pages are fetched when the first reader
 * needs them, and kept.
 *
 * @see service interface, part 4, "Records", rule 2
 */
export class Listing<Entry extends { id: string }> {
	private readonly what: string;
	private readonly readPage: ReadPage<Entry>;
	private readonly options: Required<ListingOptions>;
	/** The kept entries, and how many earlier ones aren't kept. */
	private entries: Entry[] = [];
	private dropped = 0;
	/** The IDs of all entries so far, with the kept entries. */
	private readonly byId = new Map<string, Entry | undefined>();
	private readonly cursors = new Set<string>();
	private next: string | null | undefined;
	private fetching: Promise<void> | undefined;
	/** The number of entries on the last page. */
	private pageLength = 0;
	/** The number of pages since the last one with a new entry. */
	private barren = 0;
	/** True if a page repeated an earlier entry: the order has shifted, so other entries may be missing. */
	hasShifted = false;

	/** @param what the name of the listing in messages */
	constructor(what: string, readPage: ReadPage<Entry>, options: ListingOptions = {}) {
		this.what = what;
		this.readPage = readPage;
		this.options = { wanted: Infinity, keep: true, repeats: false, ...options };
	}

	/**
	 * Returns up to `count` entries from a position. Reads a page only if none is known yet. Empty at the end.
	 *
	 * @param ahead true if all wanted entries will be read: the next page is then requested while the
	 * caller processes this one
	 * @throws UnexpectedResponse if a cursor repeats or the listing doesn't end; so do the others
	 */
	async part(start: number, count: number, ahead = false): Promise<Entry[]> {
		await this.readTo(start + 1);
		this.drop(Math.min(start, this.known));
		if (ahead) await this.readAhead(start);
		return this.entries.slice(start - this.dropped, start - this.dropped + count);
	}

	/** The first entries; all of them for Infinity. */
	async first(count: number): Promise<Entry[]> {
		await this.readTo(count);
		return this.entries.slice(0, count);
	}

	/** The entry with this ID. Reads until it is found; undefined if the listing ends without it. */
	async find(id: string): Promise<Entry | undefined> {
		while (!this.byId.has(id)) {
			this.drop(this.known);
			if (!(await this.readOn())) return undefined;
		}
		return this.options.keep ? this.byId.get(id) : this.entries.find((entry) => entry.id === id);
	}

	/** All entries in order, each once unless the listing returns repetitions. */
	async *[Symbol.asyncIterator](): AsyncGenerator<Entry> {
		for (let start = this.options.keep ? 0 : this.dropped; ; ) {
			const some = await this.part(start, PART, true);
			if (some.length === 0) return;
			yield* some;
			start += some.length;
		}
	}

	private get known(): number {
		return this.dropped + this.entries.length;
	}

	/** Reads until this many entries are known, or the listing ends. */
	private async readTo(count: number): Promise<void> {
		while (this.known < count && (await this.readOn()));
	}

	/** Reads the next page. @returns false if there is none */
	private async readOn(): Promise<boolean> {
		if (this.next === null) return false;
		// Stays if it fails: another reader gets the same failure without a second request.
		this.fetching ??= this.fetchPage().then(() => {
			this.fetching = undefined;
		});
		await this.fetching;
		return true;
	}

	private async fetchPage(): Promise<void> {
		const page = await this.readPage(this.next ? this.useCursor(this.next) : undefined);
		const { size } = this.byId;
		for (const entry of page.entries) this.add(entry);
		this.pageLength = page.entries.length;
		this.barren = this.byId.size > size ? 0 : this.barren + 1;
		this.next = page.nextCursor;
	}

	private add(entry: Entry): void {
		// One lookup instead of two: halves the cost of this for a hundred thousand entries.
		const { size } = this.byId;
		const isKnown = this.byId.set(entry.id, this.options.keep ? entry : undefined).size === size;
		this.hasShifted ||= isKnown;
		if (isKnown && !this.options.repeats) return;
		this.entries.push(entry);
	}

	/** Returns the cursor for the next page. @throws UnexpectedResponse if it was used before */
	private useCursor(cursor: string): string {
		const isRepeated = this.cursors.has(cursor);
		if (isRepeated || this.cursors.size >= MAX_PAGES || this.barren >= MAX_BARREN_PAGES) {
			throw new UnexpectedResponse(
				`${this.what} doesn't end: ${isRepeated ? 'a page points back to an earlier one' : 'its pages bring nothing new'}`,
				"All entries before that point were read, but the rest can't be reached. Try again, or tell the operator of the service.",
			);
		}
		this.cursors.add(cursor);
		return cursor;
	}

	/** Requests the next page, never more than one ahead. The next reader gets a failure. */
	private async readAhead(start: number): Promise<void> {
		const isEnough = this.known >= this.options.wanted || this.known - start > this.pageLength;
		if (this.fetching || this.next === null || isEnough) return;
		void this.readOn().catch(() => {});
		// The request is sent before the caller computes: otherwise the service would wait for that.
		await sleep(0);
	}

	/** Forgets the entries before this position, which were returned. */
	private drop(start: number): void {
		if (this.options.keep || start === this.dropped) return;
		this.entries = this.entries.slice(start - this.dropped);
		this.dropped = start;
	}
}
