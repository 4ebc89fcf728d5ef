/** The service's records according to the executions. */
import type { JsonObject } from '../../host/n8nClient.ts';

/** `unclear`: the execution said that it cannot know, as an answer was lost. */
type Existence = 'there' | 'gone' | 'unclear';

interface Entry {
	existence: Existence;
	/** The values that 'Touched' may have: the last confirmed one, and later ones that were not confirmed. */
	touched: Set<unknown>;
}

/** Books by the text in 'Key', which is unique. */
export function createLedger() {
	const entries = new Map<string, Entry>();
	const counts = { created: 0, updated: 0, deleted: 0, read: 0, failed: 0, unclear: 0 };
	const wrong: string[] = [];
	const entryOf = (key: string): Entry => {
		const entry = entries.get(key) ?? { existence: 'gone', touched: new Set() };
		entries.set(key, entry);
		return entry;
	};
	return {
		/** A record was written, with one of these values in 'Touched'. */
		wrote(what: 'created' | 'updated', key: string, touched: readonly unknown[]) {
			counts[what] += 1;
			Object.assign(entryOf(key), { existence: 'there', touched: new Set(touched) });
		},
		/** The keys that are there, or may be. */
		present: (prefix: string): string[] =>
			[...entries].flatMap(([key, { existence }]) =>
				key.startsWith(prefix) && existence !== 'gone' ? [key] : [],
			),
		deleted(key: string) {
			counts.deleted += 1;
			entryOf(key).existence = 'gone';
		},
		/** A write failed. @param mayHave whether it may have been carried out all the same */
		failed(what: 'create' | 'update' | 'delete', key: string, touched: unknown, mayHave: boolean) {
			counts.failed += 1;
			const entry = entryOf(key);
			// The key of an upsert may have been there before.
			if (what !== 'delete' && entry.existence !== 'gone') entry.touched.add(touched);
			if (!mayHave) return;
			counts.unclear += 1;
			if (what === 'delete' || entry.existence === 'gone') entry.existence = 'unclear';
			if (what !== 'delete') entry.touched.add(touched);
		},
		/** All records were read: nothing of what must be there may be missing. */
		read(keys: readonly string[]) {
			counts.read += keys.length;
			const seen = new Set(keys);
			if (seen.size < keys.length)
				wrong.push(`a key was read ${keys.length - seen.size} times more`);
			for (const [key, entry] of entries) {
				const { existence } = entry;
				if (existence === 'there' && !seen.has(key)) wrong.push(`${key} wasn't read`);
				if (existence === 'gone' && seen.has(key)) wrong.push(`${key} was read, but is gone`);
				if (existence === 'unclear') entry.existence = seen.has(key) ? 'there' : 'gone';
			}
		},
		/** Compares with the service's records. @returns a line for each difference */
		compare(records: ReadonlyArray<{ fields: JsonObject }>): string[] {
			const found = new Map<string, JsonObject[]>();
			for (const { fields } of records) {
				const key = String(fields.Key);
				found.set(key, [...(found.get(key) ?? []), fields]);
			}
			const lines = [...wrong];
			for (const [key, { existence, touched }] of entries) {
				const same = found.get(key) ?? [];
				found.delete(key);
				if (same.length > 1) lines.push(`${key} is there ${same.length} times`);
				if (existence === 'there' && same.length === 0) lines.push(`${key} is missing`);
				if (existence === 'gone' && same.length > 0) lines.push(`${key} should be gone`);
				if (same[0] && !touched.has(same[0].Touched)) lines.push(`${key} has another value`);
			}
			for (const key of found.keys()) lines.push(`${key} is in no execution`);
			return lines;
		},
		summary: (): string =>
			Object.entries(counts)
				.map(([what, count]) => `${count} ${what}`)
				.join(', '),
	};
}
