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
export function openListing<Entry extends { id: string }>(
	what: string,
	readPage: (cursor: string | undefined) => Promise<Page<Entry> | 'restart'>,
	{ wanted = Infinity, keep = true, repeats = false }: ListingOptions = {},
): Listing<Entry> {
	/** The entries that are kept, and how many before them are not. */
	let entries: Entry[] = [];
	let dropped = 0;
	/** The ids of all entries so far, and the kept entries by them. */
	const ids = new Set<string>();
	const byId = new Map<string, Entry>();
	const cursors = new Set<string>();
	let next: string | null | undefined;
	let fetching: Promise<void> | undefined;
	/** Entries of the last page. */
	let pageLength = 0;
	/** Pages without a new entry since the last one that had any. */
	let barren = 0;
	let shifted = false;
	/** After a restart, the ids of the pages that are read once more. */
	let replayed = new Set<string>();

	/** The cursor to read on with. @throws UnexpectedAnswer when it was read with before */
	function useCursor(cursor: string): string {
		const isRepeated = cursors.has(cursor);
		if (isRepeated || cursors.size >= MAX_PAGES || barren >= MAX_BARREN_PAGES) {
			throw new UnexpectedAnswer(
				`${what} does not end: ${isRepeated ? 'a page points back to an earlier one' : 'its pages bring nothing new'}`,
				'All entries before that point were read, but the rest cannot be reached. Try again, or tell the operator of the service.',
			);
		}
		cursors.add(cursor);
		return cursor;
	}

	const known = (): number => dropped + entries.length;

	async function fetchPage(): Promise<void> {
		const page = await readPage(next ? useCursor(next) : undefined);
		if (page === 'restart') {
			cursors.clear();
			next = undefined;
			// The pages up to here bring nothing new.
			barren = -ids.size;
			replayed = new Set(ids);
			return await fetchPage();
		}
		pageLength = page.entries.length;
		const idsBefore = ids.size;
		for (const entry of page.entries) {
			// One look instead of two: half of what this costs for a hundred thousand entries.
			const { size } = ids;
			const isKnown = ids.add(entry.id).size === size;
			shifted ||= isKnown && !replayed.delete(entry.id);
			if (isKnown && !repeats) continue;
			if (keep) byId.set(entry.id, entry);
			entries.push(entry);
		}
		barren = ids.size > idsBefore ? 0 : barren + 1;
		next = page.nextCursor;
	}

	/** Reads the next page. @returns false if there is none */
	async function readOn(): Promise<boolean> {
		if (next === null) return false;
		// Stays when it fails: another reader gets the same failure, without a second request.
		fetching ??= fetchPage().then(() => {
			fetching = undefined;
		});
		await fetching;
		return true;
	}

	/** Requests the next page, never more than one ahead. A failure reaches the next reader. */
	async function readAhead(start: number): Promise<void> {
		if (fetching || next === null || known() >= wanted || known() - start > pageLength) return;
		void readOn().catch(() => {});
		// The request leaves before the caller computes: else the service would wait for that.
		await sleep(0);
	}

	/** Forgets the entries before this position, which were returned. */
	function drop(start: number): void {
		if (start < dropped) throw new Error('A listing that keeps nothing is read twice');
		if (keep || start === dropped) return;
		entries = entries.slice(start - dropped);
		dropped = start;
	}

	async function part(start: number, count: number, ahead = false): Promise<Entry[]> {
		while (start >= known()) {
			if (!(await readOn())) break;
		}
		drop(Math.min(start, known()));
		if (ahead) await readAhead(start);
		return entries.slice(start - dropped, start - dropped + count);
	}

	async function* all(): AsyncGenerator<Entry> {
		for (let start = 0; ; ) {
			const entriesOfPart = await part(start, PART, true);
			if (entriesOfPart.length === 0) return;
			yield* entriesOfPart;
			start += entriesOfPart.length;
		}
	}

	return {
		part,
		hasShifted: () => shifted,
		async first(count) {
			while (known() < count) {
				if (!(await readOn())) break;
			}
			drop(0);
			return entries.slice(0, count);
		},
		async find(id) {
			for (let start = dropped; !keep; ) {
				const some = await part(start, PART);
				const found = some.find((entry) => entry.id === id);
				if (found || some.length === 0) return found;
				start += some.length;
			}
			while (!ids.has(id)) {
				if (!(await readOn())) return undefined;
			}
			return byId.get(id);
		},
		[Symbol.asyncIterator]: all,
	};
}
