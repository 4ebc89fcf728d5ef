/** The items of a Sync by card. There may be 100,000, so only the values to write are kept. */
import type { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import type { JsonObject } from '../../model/response/shapes';
import type { Allowed } from '../growth/cardChanges';
import type { CardReference, Run } from '../run/run';
import { requireData, toRecordData } from '../writing/valueConversion';
import { fieldsFor, type Write } from '../writing/liveFields';
import { itemKey, matchingFieldIds } from '../writing/matching';
import type { Deletions, SyncItem } from './syncCheck';
import { refusalOf, type RefusedItem } from './refusedItems';
import { quote } from '../../model/names';
import { plainText } from '../../model/text';
import { isEmpty } from '../../model/value/emptyValue';

/** The settings of Sync, which must be the same for all items of a card. */
export interface SyncSettings {
	filters: unknown;
	matchType: unknown;
	isDry: boolean;
	deletions: Deletions;
	/** The additions to the card that the options allow. */
	allowed: Allowed;
}

/** The values of an item, or why it has none. */
export type SyncPart =
	| { card: CardReference; write: Write; settings: SyncSettings }
	| { card?: CardReference; error: unknown };

/** An item to be written. */
export interface SyncWrite extends SyncItem {
	/** How it is written; without its entries if its values are known. */
	write: Write;
}

/** The fields of a card, and the IDs of the fields to match on. */
export interface CardFields {
	/** The current field listing. */
	listing: FieldIndex;
	fieldIds: readonly string[];
}

/** The first valid item of a card. */
export interface FirstItem {
	itemIndex: number;
	write: Write;
	settings: SyncSettings;
	/** The settings as a text, to compare them with others. */
	settingsKey: string;
}

export interface CardItems {
	card: CardReference;
	/** The indexes of all items, in order. */
	indexes: number[];
	/** The first valid item: the card has its settings. */
	first?: FirstItem;
	/** The first invalid item, and the first one with different settings. */
	invalid?: number;
	different?: number;
	/** Read with the first item; undefined if fields or choices may be added. */
	fields?: CardFields;
	/** Why the values of an item can't be sent. */
	refused?: { error: unknown };
	/** The items to write. Empty if the card may get fields or choices, because its fields aren't known yet. */
	items: SyncWrite[];
	/** The original items of a card that may get new fields, because all values decide about these. */
	growing: Write[];
}

export interface RunItems {
	cards: readonly CardItems[];
	/** Why single items are invalid. */
	errors: Map<number, unknown>;
	/** The first item whose card is unknown. */
	homeless: number | undefined;
}

/** Returns true if a card may get fields or choices from its items. */
export const mayGrow = ({ allowed }: SyncSettings): boolean => allowed.fields || allowed.choices;

/**
 * Reads all items in order. Nothing is written before all of them are known.
 *
 * @param read returns an item's values; throws if its card is unknown
 */
export async function readItems(
	run: Run,
	read: (itemIndex: number) => Promise<SyncPart>,
): Promise<RunItems> {
	const count = run.context.getInputData().length;
	const cards = new Map<string, CardItems>();
	const errors = new Map<number, unknown>();
	const refused: RefusedItem[] = [];
	let homeless: number | undefined;
	for (let itemIndex = 0; itemIndex < count; itemIndex += 1) {
		await run.yieldToLoop();
		const part = await read(itemIndex).catch((error: unknown): SyncPart => ({ error }));
		if ('error' in part) errors.set(itemIndex, part.error);
		if (!part.card) {
			homeless ??= itemIndex;
			continue;
		}
		const { card } = part;
		const own = cards.get(card.id) ?? { card, indexes: [], items: [], growing: [] };
		cards.set(card.id, own);
		own.indexes.push(itemIndex);
		if ('error' in part) {
			own.invalid ??= itemIndex;
			own.refused ??= { error: part.error };
		} else await add(run, own, itemIndex, part, refused);
	}
	// A run that ends shows only one error, so it includes all of them.
	const all = refused.length > 0 && !run.context.continueOnFail() && refusalOf(refused);
	for (const one of refused) errors.set(one.itemIndex, all || refusalOf([one]));
	return { cards: [...cards.values()], errors, homeless };
}

async function add(
	run: Run,
	own: CardItems,
	itemIndex: number,
	{ write, settings }: { write: Write; settings: SyncSettings },
	refused: RefusedItem[],
): Promise<void> {
	const settingsKey = JSON.stringify(settings);
	const first = (own.first ??= { itemIndex, write, settings, settingsKey });
	if (settingsKey !== first.settingsKey) own.different ??= itemIndex;
	if (own.different !== undefined || own.refused) return;
	if (mayGrow(first.settings)) {
		own.growing.push(write);
		return;
	}
	try {
		own.fields ??= await fieldsOf(run, first.write);
		const item = await toItem(run, itemIndex, write, own.fields);
		own.items.push({ ...item, write: withoutEntries(write, own.items.at(-1)?.write) });
	} catch (error) {
		if (!(error instanceof InputError)) own.refused = { error };
		else {
			own.invalid ??= itemIndex;
			refused.push({ itemIndex, name: enteredName(write), error });
		}
	}
}

async function fieldsOf(run: Run, { card, columns, request }: Write): Promise<CardFields> {
	const listing = await run.fields.of(card, request);
	return { listing, fieldIds: matchingFieldIds(columns, listing) };
}

/** Drops an item's values. @param last another write of the card, which is reused if it is the same */
function withoutEntries(write: Write, last: Write | undefined): Write {
	const { columns, options } = write;
	if (last?.options === options) return last;
	return { ...write, columns: { ...columns, entries: [] } };
}

/** Converts an item's values. @throws InputError if they are invalid */
async function toItem(
	run: Run,
	itemIndex: number,
	write: Write,
	{ listing, fieldIds }: CardFields,
): Promise<SyncWrite> {
	const data = await dataOf(run, write, listing);
	return { itemIndex, key: itemKey(fieldIds, data, listing, run.zone), data, write };
}

/** Converts the items of a card by its predicted fields. @throws InputError that names all invalid items */
export async function growingItems(
	run: Run,
	{ growing, indexes }: CardItems,
	fields: CardFields,
): Promise<SyncWrite[]> {
	const items: SyncWrite[] = [];
	const refused: RefusedItem[] = [];
	for (const [place, write] of growing.entries()) {
		await run.yieldToLoop();
		const itemIndex = indexes[place] ?? place;
		try {
			items.push(await toItem(run, itemIndex, write, fields));
		} catch (error) {
			refused.push({ itemIndex, name: enteredName(write), error });
		}
	}
	if (refused.length > 0) throw refusalOf(refused);
	return items;
}

/** Names an item for the user by its values for the fields to match on. */
const enteredName = ({ columns: { entries, matchingKeys } }: Write): string =>
	matchingKeys
		.flatMap((key) => entries.filter(([name, value]) => name === key && !isEmpty(value)))
		.map(([key, value]) => `${key} ${quote(plainText(value))}`)
		.join(', ');

/** Returns the values of an item, keyed by field ID. */
export async function dataOf(run: Run, write: Write, listing: FieldIndex): Promise<JsonObject> {
	const index = await fieldsFor(run, write, listing, write.request);
	const data = toRecordData({ ...write, isListed: true }, index);
	return requireData(data, write.columns);
}
