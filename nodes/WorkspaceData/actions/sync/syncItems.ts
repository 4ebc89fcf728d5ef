/** Reads the items of a Sync by card, and converts their values once the records of the card are known. */
import { ownValue } from '../../model/response/shapes';
import { quote } from '../../model/names';
import { plainText } from '../../model/text';
import { isEmpty } from '../../model/value/emptyValue';
import type { Allowed } from '../growth/cardChanges';
import { getOrCreate } from '../run/getOrCreate';
import type { MatchIndex, MatchingFields } from '../reading/matchIndex';
import type { CardReference, Run } from '../run/run';
import { settled } from '../writing/difference';
import type { Write } from '../writing/valueConversion';
import { liveFields } from '../writing/liveFields';
import { itemKey } from '../writing/matching';
import { resultsOf } from '../writing/results';
import { type RefusedItem } from './refusedItems';
import type { Deletions, SyncItem } from './syncCheck';

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

/** The items of a card. */
export interface CardItems {
	card: CardReference;
	/** The indexes of all items, in order. */
	indexes: number[];
	/** The valid items, and the settings of the first of them. */
	given: Write[];
	settings?: SyncSettings;
	/** The first invalid item, and the first one with different settings. */
	invalid?: number;
	different?: number;
}

interface RunItems {
	cards: readonly CardItems[];
	/** Why single items are invalid. */
	errors: Map<number, unknown>;
	/** The first item whose card is unknown. */
	homeless: number | undefined;
}

/**
 * Reads all items in order. Nothing is written before all of them are known.
 *
 * @param read returns an item's values; throws if its card is unknown
 */
export async function readItems(
	run: Run,
	read: (itemIndex: number) => Promise<SyncPart>,
): Promise<RunItems> {
	const cards = new Map<string, CardItems>();
	const errors = new Map<number, unknown>();
	let homeless: number | undefined;
	for (const itemIndex of run.context.getInputData().keys()) {
		await run.yieldToLoop();
		const part = await read(itemIndex).catch((error: unknown): SyncPart => ({ error }));
		if ('error' in part) errors.set(itemIndex, part.error);
		const { card } = part;
		if (!card) {
			homeless ??= itemIndex;
			continue;
		}
		const own = getOrCreate(cards, card.id, (): CardItems => ({ card, indexes: [], given: [] }));
		own.indexes.push(itemIndex);
		if ('error' in part) {
			own.invalid ??= itemIndex;
			continue;
		}
		const { write, settings } = part;
		own.settings ??= settings;
		if (JSON.stringify(settings) !== JSON.stringify(own.settings)) own.different ??= itemIndex;
		own.given.push(write);
	}
	return { cards: [...cards.values()], errors, homeless };
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
 */
export async function convertItems(
	{ given }: CardItems,
	live: LiveCard,
	keepsEntries: boolean,
): Promise<{ items: SyncWrite[]; refused: RefusedItem[] }> {
	const items: SyncWrite[] = [];
	const refused: RefusedItem[] = [];
	let options: Write['options'] | undefined;
	for (const write of given.splice(0)) {
		const { run, itemIndex } = write;
		await run.yieldToLoop();
		try {
			// The options for the output are read here, because nothing may fail once records are written.
			if (write.options !== options) resultsOf(run, write.writer, live.fields.index, write.options);
			options = write.options;
			const item = await converted(write, live);
			const columns = { ...write.columns, entries: [] };
			items.push(keepsEntries ? item : { ...item, write: { ...write, columns } });
		} catch (error) {
			refused.push({ itemIndex, name: enteredName(write), error });
		}
	}
	return { items, refused };
}

/** Names an item for the user by its values for the fields to match on. */
const enteredName = ({ columns: { entries, matchingKeys } }: Write): string =>
	matchingKeys
		.flatMap((key) => entries.filter(([name, value]) => name === key && !isEmpty(value)))
		.map(([key, value]) => `${key} ${quote(plainText(value))}`)
		.join(', ');
