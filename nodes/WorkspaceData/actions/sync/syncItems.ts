/** Reads the items of a Sync by card, and converts their values once the records of the card are known. */
import { quote } from '../../model/names';
import { ownValue } from '../../model/response/shapes';
import { plainText } from '../../model/text';
import { isEmpty } from '../../model/value/emptyValue';
import type { MatchIndex, MatchingFields } from '../reading/matchIndex';
import type { CardReference, Run } from '../run/run';
import { settled } from '../writing/difference';
import { convertValues, type ItemWrite } from '../writing/itemValues';
import { itemKey } from '../writing/matching';
import { resultsOf } from '../writing/results';
import { inputErrorOf, refusalOf, type RefusedItem } from '../writing/refusals';
import type { SyncItem } from './syncCheck';

/** The settings of Sync, which must be the same for all items of a card. */
export interface SyncSettings {
	filters: unknown;
	matchType: unknown;
	isDry: boolean;
	/** True if the records without an item are deleted. */
	deletes: boolean;
	/** The maximum number of deletions; undefined for no limit. */
	maxDeletions: number | undefined;
	adds: ItemWrite['adds'];
}

/** What an item gives to its card. */
export interface SyncPart {
	write: ItemWrite;
	settings: SyncSettings;
}

/** The items of a card. */
export interface CardItems {
	card: CardReference;
	/** The indexes of all items, in order. */
	indexes: number[];
	/** The valid items, and the settings of the first of them. */
	given: ItemWrite[];
	settings?: SyncSettings;
	/** The first invalid item (of the run, if its card isn't known), and the first one with different settings. */
	invalid?: number;
	different?: number;
}

/**
 * Reads all items in order. Nothing is written before all of them are known.
 *
 * @param read returns an item's values
 * @param findCard returns an item's card, although its values are invalid
 * @returns the items by card, and why single items are invalid
 */
export async function readItems(
	run: Run,
	read: (itemIndex: number) => Promise<SyncPart>,
	findCard: (itemIndex: number) => Promise<CardReference>,
) {
	const cards = new Map<string, CardItems>();
	const errors = new Map<number, unknown>();
	/** The first item whose card isn't known: its record could be missing from any of the cards. */
	let homeless: number | undefined;
	for (const itemIndex of run.context.getInputData().keys()) {
		await run.yieldToLoop();
		const part = await read(itemIndex).catch((error) => void errors.set(itemIndex, error));
		const card = part ? part.write.card : await findCard(itemIndex).catch(() => undefined);
		if (!card) {
			homeless ??= itemIndex;
			continue;
		}
		const own: CardItems = cards.get(card.id) ?? { card, indexes: [], given: [] };
		cards.set(card.id, own);
		own.indexes.push(itemIndex);
		if (!part) {
			own.invalid ??= itemIndex;
			continue;
		}
		const { write, settings } = part;
		own.settings ??= settings;
		if (JSON.stringify(settings) !== JSON.stringify(own.settings)) own.different ??= itemIndex;
		own.given.push(write);
	}
	for (const own of cards.values()) own.invalid ??= homeless;
	return { cards: [...cards.values()], errors };
}

/** The matching fields of a card, and its records by their values. */
export interface LiveCard {
	fields: MatchingFields;
	matches: MatchIndex;
}

/** An item to be written. */
export interface SyncWrite extends SyncItem {
	write: ItemWrite;
	/** True if no record has its key. */
	isNew: boolean;
}

/** Converts the values of an item. @throws InputError for values that can't be sent, and that its record doesn't have */
async function converted(write: ItemWrite, { fields, matches }: LiveCard): Promise<SyncWrite> {
	const { run, itemIndex } = write;
	const live = await convertValues(write, fields.index);
	const { data: values } = live;
	const key = itemKey(fields, values);
	const [record] = matches.known(values);
	const keys = fields.ids.map((id) => [id, ownValue(values, id)]);
	// The key stays, although a computed value isn't sent.
	const data = { ...settled(live, record, fields.index, run.zone), ...Object.fromEntries(keys) };
	return { itemIndex, key, data, write, isNew: !record };
}

/**
 * Converts the values of all items, and drops the entered ones unless they are needed again: there may be 100,000.
 *
 * @param keepsEntries true if the fields of the card will change
 * @param errors receives why single items are invalid
 * @throws InputError with all invalid items
 */
export async function convertItems(
	{ given }: CardItems,
	live: LiveCard,
	keepsEntries: boolean,
	errors: Map<number, unknown>,
): Promise<SyncWrite[]> {
	const items: SyncWrite[] = [];
	const refused = new Map<number, RefusedItem>();
	let options: ItemWrite['options'] | undefined;
	for (const write of given.splice(0)) {
		const { run, itemIndex, columns, writer } = write;
		await run.yieldToLoop();
		try {
			// The options for the output are read here, because nothing may fail once records are written.
			if (write.options !== options)
				resultsOf(run, writer.cardRun, live.fields.index, write.options);
			options = write.options;
			const item = await converted(write, live);
			items.push(
				keepsEntries
					? item
					: { ...item, write: { ...write, columns: { ...columns, entries: [] } } },
			);
		} catch (error) {
			refused.set(itemIndex, { which: nameOf(write), error: inputErrorOf(error) });
		}
	}
	if (refused.size === 0) return items;
	// The record of a refused item may have been skipped, and may have the value.
	live.matches.requireComplete();
	const refusal = refusalOf([...refused.values()], 'Nothing was sent for its card.');
	for (const itemIndex of refused.keys()) errors.set(itemIndex, refusal);
	throw refusal;
}

/** Names an item for the user by its values for the fields to match on, or by its index if it has none. */
function nameOf({ itemIndex, columns: { entries, matchingKeys } }: ItemWrite): string {
	const values = matchingKeys
		.flatMap((key) => entries.filter(([name, value]) => name === key && !isEmpty(value)))
		.map(([key, value]) => `${key} ${quote(plainText(value))}`);
	return values.length === 0 ? `Item ${itemIndex}` : `The item with ${values.join(', ')}`;
}
