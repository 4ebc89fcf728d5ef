/**
 * Remembers which created records the workflow has processed, in n8n's own deduplication table, which only
 * executions can access. It holds the latest records.
 */
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { createKeyedQueue } from '../../model/keyedQueue';
import { missedIn, recordKey, REMEMBERED } from '../../model/recordMemory';
import type { Age } from '../../model/response/record';
import type { Search } from '../../model/subscription/subscriptionRules';
import { reasonOf, warn } from '../log';

/** Max records of a search that are remembered, because events about them may still come. */
const MAX_CAUGHT = 1_000;
/** Max keys: two for each record that came by an event. */
const MAX_KEYS = 2 * REMEMBERED.new;
/** Max keys in one lookup. */
const LOOKUP_SIZE = 1_000;
const SCOPE = 'node';
const MODE = { mode: 'entries' } as const;

/** Executions of a workflow look up and add keys one after the other, because n8n does so without a lock. */
const queue = createKeyedQueue();

/**
 * The key of a record that a search returned. It only counts for events: the execution of the search may
 * fail, and the next one must return the record again.
 */
const caughtKey = (key: string): string => `caught ${key}`;

/** Adds the missing keys, and forgets the oldest ones. @returns the keys that were missing */
async function add(
	{ helpers }: IExecuteFunctions,
	keys: readonly string[],
	maxEntries: number = MAX_KEYS,
): Promise<Set<string>> {
	if (keys.length === 0) return new Set();
	const options = { ...MODE, maxEntries };
	const added = await helpers.checkProcessedAndRecord([...keys], SCOPE, options);
	return new Set(added.new.map(String));
}

/** Returns the keys that exist. n8n can only look up and add in one step, so there must be room for all. */
async function find(context: IExecuteFunctions, keys: readonly string[]): Promise<Set<string>> {
	const found = new Set(keys);
	for (let first = 0; first < keys.length; first += LOOKUP_SIZE) {
		const group = keys.slice(first, first + LOOKUP_SIZE);
		const unknown = [...(await add(context, group, MAX_KEYS + LOOKUP_SIZE))];
		if (unknown.length > 0) await context.helpers.removeProcessed(unknown, SCOPE, MODE);
		for (const key of unknown) found.delete(key);
	}
	return found;
}

/**
 * Returns true if an item is about a created record that the workflow has processed, from a search or a
 * delivery. If n8n can't look it up, it counts as new, because a duplicate is better than a missing record.
 */
export async function isKnown(
	context: IExecuteFunctions,
	{ event, card_id, record_id }: IDataObject,
): Promise<boolean> {
	// An event without its record is no other event without one.
	if (event !== 'record.created' || !['string', 'number'].includes(typeof record_id)) return false;
	const key = recordKey(card_id, record_id);
	try {
		return await queue(String(context.getWorkflow().id), async () => {
			const added = await add(context, [key, caughtKey(key)]);
			const isCaught = added.has(key) && added.size === 1;
			if (isCaught) await context.helpers.removeProcessed([key], SCOPE, MODE);
			return added.size < 2;
		});
	} catch (error) {
		warn(context, `The list of known records couldn't be saved: ${reasonOf(error)}`);
		return false;
	}
}

/**
 * Returns the records that the workflow hasn't processed, oldest first. n8n only remembers the latest
 * records. If it may have forgotten some, all records before the oldest known one count as processed. This
 * doesn't apply if a search has failed in that time: earlier records may have been missed, and duplicates are
 * better.
 */
export const takeMissed = async <One extends Age & { cardId: string }>(
	context: IExecuteFunctions,
	listed: One[],
	{ isWhole }: Search,
): Promise<One[]> =>
	await queue(String(context.getWorkflow().id), async () => {
		const keyOf = ({ cardId, id }: One) => recordKey(cardId, id);
		const known = await find(context, listed.map(keyOf));
		const count = await context.helpers.getProcessedDataCount(SCOPE, MODE);
		const mayForget = isWhole && count >= MAX_KEYS;
		const missed = missedIn(listed, (one) => known.has(keyOf(one)), mayForget);
		const caught = missed.slice(-MAX_CAUGHT).map((one) => caughtKey(keyOf(one)));
		await add(context, caught);
		return missed;
	});
