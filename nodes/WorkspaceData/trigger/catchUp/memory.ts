/**
 * Remembers which created records the workflow has processed, in n8n's own deduplication table, which only
 * executions can access. It holds the latest records, and the ends of completed searches.
 */
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { REMEMBERED } from '../../model/recordMemory';
import { parseTime } from '../../model/time';
import { reasonOf, warn } from '../log';
import { inOrder } from '../subscription/node';
import { Store } from '../subscription/storage';

/** Max difference between the time of an event and the time of its record, in ms. Within it, IDs decide. */
export const CLOSE_MS = 60_000;
/** Max entries in one lookup. */
const LOOKUP_SIZE = 1_000;
const SCOPE = 'node';
const MODE = { mode: 'entries' } as const;

/** The key of a created record. */
export const recordKey = (cardId: unknown, recordId: unknown): string =>
	JSON.stringify([String(cardId), String(recordId)]);

/** The key of a completed search up to a time, in ms since the epoch. */
export const searchedKey = (upTo: number): string => `searched up to ${upTo}`;

/**
 * n8n's memory for a node. Its tasks run one after the other, because n8n reads and writes without a lock.
 */
export class RecordKeys {
	private readonly context: IExecuteFunctions;

	constructor(context: IExecuteFunctions) {
		this.context = context;
	}

	async alone<T>(task: () => Promise<T>): Promise<T> {
		return await inOrder(this.context, 'memory', task);
	}

	/** Returns true if n8n may have forgotten the oldest keys. */
	async isFull(): Promise<boolean> {
		return (await this.context.helpers.getProcessedDataCount(SCOPE, MODE)) >= REMEMBERED.new;
	}

	/** Adds the missing keys, and forgets the oldest ones. @returns the keys that were missing */
	async add(keys: readonly string[], most: number = REMEMBERED.new): Promise<string[]> {
		if (keys.length === 0) return [];
		const options = { ...MODE, maxEntries: most };
		const { helpers } = this.context;
		return (await helpers.checkProcessedAndRecord([...keys], SCOPE, options)).new.map(String);
	}

	/**
	 * Returns the keys that exist. n8n can only look up and add in one step, so there must be room for all.
	 */
	async find(keys: readonly string[]): Promise<Set<string>> {
		const found = new Set(keys);
		for (let first = 0; first < keys.length; first += LOOKUP_SIZE) {
			const group = keys.slice(first, first + LOOKUP_SIZE);
			const unknown = await this.add(group, REMEMBERED.newOrChanged + group.length);
			if (unknown.length > 0) await this.context.helpers.removeProcessed(unknown, SCOPE, MODE);
			for (const key of unknown) found.delete(key);
		}
		return found;
	}
}

interface CreatedRecord {
	key: string;
	createdAt: number;
}

/** The created record in an item; undefined if the item is about something else. */
const createdRecord = ({ json }: INodeExecutionData): CreatedRecord | undefined =>
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
		const keys = new RecordKeys(context);
		const { missed } = await new Store(context, undefined).read();
		const oldest = Math.min(...created.map(({ createdAt }) => createdAt));
		const ends = missed
			? [missed.from, ...missed.upTo].filter((end) => end - CLOSE_MS >= oldest)
			: [];
		return await keys.alone(async () => {
			const fresh = new Set(await keys.add(created.map(({ key }) => key)));
			const found = await keys.find(ends.map(searchedKey));
			const searched = Math.max(-Infinity, ...ends.filter((end) => found.has(searchedKey(end))));
			return items.filter((item) => {
				const record = createdRecord(item);
				if (!record) return true;
				return fresh.has(record.key) && record.createdAt > searched - CLOSE_MS;
			});
		});
	} catch (error) {
		warn(context, `The list of known records couldn't be saved: ${reasonOf(error)}`);
		return items;
	}
}
