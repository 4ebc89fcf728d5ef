/** Writes an item with the current fields of its card, and once more if they have changed since. */
import type { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import type { Locator } from '../../model/locator';
import { ApiFailure } from '../../transport/failure/failureKinds';
import type { Run } from '../run/run';
import type { CardWriter } from '../run/cardWriter';
import { readChoice } from '../readParameters';
import type { ItemValues } from './difference';
import { readFieldTypes } from './fieldTypes';
import { readFormats, toRecordData, type ItemWrite } from './valueConversion';
import { readDryRun } from './dryRun';
import { requestOptions } from '../requestOptions';
import { readColumns } from './mapper';
import { clearsFields, withCleared } from './clearedFields';
import { fieldOfKey } from './matching';
import { unchangedOption } from '../../ui/writeOptions';

/** The common parameters of Create, Update and Create or Update. */
interface WriteParameters {
	cardId: Locator;
	columns: unknown;
	/** True in a dry run; read from the options if missing. */
	isDry?: boolean;
	options: ItemWrite['options'] &
		Parameters<typeof requestOptions>[0] & { dryRun?: unknown; unchanged?: unknown };
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
	const request = requestOptions(options);
	// Refused before anything is sent, because the formats also decide about new fields.
	readFormats(options);
	readFieldTypes(options.fieldTypes);
	const skipsUnchanged = readChoice(unchangedOption, options.unchanged) !== 'send';
	// Before the values, because the mapper offers no fields while the card's name is mistyped.
	const card = await run.cards.find(cardId, request, isExact);
	const item = run.context.getInputData()[itemIndex]?.json ?? {};
	const { fields } = await run.fields.of(card, request);
	const read = readColumns(columns, item, fields, label, clearsFields(options.clearFields));
	const writer = run.openWriter(card, request, isDry);
	return { run, itemIndex, card, columns: read, options, request, writer, skipsUnchanged };
}

/**
 * Requires that the fields haven't changed since the records were read. Otherwise values may have been missed.
 *
 * @throws InputError
 */
export async function requireSameFields(
	run: Run,
	{ card, request }: CardWriter,
	before: FieldIndex,
): Promise<void> {
	const fresh = await run.fields.fresh(card, request);
	const known = (fields: FieldIndex): string =>
		JSON.stringify(fields.fields.map(({ id, name }) => [id, name]));
	if (known(before) === known(fresh)) return;
	throw new InputError(
		`The fields of card '${card.name}' changed while its records were being read`,
		'Nothing was changed, because the conditions might now match other records. Run the node again.',
	);
}

/** Returns true for a refusal that an outdated field listing can explain. */
function blamesFields(error: unknown): boolean {
	return error instanceof ApiFailure && [400, 404, 409, 422].includes(error.problem.status);
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
	return { index, ...withCleared(toRecordData(write, index), write.options.clearFields, index) };
}

/**
 * Does an item's work. If the service refuses it and the fields have been renamed or replaced since, the listing is
 * read once more, and the work starts again with the new IDs. Until that is known, no other item sends anything.
 *
 * @param live the values of the item, and the field listing of this run
 * @param work must be repeatable
 */
export async function withFreshFields<Result>(
	write: ItemWrite,
	live: ConvertedValues,
	work: (live: ConvertedValues) => Promise<Result>,
): Promise<Result> {
	const { run, card } = write;
	return await work(live).catch(async (error: unknown) => {
		if (!blamesFields(error)) throw error;
		const resume = run.session.pause();
		const request = { ...write.request, ahead: true };
		// The service's message about the record matters more than its message about a listing.
		const again = await run.fields
			.fresh(card, request)
			.catch(() => live.index)
			.then(async (fresh) => await convertValues({ ...write, request }, fresh))
			.finally(resume);
		if (Object.keys(again.data).join() === Object.keys(live.data).join()) throw error;
		return await work(again);
	});
}
