/** Sync's check of all items of all cards, before the first write. */
import type { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import { isEmpty } from '../../model/value/form';
import type { DataRecord } from '../../model/answer/record';
import { ownValue, type JsonObject } from '../../model/answer/shapes';
import { plainText } from '../../model/text';
import { Cancelled } from '../../transport/failure/failures';
import { changeCard, previewChanges, type Allowed } from '../growth/cardChanges';
import { readFilter, hintAtReading } from '../reading/scan';
import type { MatchIndex } from '../run/matchIndex';
import type { CardReference, Run } from '../run/run';
import { mapInSlices } from '../schedule/yieldToLoop';
import { requireData, toRecordData } from './recordData';
import { fieldsFor, requireSameFields, type Write } from './liveFields';
import { itemKey, matchingFieldIds } from './matching';
import { planDeletions, type Deletions, type SyncItem } from './syncPlan';

/** The settings of Sync, which must be the same for all items of a card. */
export interface SyncSettings {
	filters: unknown;
	matchType: unknown;
	dryRun: boolean;
	deletions: Deletions;
	/** Fields and choices that may be added to the card. */
	allowed: Allowed;
}

/** What an item brings to the check: its values, or why it has none. */
export type SyncPart =
	| { itemIndex: number; card: CardReference; write: Write; settings: SyncSettings }
	| { itemIndex: number; card?: CardReference; error: unknown };

/** The fields of a card and the records by their keys. */
export interface LiveCard {
	/** The live field listing. */
	listing: FieldIndex;
	fieldIds: readonly string[];
	matches: MatchIndex;
}

/** What was done for an item. */
export type WrittenAction = 'created' | 'updated' | 'unchanged';
type Counts = Record<WrittenAction, number>;

/** A card that passed the check. */
export interface CheckedCard {
	card: CardReference;
	/** The item that deleted records are paired with. */
	firstItem: number;
	/** The item that deletes records, once all items of the card are written: all others have begun before it. */
	lastItem: number;
	/** Adds the fields and choices that the card lacks, where the options say so, once. */
	live(): Promise<LiveCard>;
	dryRun: boolean;
	/** How an item is written. */
	writeOf(itemIndex: number): Write;
	/** The values of an item, keyed by field ID. */
	dataOf(itemIndex: number, listing: FieldIndex): Promise<JsonObject>;
	/** The records without an item. */
	deletions: readonly DataRecord[];
	/** Must be told what was done for each item; undefined where it failed. */
	written(action: WrittenAction | undefined): void;
	/** What was done; resolves once all items have ended. Undefined where one has failed. */
	allWritten: Promise<Counts | undefined>;
}

/** How many items are read or checked between two yields to the event loop. */
const SLICE_ITEMS = 100;

/** By item: its card, or why nothing is sent for it. */
export type Check = ReadonlyMap<number, CheckedCard | { error: unknown }>;

/**
 * Checks all items of all cards.
 *
 * @param read what an item brings; throws where its card is not known
 */
export async function checkAll(
	run: Run,
	read: (itemIndex: number) => Promise<SyncPart>,
): Promise<Check> {
	const parts = await partsOf(run, read);
	const result = new Map<number, CheckedCard | { error: unknown }>();
	const isStopping = !run.context.continueOnFail();
	const homeless = parts.find((part) => !part.card);
	const cards = new Map<string, SyncPart[]>();
	for (const part of parts) {
		const id = part.card?.id ?? '';
		const own = cards.get(id);
		if (own) own.push(part);
		else cards.set(id, [part]);
	}
	for (const [id, own] of cards) {
		const checked = homeless
			? { error: unknownCard(homeless.itemIndex) }
			: await checkCard(run, own).catch((error: unknown) => ({ error }));
		for (const part of cards.get(id) ?? []) {
			result.set(part.itemIndex, 'error' in part ? { error: part.error } : checked);
		}
		await run.yieldToLoop();
	}
	if (!isStopping || [...result.values()].every((one) => !('error' in one))) return result;
	// The run ends with the errors, those of single items first; no other card is changed.
	const invalid = new Set(parts.flatMap((part) => ('error' in part ? [part.itemIndex] : [])));
	const isShown = (itemIndex: number) => invalid.size === 0 || invalid.has(itemIndex);
	return new Map(
		[...result].map(([itemIndex, one]) => [
			itemIndex,
			'error' in one && isShown(itemIndex) ? one : { error: new Cancelled() },
		]),
	);
}

/** What all items bring, in their order: nothing is sent before all of them are known. */
async function partsOf(
	run: Run,
	read: (itemIndex: number) => Promise<SyncPart>,
): Promise<SyncPart[]> {
	const count = run.context.getInputData().length;
	const parts: SyncPart[] = [];
	for (let itemIndex = 0; itemIndex < count; itemIndex += 1) {
		if (itemIndex % SLICE_ITEMS === 0) await run.yieldToLoop();
		const part = await read(itemIndex).catch((error: unknown): SyncPart => ({ itemIndex, error }));
		// There may be a hundred thousand, mostly with the same settings.
		parts.push('settings' in part ? { ...part, settings: shared(run, part.settings) } : part);
	}
	return parts;
}

/** The first of all settings that are equal to these. */
const shared = (run: Run, settings: SyncSettings): SyncSettings =>
	run.once(`sync ${JSON.stringify(settings)}`, () => settings);

const unknownCard = (itemIndex: number): InputError =>
	new InputError(
		`Nothing was sent, because the card of item ${itemIndex} is not known`,
		'Correct that item: its record could be missing from any of the cards.',
	);

/** @throws what keeps the card from being changed */
async function checkCard(run: Run, parts: readonly SyncPart[]): Promise<CheckedCard> {
	const invalid = parts.find((part) => 'error' in part);
	if (invalid) {
		throw new InputError(
			`Nothing was sent for card '${invalid.card?.name ?? ''}', because item ${invalid.itemIndex} is not valid`,
			'Correct that item, then run all items again.',
		);
	}
	const valid = parts.flatMap((part) => ('error' in part ? [] : [part]));
	const [first] = valid;
	if (!first) throw new Error('A card without items is checked');
	const { card, write, settings } = first;
	const different = valid.find((part) => part.settings !== settings);
	if (different) {
		throw new InputError(
			`The conditions or settings of items ${first.itemIndex} and ${different.itemIndex} differ, but both are for card '${card.name}'`,
			"Nothing was sent. 'Filters', 'Match', 'Records Without an Item', 'Most Records to Delete' and 'Dry Run' must be the same for all items of a card.",
		);
	}
	const known = await run.fields.of(card, write.request);
	const { allowed } = settings;
	const grows = allowed.fields || allowed.choices;
	const writes = valid.map((part) => part.write);
	const listing = grows
		? (await previewChanges(run, card, known, writes, allowed, write.request)).index
		: known;
	const fieldIds = matchingFieldIds(write.columns, listing);
	const items = await itemsOf(run, valid, listing, fieldIds);
	const passes = readFilter(settings.filters, settings.matchType, listing, run, true);
	const matches = await run.writes.matches(card, listing, fieldIds, write.request);
	const listed = matches.all();
	hintAtReading(run, listed.length);
	await requireSameFields(run, card, known, write.request);
	const all = await mapInSlices(run.yieldToLoop, listed, (record) => ({
		record,
		key: fieldIds.some((id) => isEmpty(ownValue(record.data, id)))
			? undefined
			: matches.keyOf(record.data),
		takesPart: passes?.(record) ?? true,
	}));
	await run.yieldToLoop();
	const records = { card: card.name, all, meets: passes };
	const now = new Date().toISOString();
	const deletions = await planDeletions(items, records, settings.deletions, now, run.yieldToLoop);
	await run.yieldToLoop();
	let left = valid.length;
	let hasFailed = false;
	const counts: Counts = { created: 0, updated: 0, unchanged: 0 };
	let end: (outcome: Counts | undefined) => void = () => {};
	const allWritten = new Promise<Counts | undefined>((resolve) => (end = resolve));
	const values = new Map(items.map(({ itemIndex, data }) => [itemIndex, data]));
	const writeOf = new Map(
		valid.map(({ itemIndex, write: own }) => [itemIndex, grows ? own : withoutEntries(own)]),
	);

	async function grow(): Promise<LiveCard> {
		if (!grows || write.dryRun) return { listing, fieldIds, matches };
		await changeCard(run, card, writes, allowed, write.request);
		const grown = await run.fields.of(card, write.request);
		const ids = matchingFieldIds(write.columns, grown);
		const found = await run.writes.matches(card, grown, ids, write.request);
		return { listing: grown, fieldIds: ids, matches: found };
	}

	return {
		card,
		firstItem: first.itemIndex,
		lastItem: valid.at(-1)?.itemIndex ?? first.itemIndex,
		dryRun: write.dryRun,
		writeOf: (itemIndex) => writeOf.get(itemIndex) ?? write,
		live: async () => await run.once(JSON.stringify(['sync', card.id]), grow),
		async dataOf(itemIndex, live) {
			if (live === listing) return values.get(itemIndex) ?? {};
			return await dataOf(run, writeOf.get(itemIndex) ?? write, live);
		},
		deletions,
		written(action) {
			left -= 1;
			if (action) counts[action] += 1;
			else hasFailed = true;
			if (left === 0) end(hasFailed ? undefined : counts);
		},
		allWritten,
	};
}

/** A write whose values are known: what the item gave for them is not needed any more. */
const withoutEntries = ({ columns, ...rest }: Write): Write => ({
	...rest,
	columns: { ...columns, entries: [] },
});

/** The values of the items. @throws InputError that names the first item that is not valid */
async function itemsOf(
	run: Run,
	parts: ReadonlyArray<Extract<SyncPart, { write: Write }>>,
	listing: FieldIndex,
	fieldIds: readonly string[],
): Promise<SyncItem[]> {
	const items: SyncItem[] = [];
	for (const { itemIndex, write } of parts) {
		if (items.length % SLICE_ITEMS === 0) await run.yieldToLoop();
		const data = await dataOf(run, write, listing).catch((error: unknown) => {
			throw blame(error, itemIndex);
		});
		try {
			const key = itemKey(fieldIds, data, listing, run.zone);
			const shownKey = fieldIds.map((id) => `'${plainText(ownValue(data, id))}'`).join(', ');
			items.push({ itemIndex, key, shownKey, data });
		} catch (error) {
			throw blame(error, itemIndex);
		}
	}
	return items;
}

/** Names the item in an error that all items of its card get. */
const blame = (error: unknown, itemIndex: number): unknown =>
	error instanceof InputError
		? new InputError(
				`Item ${itemIndex}: ${error.message}`,
				[error.description, 'Nothing was sent for its card.'].filter(Boolean).join(' '),
			)
		: error;

async function dataOf(run: Run, write: Write, listing: FieldIndex): Promise<JsonObject> {
	const index = await fieldsFor(run, write, listing, write.request);
	return requireData(toRecordData(run, write.columns, index, write.options), write.columns);
}
