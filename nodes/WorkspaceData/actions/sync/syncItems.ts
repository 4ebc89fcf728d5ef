/** The items of a Sync, by card. There may be a hundred thousand, so only the values that are written are kept. */
import type { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import type { JsonObject } from '../../model/answer/shapes';
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
	/** Fields and choices that may be added to the card. */
	allowed: Allowed;
}

/** What an item brings to the check: its values, or why it has none. */
export type SyncPart =
	| { card: CardReference; write: Write; settings: SyncSettings }
	| { card?: CardReference; error: unknown };

/** An item that is written. */
export interface SyncWrite extends SyncItem {
	/** How it is written; without its entries where its values are known. */
	write: Write;
}

/** The fields of a card, and the IDs of those to match on. */
export interface CardFields {
	/** The live field listing. */
	listing: FieldIndex;
	fieldIds: readonly string[];
}

/** The first valid item of a card. */
export interface FirstItem {
	itemIndex: number;
	write: Write;
	settings: SyncSettings;
	/** The settings as a text, to compare others with. */
	settingsKey: string;
}

/** The items of a card. */
export interface CardItems {
	card: CardReference;
	/** All of them, in their order. */
	indexes: number[];
	/** The first valid item: its settings are those of the card. */
	first: FirstItem | undefined;
	/** The first item that is not valid, and the first one with other settings than the first. */
	invalid: number | undefined;
	different: number | undefined;
	/** Read with the first item; not yet where the card may grow. */
	fields: CardFields | undefined;
	/** Why the values of an item cannot be sent. */
	refused: { error: unknown } | undefined;
	/** The items, as they are written. Empty where the card may grow: its fields are not known yet. */
	items: SyncWrite[];
	/** The items of a card that may grow, as they came: all their values decide about the new fields. */
	growing: Write[];
}

/** All items of a run. */
export interface RunItems {
	cards: readonly CardItems[];
	/** Why single items are not valid. */
	errors: Map<number, unknown>;
	/** The first item whose card is not known. */
	homeless: number | undefined;
}

/** How many items are read between two yields to the event loop. */
const SLICE_ITEMS = 100;

/** Whether a card may get fields or choices from its items. */
export const mayGrow = ({ allowed }: SyncSettings): boolean => allowed.fields || allowed.choices;

/**
 * Reads all items, in their order: nothing is written before all of them are known.
 *
 * @param read what an item brings; throws where its card is not known
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
		if (itemIndex % SLICE_ITEMS === 0) await run.yieldToLoop();
		const part = await read(itemIndex).catch((error: unknown): SyncPart => ({ error }));
		if ('error' in part) errors.set(itemIndex, part.error);
		if (!part.card) {
			homeless ??= itemIndex;
			continue;
		}
		const own = cards.get(part.card.id) ?? withoutItems(part.card);
		cards.set(part.card.id, own);
		own.indexes.push(itemIndex);
		if ('error' in part) {
			own.invalid ??= itemIndex;
			own.refused ??= { error: part.error };
		} else await add(run, own, itemIndex, part, refused);
	}
	// A run that ends shows one error: it tells of all of them.
	const all = refused.length > 0 && !run.context.continueOnFail() && refusalOf(refused);
	for (const one of refused) errors.set(one.itemIndex, all || refusalOf([one]));
	return { cards: [...cards.values()], errors, homeless };
}

const withoutItems = (card: CardReference): CardItems => ({
	card,
	indexes: [],
	first: undefined,
	invalid: undefined,
	different: undefined,
	fields: undefined,
	refused: undefined,
	items: [],
	growing: [],
});

/** Adds a valid item. */
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
		own.fields ??= await fieldsOf(run, own.card, first.write);
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

async function fieldsOf(
	run: Run,
	card: CardReference,
	{ columns, request }: Write,
): Promise<CardFields> {
	const listing = await run.fields.of(card, request);
	return { listing, fieldIds: matchingFieldIds(columns, listing) };
}

/** A write without the item's values. @param last the write of another item of the card, which is reused if it is the same */
function withoutEntries(write: Write, last: Write | undefined): Write {
	const { columns, options } = write;
	if (last?.options === options) return last;
	return { ...write, columns: { ...columns, entries: [] } };
}

/** Converts an item's values. @throws InputError if they are not valid */
async function toItem(
	run: Run,
	itemIndex: number,
	write: Write,
	{ listing, fieldIds }: CardFields,
): Promise<SyncWrite> {
	const data = await dataOf(run, write, listing);
	return { itemIndex, key: itemKey(fieldIds, data, listing, run.zone), data, write };
}

/** The items of a card that may grow, by its fields as they will be. @throws InputError that names all that are not valid */
export async function growingItems(
	run: Run,
	{ growing, indexes }: CardItems,
	fields: CardFields,
): Promise<SyncWrite[]> {
	const items: SyncWrite[] = [];
	const refused: RefusedItem[] = [];
	for (const [place, write] of growing.entries()) {
		if (place % SLICE_ITEMS === 0) await run.yieldToLoop();
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

/** An item as a person knows it: by what it gives for the fields to match on. */
const enteredName = ({ columns: { entries, matchingKeys } }: Write): string =>
	matchingKeys
		.flatMap((key) => entries.filter(([name, value]) => name === key && !isEmpty(value)))
		.map(([key, value]) => `${key} ${quote(plainText(value))}`)
		.join(', ');

/** The values of an item, keyed by field ID. */
export async function dataOf(run: Run, write: Write, listing: FieldIndex): Promise<JsonObject> {
	const index = await fieldsFor(run, write, listing, write.request);
	const data = toRecordData(run, write.columns, index, write.options, true);
	return requireData(data, write.columns);
}
