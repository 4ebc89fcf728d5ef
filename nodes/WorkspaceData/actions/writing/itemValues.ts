/** What an item writes, as its parameters say: the card, the values, and how they are converted. */
import type { FieldIndex } from '../../records/fieldIndex';
import type { Locator } from '../../records/locator';
import type { EntryRules } from '../../values/kinds/kind';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { readFieldTypes, type FieldTypes } from '../newFields/fieldTypes';
import type { CardReference, Run } from '../run/run';
import type { CardWriter } from '../run/cardWriter';
import { readChoice } from '../readParameters';
import type { ItemValues } from './difference';
import { readAdditions, readRules, toRecordData, type ColumnOptions } from './valueConversion';
import { readDryRun } from './dryRun';
import { requestOptions } from '../requestOptions';
import { readColumns, type Columns } from './mapper';
import { fieldOfKey } from './matching';
import type { ResultOptions } from './writtenItems';
import { plainNames } from '../../values/parameterValue';
import { unchangedOption } from '../../properties/writeOptions';

/** The options of operations that write values. */
export type WriteOptions = ColumnOptions &
	ResultOptions &
	Parameters<typeof requestOptions>[0] & {
		dryRun?: unknown;
		unchanged?: unknown;
		fieldTypes?: unknown;
	};

/** How an item is written, as its options say. */
export interface HowToWrite {
	options: WriteOptions;
	request: ReadOptions;
	rules: EntryRules;
	/** True if fields for unknown columns, and choices for new values, may be added to the card. */
	adds: { fields: boolean; choices: boolean };
	types: FieldTypes;
	/** True if a record isn't written when it has all values already. */
	skipsUnchanged: boolean;
}

/** Reads the options of an item. @throws InputError before anything is sent, because they also decide about new fields */
export function readHow(run: Run, options: WriteOptions): HowToWrite {
	const adds = readAdditions(options);
	return {
		options,
		request: requestOptions(options),
		rules: readRules(run, options),
		adds,
		types: readFieldTypes(options.fieldTypes, adds.fields),
		skipsUnchanged: readChoice(unchangedOption, options.unchanged) !== 'send',
	};
}

/** What one item writes, and where. */
export interface ItemWrite extends HowToWrite {
	run: Run;
	itemIndex: number;
	card: CardReference;
	columns: Columns;
	/** Sends the writes; in a dry run it only predicts them. */
	writer: CardWriter;
}

/** The common parameters of Create, Update and Create or Update. */
interface WriteParameters {
	cardId: Locator;
	columns: unknown;
	/** True in a dry run; read from the options if missing. */
	isDry?: boolean;
	options: WriteOptions;
}

/**
 * Reads the values that an item writes, and their card.
 *
 * @param label the mapper's name in the editor
 * @param isExact true if a card is found by its exact name only
 * @throws InputError before anything except the listings of cards and fields is requested
 */
export async function readValues(
	run: Run,
	itemIndex: number,
	{ cardId, columns, options, isDry = readDryRun(options.dryRun) }: WriteParameters,
	label: string,
	isExact = false,
): Promise<ItemWrite> {
	const how = readHow(run, options);
	const { request } = how;
	// Before the values, because the mapper offers no fields while the card's name is mistyped.
	const card = await run.cards.find(cardId, request, isExact);
	const item = run.context.getInputData()[itemIndex]?.json ?? {};
	const index = await run.fields.of(card, request);
	const clears = plainNames(options.clearFields).length > 0;
	const read = readColumns(columns, item, index, label, clears);
	const writer = run.openWriter(card, request, isDry);
	return { ...how, run, itemIndex, card, columns: read, writer };
}

export interface ConvertedValues extends ItemValues {
	/** The current fields, with the habits of the card's records if these decide how a value is sent. */
	index: FieldIndex;
}

/** Converts an item's values. @param listing the current field listing @throws InputError as `toRecordData` */
export async function convertValues(
	write: ItemWrite,
	listing: FieldIndex,
): Promise<ConvertedValues> {
	const { run, card, columns, request } = write;
	// A card of a dry run that doesn't exist yet has no records.
	const mayMatter = card.id !== '' && listing.fields.some(({ kind }) => kind.dependsOnRecords);
	const matters = ([key, value]: [string, unknown]) =>
		fieldOfKey(listing, key, columns.hints.get(key))?.kind.dependsOnRecords?.(value);
	const isSampled = mayMatter && columns.entries.some(matters);
	const index = isSampled ? await run.fields.sampled(card, listing, request) : listing;
	return { index, ...toRecordData(write, index) };
}
