/** *Since Last Run*: the records of a card that were created since this node last returned some. */
import { z } from 'zod/v3';
import type { DataRecord, RequestOptions } from '../transport/api';
import { ageOf, byAge, type Age } from './ownValues';
import type { CardReference, Run } from './run';
import { sortInSlices } from './sort';

/** The key in the node's static data. Its value is JSON text. */
const KEY = 'sinceLastRun';
/** A record that appears this much later than its time is still new. */
const LATE_MS = 10 * 60_000;
/** The most records of these minutes that are remembered: more would cost n8n's database 200 kB at each run. */
const MAX_REMEMBERED = 5_000;

const ageSchema = z.object({ at: z.number(), id: z.string() });
const seenSchema = z.object({
	/** Every record up to this age counts as seen. */
	floor: ageSchema,
	/** The records after it that were looked at, oldest first. */
	after: z.array(ageSchema),
});
const savedSchema = z.record(seenSchema);

/** What is remembered of a card. */
export type Seen = z.infer<typeof seenSchema>;

const NOTHING: Seen = { floor: { at: -Infinity, id: '' }, after: [] };

/** The records of a card that are new in this run. */
interface NewRecords {
	before: Seen;
	/** Oldest first; without its record once an item has returned it. */
	entries: Array<{ age: Age; record: DataRecord | undefined }>;
	/** Entries from this place on were left for the next run, by a limit. */
	end: number;
}

/** What one run returns of several cards. */
export class SinceLastRun {
	private readonly run: Run;
	private readonly saved: Record<string, Seen>;
	private readonly cards = new Map<string, Promise<NewRecords>>();

	constructor(run: Run) {
		this.run = run;
		this.saved = readSaved(run.context.getWorkflowStaticData('node')[KEY]);
	}

	/**
	 * Returns the new records that pass, oldest first, without those that earlier items of this card have returned.
	 *
	 * @param limit of the number of records; the others come in the next run
	 */
	async take(
		card: CardReference,
		passes: (record: DataRecord) => boolean,
		limit: number,
		options?: RequestOptions,
	): Promise<DataRecord[]> {
		const opening = this.cards.get(card.id) ?? this.open(card, options);
		this.cards.set(card.id, opening);
		const news = await opening;
		const wanted: NewRecords['entries'] = [];
		for (const entry of news.entries) {
			await this.run.breathe();
			if (entry.record && passes(entry.record)) wanted.push(entry);
		}
		// From here on nothing is awaited: no two items take one record.
		const free = wanted.filter(({ record }) => record);
		const [next] = free.splice(limit);
		if (next) news.end = Math.min(news.end, news.entries.indexOf(next));
		return free.flatMap((entry) => {
			const record = entry.record ?? [];
			entry.record = undefined;
			return record;
		});
	}

	/** Remembers what was returned, unless a person started the run. */
	async save(): Promise<void> {
		const { context } = this.run;
		if (['manual', 'evaluation'].includes(context.getMode()) || this.cards.size === 0) return;
		const saved = { ...this.saved };
		for (const [cardId, opening] of this.cards) {
			const news = await opening.catch(() => undefined);
			if (news && news.entries.length > 0) saved[cardId] = remember(news);
		}
		const data = context.getWorkflowStaticData('node');
		const text = JSON.stringify(saved);
		if (data[KEY] !== text) data[KEY] = text;
	}

	private async open(card: CardReference, options?: RequestOptions): Promise<NewRecords> {
		const before = new Map(Object.entries(this.saved)).get(card.id) ?? NOTHING;
		const ids = new Set(before.after.map(({ id }) => id));
		const entries: NewRecords['entries'] = [];
		const take = (record: DataRecord): void => {
			const age = ageOf(record);
			if (byAge(age, before.floor) > 0 && !ids.has(record.id)) entries.push({ age, record });
		};
		await this.run.streamRecords(card, Infinity, take, options);
		const inOrder = await sortInSlices(this.run, entries, (a, b) => byAge(a.age, b.age));
		return { before, entries: inOrder, end: Infinity };
	}
}

function readSaved(text: unknown): Record<string, Seen> {
	try {
		return savedSchema.parse(JSON.parse(String(text)));
	} catch {
		return {};
	}
}

/**
 * Decides what to remember of a card after a run: the records of the last ten minutes that were looked at, because another
 * one of these minutes may appear later.
 */
export function remember({ before, entries, end }: NewRecords): Seen {
	const lookedAt = entries.slice(0, end);
	const returned = entries.slice(end).filter(({ record }) => !record);
	const late = { at: (lookedAt.at(-1)?.age.at ?? -Infinity) - LATE_MS, id: '' };
	const seen = [...before.after, ...[...lookedAt, ...returned].map(({ age }) => age)]
		.filter((age) => byAge(age, late) > 0)
		.sort(byAge);
	const after = seen.slice(-MAX_REMEMBERED);
	const floor = seen.at(-after.length - 1) ?? late;
	return { floor: byAge(floor, before.floor) > 0 ? floor : before.floor, after };
}
