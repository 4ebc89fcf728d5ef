/** One page of a listing: its entries, and the cursor of the next page. */
import { InputError } from '../inputError';
import { plainText } from '../text';
import { isInexact, isObject, readList, type JsonObject } from './shapes';

/** One page of a listing. */
export interface Page<Entry> {
	entries: Entry[];
	/** Cursor of the next page; null on the last one. */
	nextCursor: string | null;
}

/**
 * The entries of a page. An unreadable entry among others is skipped.
 *
 * @param key the name of the list, for example `cards`
 * @throws InputError for an identifier that has lost digits: it could be that of another entry
 * @returns undefined when the answer holds no listing, or one in which nothing can be read
 */
export function readEntries<Entry>(
	body: unknown,
	key: string,
	read: (raw: JsonObject) => Entry | undefined,
): Entry[] | undefined {
	const list = readList(body, key);
	const objects = list?.filter(isObject);
	const inexact = objects?.find(({ id }) => isInexact(id));
	if (inexact) {
		throw new InputError(
			`The service's list of ${key} contains the ID ${plainText(inexact.id)}, a number too large to be exact`,
			'Numbers above 9007199254740991 lose digits, so two IDs could become the same. The service must send such IDs as text.',
		);
	}
	const entries = objects?.map(read).filter((entry) => entry !== undefined);
	return list && list.length > 0 && entries?.length === 0 ? undefined : entries;
}

/** The cursor next to the list or in an object next to it, also where the whole page is wrapped once more. */
export function readCursor(body: unknown): string | null {
	if (!isObject(body)) return null;
	const cursor = body.next_cursor;
	if (cursor === undefined) {
		const inner = Object.values(body).filter(isObject).map(readCursor);
		return inner.find((found) => found !== null) ?? null;
	}
	if (typeof cursor === 'number') return String(cursor);
	return typeof cursor === 'string' && cursor !== '' ? cursor : null;
}
