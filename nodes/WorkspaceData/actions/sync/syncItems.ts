/** Reads the items of a Sync by card, and converts their values once the records of the card are known. */
import { ownValue } from '../../model/response/shapes';
import type { Allowed } from '../growth/cardChanges';
import { getOrCreate } from '../run/getOrCreate';
import type { MatchIndex, MatchingFields } from '../reading/matchIndex';
import type { Run } from '../run/run';
import { settled } from '../writing/difference';
import type { Write } from '../writing/valueConversion';
import { liveFields } from '../writing/liveFields';
import { itemKey } from '../writing/matching';
import { resultsOf } from '../writing/results';
import { refusalOf, type RefusedItem } from './refusedItems';
import type { MaxDeletions } from './deletionLimit';
import type { SyncItem } from './syncCheck';

/** The settings of Sync, which must be the same for all items of a card. */
export interface SyncSettings {
	filters: unknown;
	matchType: unknown;
	isDry: boolean;
	maxDeletions: MaxDeletions;
	/** The additions to the card that the options allow. */
	allowed: Allowed;
}

/** What an item gives to its card. */
export interface SyncPart {
	write: Write;
	settings: SyncSettings;
}

/** The items of a card. */
export interface CardItems {
	first: SyncPart;
	given: Write[];
	/** The first item with other settings than the first one. */
	different?: number;
}

/**
 * Reads all items in order. Nothing is written before all of them are known.
 *
 * @param read returns an item's values
 * @returns the items by card, and why single items can't be read
 */
export async function readItems(run: Run, read: (itemIndex: number) => Promise<SyncPart>) {
	const cards = new Map<string, CardItems>();
	const errors = new Map<number, unknown>();
	for (const itemIndex of run.context.getInputData().keys()) {
		await run.yieldToLoop();
		const part = await read(itemIndex).catch((error) => void errors.set(itemIndex, error));
		if (!part) continue;
		const { write, settings } = part;
		const own = getOrCreate(cards, write.card.id, (): CardItems => ({ first: part, given: [] }));
		own.given.push(write);
		const isSame = JSON.stringify(settings) === JSON.stringify(own.first.settings);
		if (!isSame) own.different ??= itemIndex;
	}
	return { cards: [...cards.values()], errors };
}

/** The matching fields of a card, and its records by their values. */
export interface LiveCard {
	fields: MatchingFields;
	matches: MatchIndex;
}

/** An item to be written. */
export interface SyncWrite extends SyncItem {
	write: Write;
	/** True if no record has its key. */
	isNew: boolean;
}

/** Converts the values of an item. @throws InputError for values that can't be sent, and that its record doesn't have */
async function converted(write: Write, { fields, matches }: LiveCard): Promise<SyncWrite> {
	const { run, itemIndex } = write;
	const { data: values } = await liveFields(write, fields.index);
	const key = itemKey(fields, values);
	const [record] = matches.known(values);
	const keys = fields.ids.map((id) => [id, ownValue(values, id)]);
	// The key stays, although a computed value isn't sent.
	const data = { ...settled(values, record, fields.index, run.zone), ...Object.fromEntries(keys) };
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
	const refused: RefusedItem[] = [];
	let options: Write['options'] | undefined;
	for (const write of given.splice(0)) {
		await write.run.yieldToLoop();
		try {
			// The options for the output are read here, because nothing may fail once records are written.
			if (write.options !== options)
				resultsOf(write.run, write.writer, live.fields.index, write.options);
			options = write.options;
			const item = await converted(write, live);
			const columns = { ...write.columns, entries: [] };
			items.push(keepsEntries ? item : { ...item, write: { ...write, columns } });
		} catch (error) {
			refused.push({ write, error });
		}
	}
	if (refused.length === 0) return items;
	// The record of a refused item may have been skipped, and may have the value.
	live.matches.requireComplete();
	const refusal = refusalOf(refused);
	for (const { write } of refused) errors.set(write.itemIndex, refusal);
	throw refusal;
}
