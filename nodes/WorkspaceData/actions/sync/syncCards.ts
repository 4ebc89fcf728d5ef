/** The cards of a Sync. All items and records are read and checked before the first write to any card. */
import type { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import { isEmpty } from '../../model/value/emptyValue';
import type { DataRecord } from '../../model/response/record';
import { ownValue, type JsonObject } from '../../model/response/shapes';
import { plainText } from '../../model/text';
import { Cancelled } from '../../transport/failure/failures';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { changeCard, hintAtAdditions, previewChanges } from '../growth/cardChanges';
import { readFilter, hintAtReading } from '../reading/scan';
import type { MatchIndex } from '../run/matchIndex';
import type { CardReference, Run } from '../run/run';
import type { Writer } from '../run/writes';
import { settled } from '../writing/difference';
import { requireSameFields } from '../writing/liveFields';
import { matchingFieldIds, otherSpelling } from '../writing/matching';
import { resultsOf } from '../writing/results';
import type { Write } from '../writing/valueConversion';
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
import { checkAgainstRecords, type SyncCheck } from './syncCheck';
import { quote } from '../../model/names';

/** The fields of a card and the records by their keys. */
export interface LiveCard extends CardFields {
	matches: MatchIndex;
}

/** A card that passed the check. */
export interface CheckedCard {
	card: CardReference;
	/** The item that deleted records are paired with. */
	firstItem: number;
	/** The item that deletes records after all items of the card are written. All others have begun before it. */
	lastItem: number;
	/** Adds the missing fields and choices of the card once, if the options allow it. */
	live(): Promise<LiveCard>;
	writer: Writer;
	/** The request settings for deletions. */
	request: ReadOptions;
	/** The values of an item, keyed by field ID. */
	dataOf(item: SyncWrite, listing: FieldIndex): Promise<JsonObject>;
	/** The records without an item. */
	deletions: readonly DataRecord[];
	/** Must be called for each item. */
	ended(isWritten: boolean): void;
	/** True if all items were written; resolves once all have ended. */
	allWritten: Promise<boolean>;
}

/** An item to be written, and its card. */
interface CheckedItem {
	checked: CheckedCard;
	item: SyncWrite;
}

/** What is written for an item, or why nothing is sent. */
type Verdict = CheckedItem | { error: unknown };

/**
 * Checks all items of all cards.
 *
 * @param read returns an item's values; throws if its card is unknown
 * @returns a function that returns an item and its card, or throws the reason if nothing is sent for it. It works once
 * for each item, because the values of written items aren't kept.
 */
export async function checkAll(
	run: Run,
	read: (itemIndex: number) => Promise<SyncPart>,
): Promise<(itemIndex: number) => CheckedItem> {
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
	return (itemIndex) => {
		// Each item has its result until it is taken.
		const verdict = verdicts[itemIndex] as Verdict;
		verdicts[itemIndex] = undefined;
		const isRefused = 'error' in verdict;
		// The run ends with the errors, single items first. No other card is changed.
		const isShown = isRefused && (errors.size === 0 || errors.has(itemIndex));
		if (isStopping && !isShown) throw new Cancelled();
		if (isRefused) throw verdict.error;
		return verdict;
	};
}

const unknownCard = (itemIndex: number): InputError =>
	new InputError(
		`Nothing was sent, because the card of item ${itemIndex} isn't known`,
		'Correct that item: its record could be missing from any of the cards.',
	);

/** @returns the first item @throws what prevents the sync of the card, as far as its items show it */
function requireValid({ card, first: valid, invalid, different, refused }: CardItems): FirstItem {
	if (invalid !== undefined) {
		throw new InputError(
			`Nothing was sent for card '${card.name}', because item ${invalid} isn't valid`,
			'Correct that item, then run all items again.',
		);
	}
	// Every card has items, and all of them are valid.
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

/** @returns the card and all of its items @throws what prevents the sync of the card */
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
	await requireKnownSpelling(run, items, { fieldIds, matches }, card.name);
	const deletions = await checkAgainstRecords({
		...keysOf(matches, fieldIds),
		card: card.name,
		items,
		records: listed,
		meets: passes,
		deletions: settings.deletions,
		now: new Date().toISOString(),
		pause: run.yieldToLoop,
	});
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

/** How the matching values of a record are compared and shown. */
const keysOf = (
	matches: MatchIndex,
	fieldIds: readonly string[],
): Pick<SyncCheck, 'keyOf' | 'shown'> => ({
	keyOf: ({ data }) =>
		fieldIds.some((id) => isEmpty(ownValue(data, id))) ? undefined : matches.keyOf(data),
	shown: ({ data }) => fieldIds.map((id) => `'${plainText(ownValue(data, id))}'`).join(', '),
});

/** Drops values that can't be sent and that records already have. @throws InputError for any others */
async function settledItems(
	run: Run,
	items: readonly SyncWrite[],
	matches: MatchIndex,
	{ listing, fieldIds }: CardFields,
): Promise<SyncWrite[]> {
	const checked: SyncWrite[] = [];
	const refused: RefusedItem[] = [];
	let options: Write['options'] | undefined;
	for (const item of items) {
		await run.yieldToLoop();
		const { write } = item;
		const [record] = matches.holds(item.key) ? await matches.find(item.data) : [];
		try {
			// The options for the output are read here, because nothing may fail once records are written.
			if (write.options !== options) resultsOf(run, write.writer, listing, write.options);
			options = write.options;
			const keys = fieldIds.map((id) => [id, ownValue(item.data, id)]);
			// The key stays, although a computed value isn't sent.
			const data = {
				...settled(item.data, record, listing, run.zone),
				...Object.fromEntries(keys),
			};
			checked.push({ ...item, data });
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

/** @throws InputError for an item that would be created although its record exists in another spelling */
async function requireKnownSpelling(
	run: Run,
	items: readonly SyncWrite[],
	{ fieldIds, matches }: Pick<LiveCard, 'fieldIds' | 'matches'>,
	card: string,
): Promise<void> {
	const wanted = new Set(items.map(({ key }) => key));
	for (const { key, data } of items) {
		await run.yieldToLoop();
		if (matches.holds(key)) continue;
		const near = (await matches.near(data)).find((one) => !wanted.has(matches.keyOf(one.data)));
		if (near) throw otherSpelling(fieldIds, data, near, card);
	}
}

/** Predicts the fields of a card after the new ones of its items are added. */
async function previewFields(
	run: Run,
	{ card, growing: writes }: CardItems,
	{ write: { columns, request, writer }, settings: { allowed } }: FirstItem,
	known: FieldIndex,
): Promise<CardFields> {
	const preview = await previewChanges({ run, card, allowed, request }, known, writes);
	if (writer.isDry) hintAtAdditions(run, card, preview);
	const { index } = preview;
	return { listing: index, fieldIds: matchingFieldIds(columns, index) };
}

/** Adds the fields and choices that the items need to the card. */
async function grown(
	run: Run,
	{ card, growing }: CardItems,
	{ write: { columns, request, writer }, settings }: FirstItem,
	checked: LiveCard,
): Promise<LiveCard> {
	if (!mayGrow(settings) || writer.isDry) return checked;
	await changeCard({ run, card, allowed: settings.allowed, request }, growing);
	const listing = await run.fields.of(card, request);
	const fieldIds = matchingFieldIds(columns, listing);
	const matches = await run.writes.matches(writer, listing, fieldIds, request);
	return { listing, fieldIds, matches };
}

/** Waits for this number of items. */
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
