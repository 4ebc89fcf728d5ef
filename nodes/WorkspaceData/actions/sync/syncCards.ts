/** The cards of a Sync. All items and records of a card are checked before the first write to any card. */
import { InputError } from '../../model/inputError';
import type { DataRecord } from '../../model/response/record';
import { changeCard, hintAtAdditions, planChanges, type GrowingCard } from '../growth/cardChanges';
import { readMatches } from '../reading/matchIndex';
import { readFilter } from '../reading/scan';
import type { Run } from '../run/run';
import { requireSameFields } from '../writing/liveFields';
import { matchingFields, otherSpelling } from '../writing/matching';
import type { Write } from '../writing/valueConversion';
import { convertItems, type CardItems, type LiveCard, type SyncWrite } from './syncItems';
import { refusalOf } from './refusedItems';
import { checkAgainstRecords } from './syncCheck';

/** A card that passed the check. */
export interface CheckedCard extends LiveCard {
	/** The indexes of its items, in order. */
	indexes: readonly number[];
	/** How the first item is written: the card, the writer and the requests are the same for all. */
	write: Write;
	items: readonly SyncWrite[];
	/** The records without an item. */
	deletions: readonly DataRecord[];
	/** How fields and choices are added before the first write. */
	growing: GrowingCard | undefined;
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

/** @returns the card and all of its items @throws what prevents the sync of the card */
export async function checkCard(own: CardItems): Promise<CheckedCard> {
	const { write, settings } = requireValid(own);
	const { run, card, columns, request, writer } = write;
	const { allowed, filters, matchType } = settings;
	const growing = allowed.fields || allowed.choices ? { run, card, allowed, request } : undefined;
	const known = await run.fields.of(card, request);
	const plan = growing && (await planChanges(growing, known, own.given));
	if (plan && writer.isDry) hintAtAdditions(run, card, plan);
	const listing = plan?.index ?? known;
	const fields = matchingFields(run, columns, listing);
	const exact = { isExact: true, hints: columns.hints };
	const passes = readFilter(filters, matchType, listing, run, exact);
	const matches = await readMatches(run, writer, fields);
	const records = matches.all();
	await requireSameFields(run, writer, known);
	const live = { fields, matches };
	const { items, refused } = await convertItems(own, live, growing !== undefined);
	// The record of a refused item may have been skipped, and may have the value.
	if (refused.length > 0 || items.some(({ isNew }) => isNew)) matches.requireComplete();
	if (refused.length > 0) throw refusalOf(refused);
	await requireKnownSpelling(run, items, live, card.name);
	const deletions = await checkAgainstRecords({
		keyOf: ({ data }) => (fields.emptyIn(data) === undefined ? fields.keyOf(data) : undefined),
		shown: ({ data }) => fields.shown(data),
		card: card.name,
		items,
		records,
		meets: passes,
		deletions: settings.deletions,
		now: new Date().toISOString(),
		pause: run.yieldToLoop,
	});
	passes?.requireSeen();
	if (deletions.length > 0) matches.requireComplete();
	const { indexes } = own;
	return { ...live, indexes, write, items, deletions, growing: writer.isDry ? undefined : growing };
}

/** @throws InputError for an item that would be created although its record exists in another spelling */
async function requireKnownSpelling(
	run: Run,
	items: readonly SyncWrite[],
	{ fields, matches }: LiveCard,
	card: string,
): Promise<void> {
	const wanted = new Set(items.map(({ key }) => key));
	for (const { data } of items.filter(({ isNew }) => isNew)) {
		await run.yieldToLoop();
		const near = (await matches.near(data)).find((one) => !wanted.has(fields.keyOf(one.data)));
		if (near) throw otherSpelling(fields, data, near, card);
	}
}

/** Adds the fields and choices that the items need to the card. */
export async function grown(checked: CheckedCard): Promise<LiveCard> {
	const { growing, items, write } = checked;
	if (!growing) return checked;
	const { run, card, columns, request, writer } = write;
	await changeCard(
		growing,
		items.map((item) => item.write),
	);
	const fields = matchingFields(run, columns, await run.fields.of(card, request));
	return { fields, matches: await readMatches(run, writer, fields) };
}
