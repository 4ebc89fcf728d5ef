/**
 * Remembers which created records the workflow has processed, in n8n's own deduplication table, which only
 * executions can access. It holds the latest records, and the ends of completed searches.
 */
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { REMEMBERED } from '../../model/recordMemory';
import { type Age, byAge } from '../../model/response/record';
import type { Search } from '../../model/subscription/reducer';
import { parseTime } from '../../model/time';
import { reasonOf, warn } from '../log';
import { inOrder } from '../subscription/node';
import { readStored } from '../subscription/storage';

/** Max difference between the time of an event and the time of its record, in ms. Within it, IDs decide. */
const CLOSE_MS = 60_000;
/** Max records of a search that are remembered, because events about them may still come. */
const MAX_CLOSE = 1_000;
/** Max entries in one lookup. */
const LOOKUP_SIZE = 1_000;
const SCOPE = 'node';
const MODE = { mode: 'entries' } as const;

/** The key of a created record. */
export const recordKey = (cardId: unknown, recordId: unknown): string =>
	JSON.stringify([String(cardId), String(recordId)]);

/** The key of a completed search up to a time, in ms since the epoch. */
const searchedKey = (upTo: number): string => `searched up to ${upTo}`;

/** n8n's memory for a node. */
class Memory {
	private readonly helpers: IExecuteFunctions['helpers'];

	constructor({ helpers }: IExecuteFunctions) {
		this.helpers = helpers;
	}

	/** Returns true if n8n may have forgotten the oldest keys. */
	async isFull(): Promise<boolean> {
		return (await this.helpers.getProcessedDataCount(SCOPE, MODE)) >= REMEMBERED.new;
	}

	/** Adds the missing keys, and forgets the oldest ones. @returns the keys that were missing */
	async add(keys: readonly string[], most: number = REMEMBERED.new): Promise<Set<string>> {
		if (keys.length === 0) return new Set();
		const options = { ...MODE, maxEntries: most };
		const added = await this.helpers.checkProcessedAndRecord([...keys], SCOPE, options);
		return new Set(added.new.map(String));
	}

	/**
	 * Returns the keys that exist. n8n can only look up and add in one step, so there must be room for all.
	 */
	async find(keys: readonly string[]): Promise<Set<string>> {
		const found = new Set(keys);
		for (let first = 0; first < keys.length; first += LOOKUP_SIZE) {
			const group = keys.slice(first, first + LOOKUP_SIZE);
			const unknown = [...(await this.add(group, REMEMBERED.newOrChanged + group.length))];
			if (unknown.length > 0) await this.helpers.removeProcessed(unknown, SCOPE, MODE);
			for (const key of unknown) found.delete(key);
		}
		return found;
	}

	/** The last of these ends whose search is completed; -Infinity if none is. */
	async searchedUpTo(ends: readonly number[]): Promise<number> {
		const found = await this.find(ends.map(searchedKey));
		return Math.max(-Infinity, ...ends.filter((end) => found.has(searchedKey(end))));
	}
}

/** Runs a task with a node's memory after the earlier ones, because n8n reads and writes without a lock. */
const remembering = async <T>(
	context: IExecuteFunctions,
	task: (memory: Memory) => Promise<T>,
): Promise<T> => await inOrder(context, 'memory', async () => await task(new Memory(context)));

/** The created record in an item; undefined if the item is about something else. */
const createdRecord = ({ json }: INodeExecutionData) =>
	json.event === 'record.created' && json.record_id !== undefined
		? {
				key: recordKey(json.card_id, json.record_id),
				createdAt: parseTime(json.timestamp as string) ?? Infinity,
			}
		: undefined;

/**
 * Removes created records that the workflow has processed, both from searches and deliveries. Records are
 * kept if n8n can't look them up, because a duplicate is better than a missing record.
 */
export async function withoutKnown(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const created = items.flatMap((item) => createdRecord(item) ?? []);
	if (created.length === 0) return items;
	try {
		const { missed } = await readStored(context);
		const oldest = Math.min(...created.map(({ createdAt }) => createdAt));
		const ends = missed ? [missed.from, ...missed.upTo] : [];
		return await remembering(context, async (memory) => {
			const fresh = await memory.add(created.map(({ key }) => key));
			const late = ends.filter((end) => end - CLOSE_MS >= oldest);
			const searched = await memory.searchedUpTo(late);
			return items.filter((item) => {
				const record = createdRecord(item);
				return !record || (fresh.has(record.key) && record.createdAt > searched - CLOSE_MS);
			});
		});
	} catch (error) {
		warn(context, `The list of known records couldn't be saved: ${reasonOf(error)}`);
		return items;
	}
}

/**
 * The time without a completed search. `isWhole`: no search in it has failed, so its records arrived in
 * order.
 */
export interface Span {
	from: number;
	upTo: number;
	isWhole: boolean;
}

export async function unsearched(
	context: IExecuteFunctions,
	{ from, earlier, upTo }: Search,
): Promise<Span> {
	const last = await remembering(context, async (memory) => await memory.searchedUpTo(earlier));
	const searched = Math.max(from, last);
	return { from: searched, upTo, isWhole: earlier.every((end) => end <= searched) };
}

/**
 * Returns the records that the workflow hasn't processed, oldest first, and marks them as processed. n8n
 * only remembers the latest records. If it may have forgotten some, all records before the oldest known one
 * count as processed. This doesn't apply if a search has failed in that time: earlier records may have been
 * missed, and duplicates are better.
 */
export const takeMissed = async <One extends Age & { key: string }>(
	context: IExecuteFunctions,
	listed: One[],
	{ upTo, isWhole }: Span,
): Promise<One[]> =>
	await remembering(context, async (memory) => {
		const byTime = listed.sort(byAge);
		const known = await memory.find(byTime.map(({ key }) => key));
		const mayForget = isWhole && (await memory.isFull());
		const oldest = mayForget ? byTime.find(({ key }) => known.has(key)) : undefined;
		const since = oldest?.at ?? -Infinity;
		const missed = byTime.filter(({ at, key }) => at >= since && !known.has(key));
		const close = missed.filter(({ at }) => upTo - at < CLOSE_MS).map(({ key }) => key);
		await memory.add([...close.slice(-MAX_CLOSE), searchedKey(upTo)]);
		return missed;
	});
