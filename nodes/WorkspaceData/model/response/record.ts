/** Records, as the service sends them, and their age. */
import type { Kind, ValueField } from '../../values/kinds/kind';
import { kindOfType } from '../../values/kinds/allKinds';
import { byCharacter } from '../../values/comparable';
import { asUtc, parseTime } from '../../values/time';
import { holds, isObject, type JsonObject, readList, readObject } from './jsonObject';
import { idOf } from './idAndName';
import { readCursor, readEntries } from './page';

/**
 * A record (row). `data` is keyed by field ID. It is the service's own object and never copied key by key,
 * so that keys such as `__proto__` survive.
 *
 * @see service interface, part 2
 */
export interface DataRecord {
	id: string;
	data: JsonObject;
	/** ISO 8601 UTC; null if a response doesn't say. */
	createdAt: string | null;
	/** The service's object, with properties beyond the interface. */
	raw: JsonObject;
	/** True if it was changed without being read: values that it lacks are unknown, not empty. */
	isPartial?: boolean;
	/** The number of the last change of this process before the page that shows it was requested. */
	asOf?: number;
}

/** The ID of a record whose creation was confirmed without an ID. No service uses an empty one. */
export const UNKNOWN_ID = '';

/** A value that each record has, or may have: how it is compared, and how to read it. */
export interface NamedValue {
	field: ValueField;
	read(record: DataRecord): unknown;
}

/** Sorted and compared character by character, not by the rules of a language. */
const ID: Kind = {
	...kindOfType('text'),
	isText: false,
};
const TIME = kindOfType('datetime');

/** A record's own properties, under their names in filters. */
export const OWN_VALUES: ReadonlyMap<string, NamedValue> = new Map<string, NamedValue>([
	[
		'created_at',
		{
			field: { name: 'Created At', type: 'datetime', kind: TIME, options: [] },
			read: ({ createdAt }) => createdAt && asUtc(createdAt),
		},
	],
	['id', { field: { name: 'ID', type: 'text', kind: ID, options: [] }, read: ({ id }) => id }],
]);

/** One page of a record listing. */
export interface RecordPage {
	records: DataRecord[];
	/** Cursor of the next page; null on the last one. */
	nextCursor: string | null;
	/** The reason why records are known to be missing from the page; undefined if none are. */
	gap?: string;
}

/** Until the year 5138, seconds since the epoch are smaller numbers than this. */
const MAX_SECONDS = 1e11;

/** Converts a time of the service to text. Some services send seconds or milliseconds since the epoch. */
function timeText(time: unknown): string | null {
	if (typeof time === 'string') return time;
	const ms = typeof time === 'number' ? (time < MAX_SECONDS ? time * 1_000 : time) : NaN;
	return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null;
}

function toRecord(raw: JsonObject): DataRecord | undefined {
	const id = idOf(raw, 'record_id');
	if (id === undefined) return undefined;
	const data = isObject(raw.data) ? raw.data : {};
	return { id, data, createdAt: timeText(raw.created_at), raw };
}

/**
 * Reads one page of records.
 *
 * @returns undefined if the response holds no listing
 * @see service interface, part 2, "Record list response"
 */
export function readRecordPage(body: unknown): RecordPage | undefined {
	const records = readEntries(body, 'records', toRecord);
	if (!records) return undefined;
	const gap = gapOf(body, records);
	return { records, nextCursor: readCursor(body), ...(gap && { gap }) };
}

/** Returns the reason why records or their values are known to be missing from a page. */
function gapOf(body: unknown, records: readonly DataRecord[]): string | undefined {
	const unreadable = (readList(body, 'records')?.length ?? 0) - records.length;
	if (unreadable > 0) return `it has ${unreadable} without an ID that can be read`;
	const withoutValues = records.find(({ raw }) => !isObject(raw.data) && holds(raw.data));
	if (withoutValues) return `the values of record ${withoutValues.id} can't be read`;
	const hasErrors = isObject(body) && [body.error, body.errors].some(holds);
	return hasErrors ? 'it came with errors' : undefined;
}

/** The record in a response; undefined if there is none, for example in an empty body after a change. */
export function readRecord(body: unknown): DataRecord | undefined {
	return readObject(body, 'record', toRecord);
}

/** The age of a record: its time, then its sortable ID. */
export interface Age {
	/** ms since the epoch. */
	at: number;
	id: string;
}

/**
 * The age of a record.
 *
 * @param undated the time of a record without one
 */
export const ageOf = ({ id, createdAt }: DataRecord, undated = -Infinity): Age => ({
	at: parseTime(createdAt) ?? undated,
	id,
});

const WHOLE = /^\d+$/;

/** Compares identifiers: whole numbers by value, all others by their characters. */
function byIdentifier(a: string, b: string): number {
	if (WHOLE.test(a) && WHOLE.test(b)) {
		const [left, right] = [BigInt(a), BigInt(b)];
		if (left !== right) return left < right ? -1 : 1;
	}
	return byCharacter(a, b);
}

/** Oldest first. */
export const byAge = (a: Age, b: Age): number =>
	a.at === b.at ? byIdentifier(a.id, b.id) : a.at < b.at ? -1 : 1;
