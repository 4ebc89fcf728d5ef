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
	/** The newest time that was looked at, in ms since the epoch. */
	newest: z.number(),
	/** Every record up to this age counts as seen. */
	floor: ageSchema,
	/** The records after it that were looked at, oldest first. */
	after: z.array(ageSchema),
});
const savedSchema = z.record(seenSchema);

/** What is remembered of a card. */
export type Seen = z.infer<typeof seenSchema>;

const NOTHING: Seen = { newest: -Infinity, floor: { at: -Infinity, id: '' }, after: [] };

/** The records of a card that are new in this run. */
interface NewRecords {
	before: Seen;
	/** Of all of them, oldest first. */
	ages: Age[];
	/** Those that no item has returned, oldest first. */
	left: DataRecord[];
	returned: Set<string>;
	/** Records after this one were left for the next run, by a limit; undefined if there are none. */
	end: Age | undefined;
	/** Ends once the items so far have taken theirs. */
	turn: Promise<unknown>;
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
	 * Returns the new records that pass, oldest first. Items of one card take turns: each leaves out what the ones before
	 * it returned.
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
		const taking = news.turn.then(async () => await this.takeFrom(news, passes, limit));
		news.turn = taking.catch(() => {});
		return await taking;
	}

	/** Remembers what was returned, unless a person started the run. */
	async save(): Promise<void> {
		const { context } = this.run;
		if (['manual', 'evaluation'].includes(context.getMode()) || this.cards.size === 0) return;
		const saved = { ...this.saved };
		for (const [cardId, opening] of this.cards) {
			const news = await opening.catch(() => undefined);
			if (!news) continue;
			const seen = remember(news);
			if (seen.newest !== -Infinity) saved[cardId] = seen;
		}
		const data = context.getWorkflowStaticData('node');
		const text = JSON.stringify(saved);
		if (data[KEY] !== text) data[KEY] = text;
	}

	private async open(card: CardReference, options?: RequestOptions): Promise<NewRecords> {
		const before = new Map(Object.entries(this.saved)).get(card.id) ?? NOTHING;
		const ids = new Set(before.after.map(({ id }) => id));
		const records: DataRecord[] = [];
		const take = (record: DataRecord): void => {
			if (byAge(ageOf(record), before.floor) > 0 && !ids.has(record.id)) records.push(record);
		};
		await this.run.streamRecords(card, Infinity, take, options);
		const keyed = records.map((record) => ({ record, age: ageOf(record) }));
		const inOrder = await sortInSlices(this.run, keyed, (a, b) => byAge(a.age, b.age));
		return {
			before,
			ages: inOrder.map(({ age }) => age),
			left: inOrder.map(({ record }) => record),
			returned: new Set(),
			end: undefined,
			turn: Promise.resolve(),
		};
	}

	private async takeFrom(
		news: NewRecords,
		passes: (record: DataRecord) => boolean,
		limit: number,
	): Promise<DataRecord[]> {
		const taken: DataRecord[] = [];
		const left: DataRecord[] = [];
		let isCut = false;
		for (const record of news.left) {
			await this.run.breathe();
			const isWanted: boolean = !isCut && passes(record);
			isCut ||= isWanted && taken.length === limit;
			(isWanted && !isCut ? taken : left).push(record);
		}
		news.left = left;
		for (const { id } of taken) news.returned.add(id);
		const end = isCut && taken.at(-1);
		if (end && (!news.end || byAge(ageOf(end), news.end) < 0)) news.end = ageOf(end);
		return taken;
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
export function remember({
	before,
	ages,
	returned,
	end,
}: Pick<NewRecords, 'before' | 'ages' | 'returned' | 'end'>): Seen {
	const lookedAt = (age: Age) => !end || byAge(age, end) <= 0;
	const newest = ages.filter(lookedAt).reduce((most, { at }) => Math.max(most, at), before.newest);
	const first = { at: newest - LATE_MS, id: '' };
	const after = [...before.after, ...ages.filter((age) => lookedAt(age) || returned.has(age.id))]
		.filter((age) => byAge(age, first) > 0)
		.sort(byAge);
	const kept = after.slice(-MAX_REMEMBERED);
	const floor = after.at(-kept.length - 1) ?? first;
	return { newest, floor: byAge(floor, before.floor) > 0 ? floor : before.floor, after: kept };
}
