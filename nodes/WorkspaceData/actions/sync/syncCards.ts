/** The cards of a Sync. All items and records of a card are checked before the first write to any card. */
import { InputError } from '../../model/inputError';
import type { DataRecord } from '../../model/response/record';
import { changeCard, hintAtAdditions, planChanges } from '../newFields/ensureFields';
import { readMatches } from '../reading/matchIndex';
import { readFilter } from '../reading/scan';
import { requireSameFields, type ItemWrite } from '../writing/itemValues';
import { matchingFields, otherSpelling } from '../writing/matching';
import { requireFirstSync } from './oneRun';
import {
	convertItems,
	type CardItems,
	type LiveCard,
	type SyncSettings,
	type SyncWrite,
} from './syncItems';
import { checkAgainstRecords } from './syncCheck';

/** A card that passed the check. */
export interface CheckedCard extends LiveCard {
	/** The indexes of its items, in order. */
	indexes: readonly number[];
	/** How the first item is written: the card, the writer and the requests are the same for all. */
	write: ItemWrite;
	items: readonly SyncWrite[];
	/** The records without an item. */
	deletions: readonly DataRecord[];
	/** True if fields and choices may be added before the first write. */
	grows: boolean;
	settings: SyncSettings;
}

/** @returns the first item and its settings @throws what prevents the sync of the card, as far as its items show it */
function requireValid({ card, given: [write], settings, invalid, different }: CardItems) {
	// Without a first item, all are invalid.
	if (invalid !== undefined || !write || !settings) {
		throw new InputError(
			`Nothing was sent for card '${card.name}', because item ${invalid} isn't valid`,
			'Correct that item, then run all items again.',
		);
	}
	if (different === undefined) return { write, settings };
	throw new InputError(
		`The conditions or settings of items ${write.itemIndex} and ${different} differ, but both are for card '${card.name}'`,
		"Nothing was sent. 'Filters', 'Must Match', 'If Record Has No Item', 'Max Records to Delete' and 'Dry Run' must be the same for all items of a card.",
	);
}

/**
 * Checks all items of a card.
 *
 * @param errors receives why single items are invalid
 * @throws what prevents the sync of the card
 */
export async function checkCard(
	own: CardItems,
	errors: Map<number, unknown>,
): Promise<CheckedCard> {
	const { write, settings } = requireValid(own);
	const { run, card, columns, request, writer } = write;
	const { adds, filters, matchType, maxDeletions, deletes } = settings;
	requireFirstSync(run, card, settings);
	const grows = adds.fields || adds.choices;
	const known = await run.fields.of(card, request);
	const plan = grows ? await planChanges(write, known, own.given) : undefined;
	if (plan && writer.isDry) hintAtAdditions(write, plan);
	const listing = plan?.index ?? known;
	const fields = matchingFields(run, columns, listing);
	const exact = { isExact: true, hints: columns.hints };
	const meets = readFilter(filters, matchType, listing, run, exact);
	const matches = await readMatches(run, writer, fields);
	const records = matches.all();
	await requireSameFields(run, writer, known);
	const live = { fields, matches };
	const items = await convertItems(own, live, grows, errors);
	if (items.some(({ isNew }) => isNew)) matches.requireComplete();
	await requireKnownSpelling(write, items, live);
	const deletions = await checkAgainstRecords({
		card: card.name,
		items,
		records,
		fields,
		meets,
		maxDeletions,
		deletes,
		now: new Date().toISOString(),
		pause: run.yieldToLoop,
	});
	meets?.requireSeen();
	if (deletions.length > 0) matches.requireComplete();
	const { indexes } = own;
	return { ...live, indexes, write, items, deletions, settings, grows: grows && !writer.isDry };
}

/** @throws InputError for an item that would be created although its record exists in another spelling */
async function requireKnownSpelling(
	{ run, card }: ItemWrite,
	items: readonly SyncWrite[],
	{ fields, matches }: LiveCard,
): Promise<void> {
	const wanted = new Set(items.map(({ key }) => key));
	for (const { data } of items.filter(({ isNew }) => isNew)) {
		await run.yieldToLoop();
		const near = (await matches.near(data)).find((one) => !wanted.has(fields.keyOf(one.data)));
		if (near) throw otherSpelling(fields, data, near, card.name);
	}
}

/** Adds the fields and choices that the items need to the card. */
export async function grown(checked: CheckedCard): Promise<LiveCard> {
	if (!checked.grows) return checked;
	const { items, write } = checked;
	const { run, card, columns, request, writer } = write;
	const writes = items.map((item) => item.write);
	await changeCard(write, writes);
	const fields = matchingFields(run, columns, await run.fields.of(card, request));
	return { fields, matches: await readMatches(run, writer, fields) };
}
