/**
 * Which records the workflow has processed: n8n's own memory for duplicates, a table of its database that only executions
 * can reach. It holds the last ids, marks for searches that were completed, and landmarks: times up to which records came.
 */
import { createHash } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { REMEMBERED } from '../../model/recordMemory';
import type { Search } from '../../model/subscription/eventsAndEffects';
import { namesOf, timesIn } from '../../model/rememberedTimes';
import { inOrder } from '../subscription/nodeState';

/** How many entries are looked up at once. */
export const LOOKUP_SIZE = 1_000;
/** How far the time of an event may be from that of its record, in ms; within it ids decide. */
export const CLOSE_MS = 60_000;
/** Fewer entries than n8n keeps may be left for a moment, in which a landmark is moved to the end. */
const LANDMARK_SIZE = 10;

/** n8n's memory of a node: the latest entries in the order in which they were added. */
export interface DuplicatesTable {
	/** Adds the entries that are not there, and forgets the oldest ones beyond `most`. @returns the ones that were not there */
	add(keys: readonly string[], most: number): Promise<readonly string[]>;
	remove(keys: readonly string[]): Promise<void>;
	count(): Promise<number>;
}

const SCOPE = 'node';
const MODE = { mode: 'entries' } as const;

const tableOf = ({ helpers }: IExecuteFunctions): DuplicatesTable => ({
	async add(keys, maxEntries) {
		const options = { ...MODE, maxEntries };
		return (await helpers.checkProcessedAndRecord([...keys], SCOPE, options)).new.map(String);
	},
	async remove(keys) {
		await helpers.removeProcessed([...keys], SCOPE, MODE);
	},
	count: async () => await helpers.getProcessedDataCount(SCOPE, MODE),
});

/** Under which name a created record is remembered. */
export const recordKey = (cardId: unknown, recordId: unknown): string =>
	JSON.stringify([String(cardId), String(recordId)]);

/** Under which name it is remembered that all records up to a time were searched, in ms since the epoch. */
const searchedKey = (upTo: number): string => `searched up to ${upTo}`;

/** A created record: the name under which it is remembered, and when it was created, in ms since the epoch. */
export interface CreatedRecord {
	key: string;
	createdAt: number | undefined;
}

/** A time without a completed search, between two starts; in ms since the epoch. */
export interface Stretch {
	after: number;
	upTo: number;
	/** Up to this time, all its records came by events; undefined where no landmark tells. */
	cameUpTo: number | undefined;
}

/** How much is remembered. */
export interface MemoryBounds {
	/** How many entries n8n keeps. Every created record reads and writes all of them. */
	entries: number;
	/** Whether a record's time is remembered as a landmark; some of the last ones are always needed. */
	isLandmark(key: string): boolean;
}

const LANDMARK_EVERY = 100;

const BOUNDS: MemoryBounds = {
	entries: REMEMBERED.new,
	isLandmark: (key) =>
		createHash('sha256').update(key).digest().readUInt32BE() % LANDMARK_EVERY === 0,
};

/** What a node remembers of created records. */
export interface KnownRecords {
	/** Whether n8n may have forgotten older entries. */
	isFull(): Promise<boolean>;
	/** Those of at most {@link LOOKUP_SIZE} keys that n8n remembers. */
	lookUp(keys: readonly string[]): Promise<Set<string>>;
	/**
	 * Remembers records that came by events.
	 *
	 * @param searches the ends of searches, of which the last completed one stays remembered
	 * @returns the keys that were not known
	 */
	take(records: readonly CreatedRecord[], searches: readonly number[]): Promise<Set<string>>;
	/** The last of these searches that was completed; undefined where none was. */
	lastSearched(ends: readonly number[]): Promise<number | undefined>;
	/** The time that a search must cover, oldest first. */
	stretches(search: Search): Promise<Stretch[]>;
	/**
	 * Remembers that a search was completed, and the records it found that are close to its end.
	 *
	 * @returns the keys of records that an event has brought since they were looked up
	 */
	complete(upTo: number, found: readonly CreatedRecord[]): Promise<Set<string>>;
}

/**
 * The records that a node knows.
 *
 * @param alone runs a task after those before it: n8n reads, adds and writes without a lock
 */
export function createKnownRecords(
	table: DuplicatesTable,
	alone: <T>(task: () => Promise<T>) => Promise<T>,
	{ entries, isLandmark }: MemoryBounds = BOUNDS,
): KnownRecords {
	const add = async (keys: readonly string[]) =>
		new Set(keys.length > 0 ? await table.add(keys, entries) : []);

	/** Looks entries up without remembering them: n8n can only do both in one, so there is room for all. */
	async function find(keys: readonly string[]): Promise<Set<string>> {
		if (keys.length === 0 || (await table.count()) === 0) return new Set();
		const found = new Set(keys);
		for (let first = 0; first < keys.length; first += LOOKUP_SIZE) {
			const group = keys.slice(first, first + LOOKUP_SIZE);
			const unknown = await table.add(group, entries + group.length);
			if (unknown.length > 0) await table.remove(unknown);
			for (const key of unknown) found.delete(key);
		}
		return found;
	}

	/** Remembers entries as the last ones. */
	async function renew(keys: readonly string[]): Promise<void> {
		await table.remove(keys);
		await add(keys);
	}

	async function lastSearched(ends: readonly number[]): Promise<number | undefined> {
		const known = await find(ends.map(searchedKey));
		return ends.filter((end) => known.has(searchedKey(end))).at(-1);
	}

	const isFull = async () => (await table.count()) >= entries - LANDMARK_SIZE;

	return {
		isFull,
		lookUp: async (keys) => await alone(async () => await find(keys)),
		lastSearched: async (ends) => await alone(async () => await lastSearched(ends)),
		async take(records, searches) {
			return await alone(async () => {
				const fresh = await add(records.map(({ key }) => key));
				const landmarks = records.flatMap(({ key, createdAt }) =>
					createdAt !== undefined && fresh.has(key) && isLandmark(key) ? [createdAt] : [],
				);
				if (landmarks.length === 0) return fresh;
				const searched = await lastSearched(searches);
				await renew([
					...(searched === undefined ? [] : [searchedKey(searched)]),
					...new Set(landmarks.flatMap(namesOf)),
				]);
				return fresh;
			});
		},
		async stretches({ from, earlier, upTo }) {
			return await alone(async () => {
				const mayForget = await isFull();
				// No search was completed before: all up to the first publishing counts as searched.
				if (earlier.length === 0 || !mayForget) await add([searchedKey(from)]);
				const searched = await lastSearched([from, ...earlier]);
				const after = searched ?? from;
				// The last completed search stays known, so later ones were not completed. An earlier version
				// may have forgotten it.
				const begun = searched === undefined ? [] : earlier.filter((end) => end > after);
				const edges = [after, ...begun.sort((a, b) => a - b), upTo];
				const times: number[] = [];
				if (mayForget) for await (const time of timesIn(after, upTo, find)) times.push(time);
				return edges.slice(1).map((end, place) => {
					const begin = edges[place] ?? after;
					return {
						after: begin,
						upTo: end,
						cameUpTo: times.find((time) => time > begin && time <= end),
					};
				});
			});
		},
		async complete(upTo, found) {
			const close = found.filter(({ createdAt = upTo }) => upTo - createdAt < CLOSE_MS);
			const keys = [...close.slice(-LOOKUP_SIZE).map(({ key }) => key), searchedKey(upTo)];
			// In one task: an event in between would be passed on although the search has its record.
			return await alone(async () => {
				const known = await find(found.map(({ key }) => key));
				await add(keys);
				return known;
			});
		},
	};
}

/** Opens n8n's memory in an execution. */
export const openKnownRecords = (context: IExecuteFunctions): KnownRecords =>
	createKnownRecords(tableOf(context), async (task) => await inOrder(context, 'memory', task));
