/** What only a Sync does: it refuses what is doubtful, and deletes records without an item. */
import type { DataRecord } from '../transport/api';
import { InputError } from '../values/inputError';
import { clip, count, listed, sentences } from '../values/messageText';
import type { Wish } from './entry';
import type { Overlay, PlannedItem, Row, Rules, Step } from './overlay';
import type { CardReference, Run } from './run';

/** @throws InputError if there are places where something is wrong */
function requireNowhere(places: readonly string[], message: string, advice: string): void {
	if (places.length === 0) return;
	throw new InputError(message, `Nothing was sent. ${advice}: ${listed(places)}.`);
}

/** @throws InputError if two items have one key, or two records that take part or have an item */
export async function requireDistinctKeys(
	wishes: readonly Wish[],
	overlay: Overlay,
	{ card, key, sync, breathe }: Required<Rules>,
): Promise<void> {
	const items = new Map<string, number>();
	const twice: string[] = [];
	for (const { key: own = '', entry, values } of wishes) {
		await breathe();
		const other = items.get(own);
		if (other === undefined) items.set(own, entry.itemIndex);
		else twice.push(`${clip(key.shown(values))} (items ${other} and ${entry.itemIndex})`);
	}
	requireNowhere(
		twice,
		'Several items have the same values in the fields to match on',
		'Each record may have one item only',
	);
	const groups: string[] = [];
	for (const [own, rows] of overlay.byKey) {
		if (rows.length < 2) continue;
		await breathe();
		const taking = rows.filter(({ record }) => sync.meets(record));
		if (!items.has(own) && taking.length < 2) continue;
		const ids = rows.map(({ record }) => record.id);
		groups.push(`${clip(key.shown(rows[0]?.record.data ?? {}))} (${listed(ids)})`);
	}
	requireNowhere(
		groups,
		`Several records of card '${card}' have the same values in the fields to match on`,
		'Match on more fields, or delete all but one of',
	);
}

/** Checks the items and the records of a Sync. @returns the deletions of records without an item @throws InputError */
export async function planDeletions(
	items: readonly PlannedItem[],
	overlay: Overlay,
	rules: Required<Rules>,
): Promise<Step[]> {
	const { card, sync, key, breathe } = rules;
	const { meets, deletes, maxDeletions } = sync;
	const withItem = await requireInside(items, rules);
	const deletions: Step[] = [];
	const withoutKey: string[] = [];
	let taking = 0;
	for (const row of overlay.rows) {
		await breathe();
		const { record } = row;
		if (row.isNew || !meets(record)) continue;
		taking += 1;
		if (key.of(record.data) === undefined) withoutKey.push(record.id);
		if (withItem.has(row) || !deletes) continue;
		const step = { row, before: record, after: record, sent: {} };
		deletions.push({ action: 'delete', ifGone: 'done', ...step });
	}
	requireNowhere(
		withoutKey,
		`A field to match on is empty in ${count(withoutKey.length, 'record')} of card '${card}'`,
		"Give them a value, or exclude them by 'Filters'",
	);
	requireFewDeletions(deletions.length, taking, maxDeletions, card);
	return deletions;
}

/** Requires that items and their records meet the conditions. @returns the records with an item @throws InputError */
async function requireInside(
	items: readonly PlannedItem[],
	{ card, key, sync: { meets, now }, breathe }: Required<Rules>,
): Promise<Set<Row>> {
	const outside: string[] = [];
	const withItem = new Set<Row>();
	for (const { entry, steps } of items) {
		await breathe();
		for (const { row, before, after } of steps) {
			withItem.add(row);
			const isInside = (record: DataRecord) =>
				meets(row.isNew ? { ...record, createdAt: now } : record);
			if (isInside(before) && isInside(after)) continue;
			outside.push(`item ${entry.itemIndex} (${clip(key.shown(after.data))})`);
		}
	}
	requireNowhere(
		outside,
		`Values or records of ${count(outside.length, 'item')} don't meet the conditions for card '${card}'`,
		"Change 'Filters' or the items",
	);
	return withItem;
}

/** @throws InputError if more records would be deleted than allowed */
function requireFewDeletions(
	deleted: number,
	taking: number,
	maxDeletions: number,
	card: string,
): void {
	const most = maxDeletions === 0 ? Math.max(5, Math.floor(taking / 10)) : maxDeletions;
	if (deleted <= most) return;
	const limit = maxDeletions === 0 ? `${most}, a tenth of them but at least 5` : String(most);
	throw new InputError(
		`${deleted} of ${taking} records of card '${card}' have no item and would be deleted, but 'Max Records to Delete' is ${limit}`,
		sentences(
			"Nothing was sent. Check that the items are complete: a 'Get Many' before may have a 'Limit', select 'Return All' there",
			"If they are, raise 'Max Records to Delete' (-1 for no limit).",
		),
	);
}

/** The cards in which nodes have deleted, by execution: it has one signal for all of its nodes. */
const deletedIn = new WeakMap<AbortSignal, Set<string>>();

/**
 * Requires that a Sync has not deleted in a card in this execution: now it would delete what it wrote before.
 *
 * @throws InputError before anything is sent
 */
export function requireFirstDeletion(run: Run, card: CardReference): void {
	const { signal } = run.api;
	if (!signal || !deletedIn.get(signal)?.has(deletionKey(run, card))) return;
	throw new InputError(
		`This node has already deleted records of card '${card.name}' in this execution, and might now delete what it wrote before`,
		"Nothing was sent. Use a 'Merge' or 'Aggregate' node to collect all items first, so that this node runs once.",
	);
}

/** Notes that a Sync has deleted in a card. */
export function noteDeletion(run: Run, card: CardReference): void {
	const { signal } = run.api;
	if (!signal) return;
	deletedIn.set(signal, (deletedIn.get(signal) ?? new Set()).add(deletionKey(run, card)));
}

const deletionKey = ({ context, api }: Run, { id }: CardReference): string =>
	JSON.stringify([context.getNode().name, api.address, id]);

/** @throws InputError if a Sync with deletions is in a loop, or gets the first item only */
export function requireOneRun({ context }: Pick<Run, 'context'>): void {
	const { name, executeOnce } = context.getNode();
	if (executeOnce === true) {
		throw new InputError(
			"'Execute Once' is on, so Sync would delete the records of all items but the first",
			"Nothing was sent. Turn off 'Execute Once' in the node's settings.",
		);
	}
	const leadsTo = (from: string) => context.getParentNodes(from).map((node) => node.name);
	if (!leadsTo(name).some((parent) => leadsTo(parent).includes(name))) return;
	throw new InputError(
		'This node is in a loop, and each time Sync would delete the records of the other times',
		"Nothing was sent. Use a 'Merge' or 'Aggregate' node to collect all items first, or select 'Keep' in 'If Record Has No Item'.",
	);
}
