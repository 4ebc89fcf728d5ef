/** Makes the records of cards equal to the items: all is checked before the first write, deletions come last. */
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
import { requireData, toRecordData } from './recordData';
import { fieldsFor, type Write } from './liveFields';
import { itemKey, keyPart, matchingFieldIds } from './matching';
import { inParallel } from '../schedule/items';
import { mapInSlices } from '../schedule/yieldToLoop';
import { create, remove, updateListed } from './write';
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

type WrittenAction = 'created' | 'updated' | 'unchanged';
type Counts = Record<WrittenAction, number>;

/** A card that passed the check. */
export interface CheckedCard {
	card: CardReference;
	/** The item that deletes records, once all items of the card are written. */
	firstItem: number;
	/** Adds the fields and choices that the card lacks, where the options say so, once. */
	live(): Promise<LiveCard>;
	/** The values of an item, keyed by field ID. */
	dataOf(itemIndex: number, listing: FieldIndex): Promise<JsonObject>;
	/** The records without an item. */
	deletions: readonly DataRecord[];
	/** Must be told what was done for each item; undefined where it failed. */
	written(action: WrittenAction | undefined): void;
	/** What was done; resolves once all items have ended. Undefined where one has failed. */
	allWritten: Promise<Counts | undefined>;
}

/** By item: its card, or why nothing is sent for it. */
export type Check = ReadonlyMap<number, CheckedCard | { error: unknown }>;

/**
 * Checks all items of all cards.
 *
 * @param parts of all items, in their order
 */
export async function checkAll(run: Run, parts: readonly SyncPart[]): Promise<Check> {
	const result = new Map<number, CheckedCard | { error: unknown }>();
	const isStopping = !run.context.continueOnFail();
	const homeless = parts.find((part) => !part.card);
	const cards = new Map<string, SyncPart[]>();
	for (const part of parts) {
		const id = part.card?.id ?? '';
		cards.set(id, [...(cards.get(id) ?? []), part]);
	}
	for (const [id, own] of cards) {
		const checked = homeless
			? { error: unknownCard(homeless.itemIndex) }
			: await checkCard(run, own).catch((error: unknown) => ({ error }));
		for (const part of cards.get(id) ?? []) {
			result.set(part.itemIndex, 'error' in part ? { error: part.error } : checked);
		}
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
	const same = JSON.stringify(settings);
	const different = valid.find((part) => JSON.stringify(part.settings) !== same);
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
	await requireSameFields(run, write, known);
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
	const deletions = planDeletions(items, records, settings.deletions, now);
	let left = valid.length;
	let hasFailed = false;
	const counts: Counts = { created: 0, updated: 0, unchanged: 0 };
	let end: (outcome: Counts | undefined) => void = () => {};
	const allWritten = new Promise<Counts | undefined>((resolve) => (end = resolve));
	const values = new Map(items.map(({ itemIndex, data }) => [itemIndex, data]));
	const writeOf = new Map(valid.map((part) => [part.itemIndex, part.write]));

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

/** The values of the items. @throws InputError that names the first item that is not valid */
async function itemsOf(
	run: Run,
	parts: ReadonlyArray<Extract<SyncPart, { write: Write }>>,
	listing: FieldIndex,
	fieldIds: readonly string[],
): Promise<SyncItem[]> {
	const items: SyncItem[] = [];
	for (const { itemIndex, write } of parts) {
		if (items.length % 100 === 0) await run.yieldToLoop();
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

/** @throws InputError when the fields changed while the records were read: values could have been missed */
async function requireSameFields(
	run: Run,
	{ card, request }: Write,
	before: FieldIndex,
): Promise<void> {
	const fresh = await run.fields.fresh(card, request);
	const known = (fields: FieldIndex): string =>
		JSON.stringify(fields.fields.map(({ id, name }) => [id, name]));
	if (known(before) === known(fresh)) return;
	throw new InputError(
		`The fields of card '${card.name}' changed while its records were being read`,
		'Nothing was sent. Run the node again.',
	);
}

/** An item that was written. */
interface WrittenItem {
	action: WrittenAction;
	before?: DataRecord;
	after: DataRecord;
}

/** Writes an item of a card that passed the check. In a dry run nothing is sent. */
export async function writeItem(
	run: Run,
	checked: CheckedCard,
	itemIndex: number,
	write: Write,
): Promise<WrittenItem> {
	let action: WrittenAction | undefined;
	try {
		const written = await createOrUpdate(run, checked, itemIndex, write);
		({ action } = written);
		return written;
	} finally {
		checked.written(action);
	}
}

async function createOrUpdate(
	run: Run,
	checked: CheckedCard,
	itemIndex: number,
	write: Write,
): Promise<WrittenItem> {
	const { card } = checked;
	const { listing, fieldIds, matches } = await checked.live();
	const data = await checked.dataOf(itemIndex, listing);
	const part = keyPart(fieldIds, itemKey(fieldIds, data, listing, run.zone), listing);
	return await run.writes.inOrder({ card, part, isShared: !write.dryRun }, async () => {
		await run.yieldToLoop();
		// Looked for again: another execution may have created or deleted it since the check.
		const [before, ...others] = await matches.find(data);
		if (others.length > 0) {
			throw new InputError(
				`${others.length + 1} records of card '${card.name}' match this item now`,
				'Another execution has created one. Run all items again.',
			);
		}
		if (!before) return { action: 'created', after: await create(run, write, data) };
		const { action, record } = await updateListed(run, write, data, before, listing);
		return { action, before, after: record };
	});
}

/**
 * Waits until all items of a card are written, then deletes the records without an item. If an item has failed, none is
 * deleted.
 *
 * @returns the deleted records
 * @throws the first refusal; its message says how many were deleted
 */
export async function finishCard(
	run: Run,
	checked: CheckedCard,
	write: Write,
): Promise<DataRecord[]> {
	const { card, deletions } = checked;
	const counts = await checked.allWritten;
	if (!counts) {
		if (deletions.length > 0) {
			run.messages.hint(
				`No record of card '${card.name}' was deleted, because not all items were written. Run all items again.`,
			);
		}
		return [];
	}
	const deleted = deletions.length > 0 ? await deleteMissing(run, checked, write) : [];
	if (write.dryRun) {
		const { created, updated, unchanged } = counts;
		run.messages.hint(
			`Dry run of card '${card.name}': ${created} records would be created, ${updated} updated, ${deleted.length} deleted; ${unchanged} stay unchanged`,
		);
	}
	return deleted;
}

/**
 * Deletes the records without an item.
 *
 * @returns the deleted records; one that another execution has written since the check stays
 * @throws the first refusal; its message says how many were deleted
 */
async function deleteMissing(
	run: Run,
	{ card, deletions, live }: CheckedCard,
	{ dryRun, request }: Write,
): Promise<DataRecord[]> {
	const { listing, fieldIds, matches } = await live();
	const states = run.writes.states(card);
	const deleted: DataRecord[] = [];
	await inParallel(
		deletions,
		() => run.api.atOnce({ method: 'DELETE', ...request }),
		async (record) => {
			const part = keyPart(fieldIds, matches.keyOf(record.data), listing);
			await run.writes.inOrder({ card, part, isShared: !dryRun }, async () => {
				if (states.isWritten(record.id)) return;
				await remove(run, { card, dryRun }, record.id, request, true);
				deleted.push(record);
			});
		},
	).catch((error: unknown) => {
		run.messages.note(
			error,
			`All items of card '${card.name}' were written. ${deleted.length} of ${deletions.length} records without an item were deleted. Run all items again to delete the others.`,
		);
		throw error;
	});
	if (deleted.length < deletions.length) {
		run.messages.hint(
			`${deletions.length - deleted.length} records of card '${card.name}' have no item, but stay, because another execution wrote them during this run`,
		);
	}
	const gone = new Set(deleted);
	return deletions.filter((record) => gone.has(record));
}
