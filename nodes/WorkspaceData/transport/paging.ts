import type { Page } from '../model/page';
import { UnexpectedAnswer } from './failures';

/** A listing longer than this is taken for one that never ends. */
const MAX_PAGES = 100_000;

/**
 * A listing that is read at most once, however many read from it: pages are fetched when somebody
 * gets there, and kept.
 */
export interface Listing<Entry> {
	/** Up to so many entries from a position on, reading on only where none is known. Empty at the end. */
	part(start: number, count: number): Promise<Entry[]>;
	/** The entries from the first on, without repetitions that come from a listing that moved. */
	[Symbol.asyncIterator](): AsyncIterator<Entry>;
	/** The first entries; all of them for Infinity. */
	first(count: number): Promise<Entry[]>;
	/** The entry with this id; reads on until it comes. Undefined when the listing ends without it. */
	find(id: string): Promise<Entry | undefined>;
}

/**
 * Opens a listing.
 *
 * @param what how messages call it
 * @param readPage reads the page at a cursor (undefined: the first), when so many entries are known
 * @throws UnexpectedAnswer when a cursor repeats or the listing does not end
 * @see service interface, part 4, "Records", rule 2
 */
export function openListing<Entry extends { id: string }>(
	what: string,
	readPage: (cursor: string | undefined, known: number) => Promise<Page<Entry>>,
): Listing<Entry> {
	const entries: Entry[] = [];
	const byId = new Map<string, Entry>();
	const cursors = new Set<string>();
	let next: string | null | undefined;
	let fetching: Promise<void> | undefined;

	/** The cursor to read on with. @throws UnexpectedAnswer when it was read with before */
	function useCursor(cursor: string): string {
		if (cursors.has(cursor) || cursors.size >= MAX_PAGES) {
			throw new UnexpectedAnswer(
				`${what} does not end: a page points back to an earlier one`,
				'All entries before that point were read, but the rest cannot be reached. Try again, or tell the operator of the service.',
			);
		}
		cursors.add(cursor);
		return cursor;
	}

	async function fetchPage(): Promise<void> {
		const page = await readPage(next ? useCursor(next) : undefined, entries.length);
		for (const entry of page.entries) {
			if (byId.has(entry.id)) continue;
			byId.set(entry.id, entry);
			entries.push(entry);
		}
		next = page.nextCursor;
	}

	/** Reads on by one page. @returns false when there is no more */
	async function readOn(): Promise<boolean> {
		if (next === null) return false;
		// Stays when it fails: whoever else reads here is told the same, without asking again.
		fetching ??= fetchPage().then(() => {
			fetching = undefined;
		});
		await fetching;
		return true;
	}

	return {
		async part(start, count) {
			while (start >= entries.length) {
				if (!(await readOn())) break;
			}
			return entries.slice(start, start + count);
		},
		async first(count) {
			while (entries.length < count) {
				if (!(await readOn())) break;
			}
			return entries.slice(0, count);
		},
		async find(id) {
			while (!byId.has(id)) {
				if (!(await readOn())) return undefined;
			}
			return byId.get(id);
		},
		async *[Symbol.asyncIterator]() {
			for (let index = 0; ; index += 1) {
				while (index >= entries.length) {
					if (!(await readOn())) return;
				}
				const entry = entries[index];
				if (entry) yield entry;
			}
		},
	};
}
