/** Reads a listing page by page, once for all who read from it. */
import { sleep } from 'n8n-workflow';
import type { Page } from '../model/answer/page';
import { UnexpectedAnswer } from './failure/failures';

/** A listing longer than this is taken for one that never ends. */
const MAX_PAGES = 100_000;
/** Pages in a row without a new entry; after so many the listing is taken for one that never ends, too. */
const MAX_BARREN_PAGES = 500;

/**
 * A listing that is read at most once, however many read from it: pages are fetched when somebody
 * gets there, and kept.
 */
export interface Listing<Entry> {
	/**
	 * Up to `count` entries from a position. Reads a page only if none is known yet. Empty at the end.
	 *
	 * @param ahead whether all wanted entries will be read: the next page is then requested while the
	 * caller works on this one
	 */
	part(start: number, count: number, ahead?: boolean): Promise<Entry[]>;
	/** Whether a page has shown an entry of an earlier one: the order has shifted, and others may have been skipped. */
	hasShifted(): boolean;
	/** The entries from the first on, each once unless the listing gives repetitions, too. */
	[Symbol.asyncIterator](): AsyncIterator<Entry>;
	/** The first entries; all of them for Infinity. */
	first(count: number): Promise<Entry[]>;
	/** The entry with this id; reads on until it comes. Undefined when the listing ends without it. */
	find(id: string): Promise<Entry | undefined>;
}

/** Entries that the iterator reads at a time. */
const PART = 100;

/** How a listing is read. */
export interface ListingOptions {
	/** How many entries will be read at most. */
	wanted?: number;
	/** Whether entries stay after they were returned; otherwise they can be read only once, in order. */
	keep?: boolean;
	/**
	 * Whether an entry that a later page has again is given again. It may have been changed meanwhile: the last reading is
	 * the newest.
	 */
	repeats?: boolean;
}

/**
 * Opens a listing.
 *
 * @param what how messages call it
 * @param readPage reads the page at a cursor (undefined: the first). After `restart`, the first page is read again: what
 * a cursor means may depend on the size of the pages, so no cursor outlives a change of that size
 * @throws UnexpectedAnswer when a cursor repeats or the listing does not end
 * @see service interface, part 4, "Records", rule 2
 */
export const openListing = <Entry extends { id: string }>(
	what: string,
	readPage: ReadPage<Entry>,
	options: ListingOptions = {},
): Listing<Entry> => new PagedListing(what, readPage, options);

type ReadPage<Entry> = (cursor: string | undefined) => Promise<Page<Entry> | 'restart'>;

class PagedListing<Entry extends { id: string }> implements Listing<Entry> {
	private readonly what: string;
	private readonly readPage: ReadPage<Entry>;
	private readonly options: Required<ListingOptions>;
	/** The entries that are kept, and how many before them are not. */
	private entries: Entry[] = [];
	private dropped = 0;
	/** The ids of all entries so far, and the kept entries by them. */
	private readonly ids = new Set<string>();
	private readonly byId = new Map<string, Entry>();
	private readonly cursors = new Set<string>();
	private next: string | null | undefined;
	private fetching: Promise<void> | undefined;
	/** Entries of the last page. */
	private pageLength = 0;
	/** Pages without a new entry since the last one that had any. */
	private barren = 0;
	private shifted = false;
	/** After a restart, the ids of the pages that are read once more. */
	private replayed = new Set<string>();

	constructor(
		what: string,
		readPage: ReadPage<Entry>,
		{ wanted = Infinity, keep = true, repeats = false }: ListingOptions,
	) {
		this.what = what;
		this.readPage = readPage;
		this.options = { wanted, keep, repeats };
	}

	async part(start: number, count: number, ahead = false): Promise<Entry[]> {
		await this.readTo(start + 1);
		this.drop(Math.min(start, this.known));
		if (ahead) await this.readAhead(start);
		return this.entries.slice(start - this.dropped, start - this.dropped + count);
	}

	hasShifted(): boolean {
		return this.shifted;
	}

	async first(count: number): Promise<Entry[]> {
		await this.readTo(count);
		this.drop(0);
		return this.entries.slice(0, count);
	}

	async find(id: string): Promise<Entry | undefined> {
		if (!this.options.keep) {
			for await (const entry of this) if (entry.id === id) return entry;
		}
		while (!this.ids.has(id)) {
			if (!(await this.readOn())) return undefined;
		}
		return this.byId.get(id);
	}

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

	/** Reads until so many entries are known, or the listing ends. */
	private async readTo(count: number): Promise<void> {
		while (this.known < count && (await this.readOn()));
	}

	/** Reads the next page. @returns false if there is none */
	private async readOn(): Promise<boolean> {
		if (this.next === null) return false;
		// Stays when it fails: another reader gets the same failure, without a second request.
		this.fetching ??= this.fetchPage().then(() => {
			this.fetching = undefined;
		});
		await this.fetching;
		return true;
	}

	private async fetchPage(): Promise<void> {
		const page = await this.readPage(this.next ? this.useCursor(this.next) : undefined);
		if (page === 'restart') {
			this.cursors.clear();
			this.next = undefined;
			// The pages up to here bring nothing new.
			this.barren = -this.ids.size;
			this.replayed = new Set(this.ids);
			return await this.fetchPage();
		}
		const idsBefore = this.ids.size;
		for (const entry of page.entries) this.add(entry);
		this.pageLength = page.entries.length;
		this.barren = this.ids.size > idsBefore ? 0 : this.barren + 1;
		this.next = page.nextCursor;
	}

	private add(entry: Entry): void {
		// One look instead of two: half of what this costs for a hundred thousand entries.
		const { size } = this.ids;
		const isKnown = this.ids.add(entry.id).size === size;
		this.shifted ||= isKnown && !this.replayed.delete(entry.id);
		if (isKnown && !this.options.repeats) return;
		if (this.options.keep) this.byId.set(entry.id, entry);
		this.entries.push(entry);
	}

	/** The cursor to read on with. @throws UnexpectedAnswer when it was read with before */
	private useCursor(cursor: string): string {
		const isRepeated = this.cursors.has(cursor);
		if (isRepeated || this.cursors.size >= MAX_PAGES || this.barren >= MAX_BARREN_PAGES) {
			throw new UnexpectedAnswer(
				`${this.what} doesn't end: ${isRepeated ? 'a page points back to an earlier one' : 'its pages bring nothing new'}`,
				"All entries before that point were read, but the rest can't be reached. Try again, or tell the operator of the service.",
			);
		}
		this.cursors.add(cursor);
		return cursor;
	}

	/** Requests the next page, never more than one ahead. A failure reaches the next reader. */
	private async readAhead(start: number): Promise<void> {
		const isEnough = this.known >= this.options.wanted || this.known - start > this.pageLength;
		if (this.fetching || this.next === null || isEnough) return;
		void this.readOn().catch(() => {});
		// The request leaves before the caller computes: else the service would wait for that.
		await sleep(0);
	}

	/** Forgets the entries before this position, which were returned. */
	private drop(start: number): void {
		if (start < this.dropped) throw new Error('A listing that keeps nothing is read twice');
		if (this.options.keep || start === this.dropped) return;
		this.entries = this.entries.slice(start - this.dropped);
		this.dropped = start;
	}
}
