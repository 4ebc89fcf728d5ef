/** One page of a listing: its entries, and the cursor of the next page. */
import { InputError } from '../../values/inputError';
import { plainText } from '../../values/parameterValue';
import {
	holds,
	isInexact,
	isObject,
	isText,
	ownValue,
	readList,
	type JsonObject,
} from './jsonObject';

/** One page of a listing. */
export interface Page<Entry> {
	entries: Entry[];
	/** Cursor of the next page; null on the last one. */
	nextCursor: string | null;
}

/**
 * Reads the entries of a page. An unreadable entry among others is skipped.
 *
 * @param key the name of the list, for example `cards`
 * @returns undefined if the response holds no listing, or if no entry of it can be read
 * @throws InputError for an identifier that has lost digits: it could be the identifier of another entry
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

/**
 * Reads the cursor next to the list or in an object next to it, also if the whole page is wrapped once
 * more.
 *
 * @returns null on the last page
 * @throws InputError if there are more pages but no readable cursor: an upsert could create a duplicate of
 * an unread record
 */
export function readCursor(body: unknown, isNested = false): string | null {
	if (!isObject(body)) return null;
	const cursor = body.next_cursor;
	if (typeof cursor === 'number') return String(cursor);
	if (typeof cursor === 'string' && cursor !== '') return cursor;
	// A card with a field of that name may also be next to the list.
	if (holds(cursor) && !(isNested && isObject(cursor))) throw cutShort();
	const inner = cursor === undefined ? Object.values(body).filter(isObject) : [];
	const found = inner.map((one) => readCursor(one, true)).find((one) => one !== null) ?? null;
	if (found === null && saysMore(body)) throw cutShort();
	return found;
}

/** The target of a link to the next page. @see RFC 8288, section 3 */
const NEXT_LINK =
	/<([^>]*)>(?:\s*;\s*[\w*]+\s*=\s*(?:"[^"]*"|[^\s,;"]+))*?\s*;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\b)/i;

/** A number under one of these names, in the object or in an object next to its list. */
function numberIn(body: unknown, names: readonly string[]): number | undefined {
	if (!isObject(body)) return undefined;
	const near = Object.values(body).filter(isObject);
	const places = [body, ...near, ...near.flatMap((one) => Object.values(one).filter(isObject))];
	const values = places.flatMap((place) => names.map((name) => ownValue(place, name)));
	return values
		.map((value) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value))
		.find((value): value is number => Number.isSafeInteger(value));
}

/**
 * Finds the next page of a listing whose pages the interface doesn't describe: at its cursor, at its link
 * to the next page, or at the next page number.
 *
 * @param link the header `Link`
 * @returns the query of the next page; null on the last one
 * @throws InputError if there are more pages but the response doesn't say where
 */
export function readNextQuery(body: unknown, link: unknown): Record<string, string> | null {
	const target = NEXT_LINK.exec([link].flat().join(', '))?.[1];
	if (target !== undefined) {
		return Object.fromEntries(new URLSearchParams(target.split('#')[0]?.split('?')[1] ?? ''));
	}
	const page = numberIn(body, ['page', 'current_page', 'currentPage']);
	const pages = numberIn(body, ['pages', 'total_pages', 'totalPages', 'page_count', 'last_page']);
	if (page !== undefined && pages !== undefined && page < pages) return { page: String(page + 1) };
	const cursor = readCursor(body);
	return cursor === null ? null : { cursor };
}

/** The total number of cards or fields; undefined if the listing doesn't say. @param header `X-Total-Count` */
export function readTotal(body: unknown, header: unknown): number | undefined {
	const stated = Number(header ?? NaN);
	const names = ['total', 'total_count', 'totalCount', 'total_items', 'totalItems'];
	return Number.isSafeInteger(stated) ? stated : numberIn(body, names);
}

/** Names under which services say that a list continues, or where it continues. */
const MORE = /^(?:has_?(?:more|next(?:_?page)?)|truncated|is_?truncated)$/i;
const LAST = /^is_?last(?:_?page)?$/i;
/** A number is the beginning of this page. Text is the beginning of the next one. */
const OFFSET = /^offset$/i;
const ELSEWHERE = /^(?:@odata\.)?next(?:_?(?:page|cursor|link|url|href|token))*$/i;

/** Returns true if an object next to a list says that the list continues. */
const saysMore = (object: JsonObject): boolean =>
	Object.entries(object).some(
		([name, value]) =>
			(MORE.test(name) && value === true) ||
			(LAST.test(name) && value === false) ||
			(OFFSET.test(name) && typeof value === 'string' && /\D/.test(value)) ||
			(ELSEWHERE.test(name) && holds(value) && (!isObject(value) || isText(value.href))),
	);

const cutShort = (): InputError =>
	new InputError(
		"The service's list is incomplete: it continues, but 'next_cursor' isn't the text of a cursor",
		'Nothing was done with it, because entries could be missed. The service must send the cursor of the next page as text.',
	);
