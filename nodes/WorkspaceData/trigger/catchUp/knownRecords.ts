/**
 * Which records the workflow has had: n8n's own memory for duplicates, a table of its database that only
 * executions can reach. It holds the last ids, and marks for searches that were completed.
 */
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { parseTime } from '../../model/time';
import { reasonOf, warn } from '../log';
import { inOrder } from '../subscription/nodeState';
import { readStore } from '../subscription/storage';

/** How many entries n8n remembers for a node. Every created record reads and writes all of them. */
const REMEMBERED = 2_000;
/** How many entries are looked up at once. */
export const LOOKUP_SIZE = 1_000;
/** How far the time of an event may be from that of its record, in ms; within it ids decide. */
const CLOSE_MS = 60_000;

const SCOPE = 'node';
const MODE = { mode: 'entries' } as const;

/** Under which name a created record is remembered. */
export const recordKey = (cardId: unknown, recordId: unknown): string =>
	JSON.stringify([String(cardId), String(recordId)]);

/** Under which name it is remembered that all records up to a time were searched, in ms since the epoch. */
const searchedKey = (upTo: number): string => `searched up to ${upTo}`;

/** Remembers entries. @returns the entries that n8n did not know before */
async function remember(context: IExecuteFunctions, keys: readonly string[]): Promise<Set<string>> {
	if (keys.length === 0) return new Set();
	const found = await context.helpers.checkProcessedAndRecord([...keys], SCOPE, {
		...MODE,
		maxEntries: REMEMBERED,
	});
	return new Set(found.new.map(String));
}

/** Those entries that n8n remembers; looks them up without remembering the others. */
async function lookUp(context: IExecuteFunctions, keys: readonly string[]): Promise<Set<string>> {
	if (keys.length === 0) return new Set();
	// n8n can only look up and remember in one; there is room for all, so that nothing is forgotten.
	const found = await context.helpers.checkProcessedAndRecord([...keys], SCOPE, {
		...MODE,
		maxEntries: REMEMBERED + keys.length,
	});
	if (found.new.length > 0) await context.helpers.removeProcessed(found.new, SCOPE, MODE);
	return new Set(found.processed.map(String));
}

/** Runs a task on n8n's memory after those before it: n8n reads, adds and writes without a lock. */
const alone = async <T>(context: IExecuteFunctions, task: () => Promise<T>): Promise<T> =>
	await inOrder(context, 'memory', task);

/** A record that a search found, and when it was created, in ms since the epoch. */
export interface FoundRecord {
	key: string;
	createdAt: number;
}

/** The part of n8n's memory that a search needs to know. */
export interface KnownRecords {
	/** Whether n8n may have forgotten older entries. */
	isFull: boolean;
	/** Those of at most {@link LOOKUP_SIZE} keys that n8n remembers. */
	lookUp(keys: readonly string[]): Promise<Set<string>>;
	/** The end of the last of these searches that was completed; undefined where none was. */
	lastSearched(upTo: readonly number[]): Promise<number | undefined>;
	/**
	 * Remembers that a search was completed, and the records it found that are close to its end.
	 *
	 * @returns the keys of records that an event has brought since they were looked up
	 */
	complete(upTo: number, found: readonly FoundRecord[]): Promise<Set<string>>;
}

/** Opens n8n's memory for a search. */
export async function openKnownRecords(context: IExecuteFunctions): Promise<KnownRecords> {
	const count = await context.helpers.getProcessedDataCount(SCOPE, MODE);
	const isEmpty = count === 0;
	return {
		isFull: count >= REMEMBERED,
		lookUp: async (keys) =>
			isEmpty ? new Set() : await alone(context, async () => await lookUp(context, keys)),
		async lastSearched(upTo) {
			if (isEmpty) return undefined;
			const known = await alone(context, async () => await lookUp(context, upTo.map(searchedKey)));
			return upTo.filter((time) => known.has(searchedKey(time))).at(-1);
		},
		async complete(upTo, found) {
			const close = found.filter(({ createdAt }) => upTo - createdAt < CLOSE_MS);
			const keys = [...close.slice(-LOOKUP_SIZE).map(({ key }) => key), searchedKey(upTo)];
			// In one turn: an event in between would be passed on although the search has its record.
			return await alone(context, async () => {
				const known = new Set<string>();
				for (let first = 0; first < found.length; first += LOOKUP_SIZE) {
					const group = found.slice(first, first + LOOKUP_SIZE).map(({ key }) => key);
					for (const key of await lookUp(context, group)) known.add(key);
				}
				await remember(context, keys);
				return known;
			});
		},
	};
}

/** The created records among items, by position: the key under which n8n remembers them, and when they were created. */
const createdRecords = (items: readonly INodeExecutionData[]) =>
	items.map(({ json }) =>
		json.event === 'record.created' && json.record_id !== undefined
			? {
					key: recordKey(json.card_id, json.record_id),
					at: typeof json.timestamp === 'string' ? parseTime(json.timestamp) : undefined,
				}
			: undefined,
	);

/**
 * Leaves out created records that the workflow has had, from a search or from a delivery. Records that n8n cannot
 * look up are passed on: better twice than never.
 */
export async function withoutKnown(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const records = createdRecords(items);
	const keys = records.flatMap((record) => (record ? [record.key] : []));
	if (keys.length === 0) return items;
	try {
		const fresh = await alone(context, async () => await remember(context, keys));
		const searched = await searchedUpTo(
			context,
			records.flatMap((record) => (record?.at === undefined ? [] : [record.at])),
		);
		return items.filter((_, index) => {
			const record = records[index];
			if (!record) return true;
			return fresh.has(record.key) && (record.at === undefined || record.at > searched);
		});
	} catch (error) {
		warn(context, `The list of known records could not be saved: ${reasonOf(error)}`);
		return items;
	}
}

/** Up to which time a search has found all records; only asked for where an event is that old. */
async function searchedUpTo(context: IExecuteFunctions, times: readonly number[]): Promise<number> {
	const oldest = Math.min(...times);
	const { missed } = await readStore(context, undefined);
	const ends = missed?.upTo.map((upTo) => upTo - CLOSE_MS) ?? [];
	const later = ends.filter((end) => end >= oldest);
	if (later.length === 0) return -Infinity;
	const marks = later.map((end) => searchedKey(end + CLOSE_MS));
	const known = await alone(context, async () => await lookUp(context, marks));
	return Math.max(-Infinity, ...later.filter((end) => known.has(searchedKey(end + CLOSE_MS))));
}
