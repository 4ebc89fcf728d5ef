/** The parameter 'Since Last Run': returns only records that this node has not returned before. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { z } from 'zod/v3';
import type { FieldIndex } from '../../records/fieldIndex';
import { InputError } from '../../values/inputError';
import { type DataRecord, ageOf, byAge } from '../../model/response/record';
import type { JsonObject } from '../../model/response/jsonObject';
import {
	isOld,
	mostOfOneTime,
	readSeen,
	remember,
	REMEMBERED,
	tokenOf,
	writeSeen,
	type ReadSeen,
	type Seen,
	type SeenBy,
	type SeenEntry,
	type ValueText,
} from '../../model/recordMemory';
import { withoutLinks } from '../../values/fileLinks';
import type { RecordTest } from '../../records/filter';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import type { CardReference, Run } from '../run/run';
import { sortInSlices, mapInSlices } from '../schedule/yieldToLoop';
import { identityOf } from './matchIndex';
import { scanAll } from './scan';

/** The key in the node's static data. Its value is JSON text. */
const KEY = 'returnedRecords';
/** The maximum number of cards for each node: n8n stores up to 120 kB for each with every execution. */
const MAX_CARDS = 20;

/** What to return from a card. */
export interface SinceQuery {
	by: SeenBy;
	/** Records remembered under another mark don't count. */
	mark: string;
	/** The conditions and all other tests. */
	filter: RecordTest | undefined;
	passes: (record: DataRecord) => boolean;
	limit: number;
	/** The IDs of the fields whose values are compared; undefined for all. */
	fields?: readonly string[] | undefined;
}

const savedSchema = z.array(
	z
		.object({ card: z.string(), by: z.enum(['new', 'newOrChanged']), mark: z.string() })
		.passthrough(),
);
type Saved = z.infer<typeof savedSchema>[number];

/** Reads the data that n8n keeps for this node; empty if it can't be read. */
function readSaved(context: IExecuteFunctions): Saved[] {
	const text = context.getWorkflowStaticData('node')[KEY];
	try {
		return savedSchema.parse(JSON.parse(String(text)));
	} catch {
		return [];
	}
}

interface Entry extends SeenEntry {
	record: DataRecord;
}

interface TrackedCard {
	before: Seen;
	/** The names by which the tokens call the fields, by ID. */
	names: ReadonlyMap<string, string>;
	/** Oldest first, without records that are older than all remembered ones. */
	listed: readonly Entry[];
	returned: Set<string>;
	/** All records to return; returned ones are removed at the end. */
	left: Set<string>;
}

/** The cards of each run. */
const trackedCards = new WeakMap<Run, Map<string, Promise<TrackedCard>>>();

/** What this node remembers of a card. @throws InputError if it remembers too many others */
function readOwn(context: IExecuteFunctions, cardId: string, { by, mark }: SinceQuery) {
	const saved = readSaved(context);
	const own = saved.find((one) => one.card === cardId && one.by === by && one.mark === mark);
	if (!own && saved.filter((one) => one.mark === mark).length >= MAX_CARDS) {
		throw new InputError(
			`'Since Last Run' keeps track of ${MAX_CARDS} cards already`,
			"Use another node for further cards, or change 'Start Again' in the options to forget them all.",
		);
	}
	return own && readSeen(own);
}

/** How a value becomes a part of a record's token. */
function valueTexts(run: Run, index: FieldIndex, saw: ReadSeen | undefined) {
	// A renamed field keeps its first name, and a field with a new ID its name.
	const names = new Map(
		index.fields.map((field) => [field.id, saw?.names[field.id] ?? index.keyOf(field)]),
	);
	const textOf: ValueText = (id, value) => [
		names.get(id) ?? id,
		identityOf(index, id, withoutLinks(value), run.zone),
	];
	return { names, textOf };
}

async function openCard(
	run: Run,
	card: CardReference,
	index: FieldIndex,
	query: SinceQuery,
	request: ReadOptions,
): Promise<TrackedCard> {
	const { by, fields } = query;
	const saw = readOwn(run.context, card.id, query);
	const before = { tokens: new Set(saw?.tokens), floor: saw?.floor };
	const { names, textOf } = valueTexts(run, index, saw);
	const compared = (record: DataRecord): DataRecord =>
		fields ? { ...record, data: ownValues(record.data, fields) } : record;
	const entries = new Map<string, Entry>();
	const take = (record: DataRecord): void => {
		const age = ageOf(record);
		if (isOld(before, age)) return;
		entries.set(record.id, { ...age, token: tokenOf(compared(record), by, textOf), record });
	};
	await scanAll(run, { card, request }, take);
	const listed = await sortInSlices(run.yieldToLoop, [...entries.values()], byAge);
	if (by === 'new') requireAges(card, listed);
	const opened: TrackedCard = { before, names, listed, returned: new Set(), left: new Set() };
	run.lastSteps.push(() => save(run.context, card, query, opened));
	return opened;
}

/** @throws InputError if too many records have the same time, so that new ones can't be recognized */
function requireAges({ name }: CardReference, listed: readonly Entry[]): void {
	const most = mostOfOneTime(listed);
	if (most <= REMEMBERED.newOrChanged) return;
	throw new InputError(
		`'Since Last Run' can't tell which records of card '${name}' are new: ${most} of them have the same 'created_at'`,
		`At most ${REMEMBERED.newOrChanged} records of one time can be compared. Mark the records that are done in a field, and filter by it.`,
	);
}

/** Returns the values of some fields of a record. */
const ownValues = (data: JsonObject, fields: readonly string[]): JsonObject =>
	Object.fromEntries(fields.filter((id) => Object.hasOwn(data, id)).map((id) => [id, data[id]]));

/** Saves the returned records in n8n, unless the run only previews them. */
function save(
	context: IExecuteFunctions,
	{ id }: CardReference,
	{ by, mark }: Pick<SinceQuery, 'by' | 'mark'>,
	{ before, names, listed, returned, left }: TrackedCard,
): void {
	// n8n saves changes of static data after other executions only.
	if (['manual', 'evaluation'].includes(context.getMode())) return;
	for (const token of returned) left.delete(token);
	const seen = writeSeen(remember(by, before, listed, { returned, left }));
	const others = readSaved(context).filter(
		(one) => one.mark === mark && (one.card !== id || one.by !== by),
	);
	const data = context.getWorkflowStaticData('node');
	const named = by === 'newOrChanged' && { names: Object.fromEntries(names) };
	const text = JSON.stringify([...others, { card: id, by, mark, ...seen, ...named }]);
	if (data[KEY] !== text) data[KEY] = text;
}

/**
 * Returns the records that this node has not returned before, oldest first. They count as returned after the node
 * has succeeded.
 *
 * @throws InputError if the card has more records than can be compared
 */
export async function notReturnedBefore(
	run: Run,
	card: CardReference,
	index: FieldIndex,
	query: SinceQuery,
	request: ReadOptions,
): Promise<DataRecord[]> {
	const { by, mark, passes, limit } = query;
	const tracked = trackedCards.get(run) ?? new Map<string, Promise<TrackedCard>>();
	trackedCards.set(run, tracked);
	const key = JSON.stringify([card.id, by, mark]);
	const opening = tracked.get(key) ?? openCard(run, card, index, query, request);
	tracked.set(key, opening);
	const { before, listed, returned, left } = await opening;
	// Items of one card run one after the other, and each leaves out what the previous ones returned.
	return await run.inOrder(JSON.stringify(['since', card.id, by]), async () => {
		const passing = (
			await mapInSlices(run.yieldToLoop, listed, (one) => passes(one.record) && one)
		).filter((one) => one !== false);
		if (by === 'newOrChanged' && passing.length > REMEMBERED.newOrChanged) {
			throw new InputError(
				`${passing.length} records of card '${card.name}' are too many to compare: 'New or Changed Records' can compare ${REMEMBERED.newOrChanged}`,
				"Add conditions to 'Filters' so that fewer records meet them, or select 'New Records'.",
			);
		}
		const unseen = passing.filter(
			(one) => !before.tokens.has(one.token) && !returned.has(one.token),
		);
		const chosen = unseen.slice(0, limit);
		for (const { token } of chosen) returned.add(token);
		for (const { token } of unseen) left.add(token);
		return chosen.map(({ record }) => record);
	});
}
