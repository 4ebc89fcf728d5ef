/** The cards of a Sync: their items and records are read and checked before the first write to any of them. */
import type { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import { isEmpty } from '../../model/value/emptyValue';
import type { DataRecord } from '../../model/answer/record';
import { ownValue, type JsonObject } from '../../model/answer/shapes';
import { plainText } from '../../model/text';
import { Cancelled } from '../../transport/failure/failures';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { changeCard, hintAtAdditions, previewChanges } from '../growth/cardChanges';
import { readFilter, hintAtReading } from '../reading/scan';
import type { MatchIndex } from '../run/matchIndex';
import type { CardReference, Run } from '../run/run';
import { settled } from '../writing/difference';
import { requireSameFields } from '../writing/liveFields';
import { matchingFieldIds, otherSpelling } from '../writing/matching';
import type { Writer } from '../writing/writer';
import {
	dataOf,
	growingItems,
	mayGrow,
	readItems,
	type CardFields,
	type CardItems,
	type FirstItem,
	type SyncPart,
	type SyncWrite,
} from './syncItems';
import { ItemsRefused, refusalOf, type RefusedItem } from './refusedItems';
import { checkAgainstRecords } from './syncCheck';
import { quote } from '../../model/names';

/** The fields of a card and the records by their keys. */
export interface LiveCard extends CardFields {
	matches: MatchIndex;
}

/** What was done for an item. */
export type WrittenAction = 'created' | 'updated' | 'unchanged';

/** A card that passed the check. */
export interface CheckedCard {
	card: CardReference;
	/** The item that deleted records are paired with. */
	firstItem: number;
	/** The item that deletes records, once all items of the card are written: all others have begun before it. */
	lastItem: number;
	/** Adds the fields and choices that the card lacks, where the options say so, once. */
	live(): Promise<LiveCard>;
	writer: Writer;
	/** How records are deleted. */
	request: ReadOptions;
	/** The values of an item, keyed by field ID. */
	dataOf(item: SyncWrite, listing: FieldIndex): Promise<JsonObject>;
	/** The records without an item. */
	deletions: readonly DataRecord[];
	/** Must be told of each item whether it was written. */
	ended(isWritten: boolean): void;
	/** Whether all items were written; resolves once all have ended. */
	allWritten: Promise<boolean>;
}

/** An item that is written, and its card. */
interface CheckedItem {
	checked: CheckedCard;
	item: SyncWrite;
}

/** What is written for an item, or why nothing is sent for it. */
type Verdict = CheckedItem | { error: unknown };

/** What is written for each item, after the check. */
export interface Check {
	/**
	 * An item and its card. Each can be taken once: the values of items that were written are not kept.
	 *
	 * @throws why nothing is sent for it
	 */
	take(itemIndex: number): CheckedItem;
}

/**
 * Checks all items of all cards.
 *
 * @param read what an item brings; throws where its card is not known
 */
export async function checkAll(
	run: Run,
	read: (itemIndex: number) => Promise<SyncPart>,
): Promise<Check> {
	const { cards, errors, homeless } = await readItems(run, read);
	const verdicts: Array<Verdict | undefined> = [];
	for (const [itemIndex, error] of errors) verdicts[itemIndex] = { error };
	for (const own of cards) {
		try {
			if (homeless !== undefined) throw unknownCard(homeless);
			const { checked, items } = await checkCard(run, own);
			for (const item of items) verdicts[item.itemIndex] = { checked, item };
		} catch (error) {
			if (error instanceof ItemsRefused)
				for (const one of error.itemIndexes) errors.set(one, error);
			for (const itemIndex of own.indexes) verdicts[itemIndex] ??= { error };
		}
		await run.yieldToLoop();
	}
	const isStopping =
		!run.context.continueOnFail() && verdicts.some((verdict) => verdict && 'error' in verdict);
	return {
		take(itemIndex) {
			// Each item has one, until it is taken.
			const verdict = verdicts[itemIndex] as Verdict;
			verdicts[itemIndex] = undefined;
			const isRefused = 'error' in verdict;
			// The run ends with the errors, those of single items first; no other card is changed.
			const isShown = isRefused && (errors.size === 0 || errors.has(itemIndex));
			if (isStopping && !isShown) throw new Cancelled();
			if (isRefused) throw verdict.error;
			return verdict;
		},
	};
}

const unknownCard = (itemIndex: number): InputError =>
	new InputError(
		`Nothing was sent, because the card of item ${itemIndex} isn't known`,
		'Correct that item: its record could be missing from any of the cards.',
	);

/** @returns the first item @throws what keeps the card from being changed, as far as its items show it */
function requireValid({ card, first: valid, invalid, different, refused }: CardItems): FirstItem {
	if (invalid !== undefined) {
		throw new InputError(
			`Nothing was sent for card '${card.name}', because item ${invalid} isn't valid`,
			'Correct that item, then run all items again.',
		);
	}
	// Every card has items, and all are valid.
	const first = valid as FirstItem;
	if (different !== undefined) {
		throw new InputError(
			`The conditions or settings of items ${first.itemIndex} and ${different} differ, but both are for card '${card.name}'`,
			"Nothing was sent. 'Filters', 'Must Match', 'If Record Has No Item', 'Max Records to Delete' and 'Dry Run' must be the same for all items of a card.",
		);
	}
	if (refused) throw refused.error;
	return first;
}

/** @returns the card, and all of its items @throws what keeps the card from being changed */
async function checkCard(
	run: Run,
	own: CardItems,
): Promise<{ checked: CheckedCard; items: readonly SyncWrite[] }> {
	const first = requireValid(own);
	const { card, indexes } = own;
	const { itemIndex: firstItem, write, settings } = first;
	const { request, writer } = write;
	const known = await run.fields.of(card, request);
	const fields = own.fields ?? (await previewFields(run, own, first, known));
	const { listing, fieldIds } = fields;
	const given = mayGrow(settings) ? await growingItems(run, own, fields) : own.items;
	const exact = { isExact: true, hints: write.columns.hints };
	const passes = readFilter(settings.filters, settings.matchType, listing, run, exact);
	const matches = await run.writes.matches(writer, listing, fieldIds, request);
	const listed = matches.all();
	hintAtReading(run, listed.length);
	await requireSameFields(run, card, known, request);
	if (given.some(({ key }) => !matches.holds(key))) matches.requireComplete();
	const items = await settledItems(run, given, matches, fields);
	await requireKnownSpelling(items, fieldIds, matches, card.name);
	const deletions = await checkAgainstRecords(
		items,
		({ data }) => fieldIds.map((id) => `'${plainText(ownValue(data, id))}'`).join(', '),
		{
			card: card.name,
			all: listed,
			keyOf: ({ data }) =>
				fieldIds.some((id) => isEmpty(ownValue(data, id))) ? undefined : matches.keyOf(data),
			meets: passes,
		},
		settings.deletions,
		new Date().toISOString(),
		run.yieldToLoop,
	);
	passes?.requireSeen();
	if (deletions.length > 0) matches.requireComplete();
	let live: Promise<LiveCard> | undefined;
	const checked: CheckedCard = {
		card,
		firstItem,
		lastItem: indexes.at(-1) ?? firstItem,
		writer,
		request,
		live: async () => await (live ??= grown(run, own, first, { ...fields, matches })),
		dataOf: async (item, current) =>
			current === listing ? item.data : await dataOf(run, item.write, current),
		deletions,
		...allOf(indexes.length),
	};
	return { checked, items };
}

/** The items without what their records hold already. @throws InputError for a value that cannot be sent */
async function settledItems(
	run: Run,
	items: readonly SyncWrite[],
	matches: MatchIndex,
	{ listing, fieldIds }: CardFields,
): Promise<SyncWrite[]> {
	const checked: SyncWrite[] = [];
	const refused: RefusedItem[] = [];
	for (const item of items) {
		const [record] = matches.holds(item.key) ? await matches.find(item.data) : [];
		try {
			checked.push({ ...item, data: settled(item.data, record, listing, run.zone) });
		} catch (error) {
			const name = fieldIds
				.map((id) => `${listing.byId(id)?.name} ${quote(plainText(ownValue(item.data, id)))}`)
				.join(', ');
			refused.push({ itemIndex: item.itemIndex, name, error });
		}
	}
	if (refused.length > 0) throw refusalOf(refused);
	return checked;
}

/** @throws InputError for an item that would be created, and whose record exists in another spelling */
async function requireKnownSpelling(
	items: readonly SyncWrite[],
	fieldIds: readonly string[],
	matches: MatchIndex,
	card: string,
): Promise<void> {
	const wanted = new Set(items.map(({ key }) => key));
	for (const { key, data } of items) {
		if (matches.holds(key)) continue;
		const near = (await matches.near(data)).find((one) => !wanted.has(matches.keyOf(one.data)));
		if (near) throw otherSpelling(fieldIds, data, near, card);
	}
}

/** The fields of a card as they will be, once it has the new ones of its items. */
async function previewFields(
	run: Run,
	{ card, growing: writes }: CardItems,
	{ write: { columns, request, writer }, settings: { allowed } }: FirstItem,
	known: FieldIndex,
): Promise<CardFields> {
	const preview = await previewChanges(run, card, known, writes, allowed, request);
	if (writer.isDry) hintAtAdditions(run, card, preview);
	const { index } = preview;
	return { listing: index, fieldIds: matchingFieldIds(columns, index) };
}

/** The card with the fields and choices that its items need. */
async function grown(
	run: Run,
	{ card, growing }: CardItems,
	{ write: { columns, request, writer }, settings }: FirstItem,
	checked: LiveCard,
): Promise<LiveCard> {
	if (!mayGrow(settings) || writer.isDry) return checked;
	await changeCard(run, card, growing, settings.allowed, request);
	const listing = await run.fields.of(card, request);
	const fieldIds = matchingFieldIds(columns, listing);
	const matches = await run.writes.matches(writer, listing, fieldIds, request);
	return { listing, fieldIds, matches };
}

/** Waits for so many items. */
function allOf(items: number): Pick<CheckedCard, 'ended' | 'allWritten'> {
	let left = items;
	let hasFailed = false;
	let end: (isWritten: boolean) => void = () => {};
	const allWritten = new Promise<boolean>((resolve) => (end = resolve));
	return {
		ended(isWritten) {
			left -= 1;
			hasFailed ||= !isWritten;
			if (left === 0) end(!hasFailed);
		},
		allWritten,
	};
}
