/**
 * Which created records the workflow has processed: n8n's own memory for duplicates, a table of its database that only
 * executions can reach. It holds the last records that came, and the ends of completed searches.
 */
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { REMEMBERED } from '../../model/recordMemory';
import { parseTime } from '../../model/time';
import { reasonOf, warn } from '../log';
import { inOrder } from '../subscription/node';
import { Store } from '../subscription/storage';

/** How far the time of an event may be from that of its record, in ms; within it IDs decide. */
export const CLOSE_MS = 60_000;
/** How many entries are looked up at once. */
const LOOKUP_SIZE = 1_000;
const SCOPE = 'node';
const MODE = { mode: 'entries' } as const;

/** Under which name a created record is remembered. */
export const recordKey = (cardId: unknown, recordId: unknown): string =>
	JSON.stringify([String(cardId), String(recordId)]);

/** Under which name it is remembered that all records up to a time were searched, in ms since the epoch. */
export const searchedKey = (upTo: number): string => `searched up to ${upTo}`;

/** n8n's memory of a node. Its tasks run one after the other: n8n reads, adds and writes without a lock. */
export class RecordKeys {
	private readonly context: IExecuteFunctions;

	constructor(context: IExecuteFunctions) {
		this.context = context;
	}

	async alone<T>(task: () => Promise<T>): Promise<T> {
		return await inOrder(this.context, 'memory', task);
	}

	/** Adds the keys that are not there, and forgets the oldest ones. @returns the keys that were not there */
	async add(keys: readonly string[], most: number = REMEMBERED.new): Promise<string[]> {
		if (keys.length === 0) return [];
		const options = { ...MODE, maxEntries: most };
		const { helpers } = this.context;
		return (await helpers.checkProcessedAndRecord([...keys], SCOPE, options)).new.map(String);
	}

	/** Those of the keys that are there. n8n can only look up and add in one, so there is room for all. */
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

/** The record that an item says was created; undefined for another one. */
const createdRecord = ({ json }: INodeExecutionData): CreatedRecord | undefined =>
	json.event === 'record.created' && json.record_id !== undefined
		? {
				key: recordKey(json.card_id, json.record_id),
				createdAt: parseTime(json.timestamp as string) ?? Infinity,
			}
		: undefined;

/**
 * Leaves out created records that the workflow has processed, from a search or from a delivery. Records that n8n cannot
 * look up are passed on: better twice than never.
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
