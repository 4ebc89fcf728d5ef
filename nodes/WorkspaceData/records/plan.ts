/** Plans what an operation does to the records of a card. Pure: items in order, over an overlay of the records. */
import { ownValue, type JsonObject } from '../values/jsonObject';
import type { DataRecord } from '../transport/api';
import { InputError } from '../values/inputError';
import { clip, count, listed, sentences } from '../values/messageText';
import { Overlay, recordOf } from './overlay';
import type { FindByKey, FindByTest, Plan, Row, Rules, Step, SyncRules, Wish } from './planned';
import { computed, inputErrorOf, noRecord, RecordMissing, requireNone } from './refusals';

/**
 * Plans the writes of a card.
 *
 * @param records all records of the card; undefined if the operation reads none
 * @param breathe gives way to n8n's loop
 * @throws InputError that refuses all items of the card
 */
export async function planWrites(
	wishes: readonly Wish[],
	records: readonly DataRecord[] | undefined,
	rules: Rules,
	breathe: () => Promise<void>,
): Promise<Plan> {
	const overlay = new Overlay(records !== undefined, rules.keyOf);
	for (const record of records ?? []) {
		await breathe();
		overlay.add({ record, isRead: true });
	}
	const planning: Planning = { wishes, overlay, rules, breathe };
	const plan: Plan = { steps: [], refused: new Map(), missing: new Set(), deletions: [] };
	if (rules.sync) await requireDistinctKeys(planning, rules.sync);
	for (const wish of wishes) {
		await breathe();
		try {
			for (const step of await stepsOf(wish, planning)) plan.steps.push(step);
		} catch (error) {
			const refusal = inputErrorOf(error);
			const isNoError = refusal instanceof RecordMissing && wish.ifNotFound !== 'error';
			if (isNoError) plan.missing.add(wish.itemIndex);
			else plan.refused.set(wish.itemIndex, refusal);
		}
	}
	if (rules.sync && plan.refused.size === 0)
		plan.deletions = await planDeletions(plan.steps, planning, rules.sync);
	return plan;
}

/** At most so many names in a message. */
const MAX_NAMED = 10;

interface Planning {
	wishes: readonly Wish[];
	overlay: Overlay;
	rules: Rules;
	breathe: () => Promise<void>;
}

async function stepsOf(wish: Wish, { overlay, rules, breathe }: Planning): Promise<Step[]> {
	const { find, itemIndex, values, deletes } = wish;
	const found = await overlay.find(find, breathe);
	const isNew = find.by === 'key' && found.length === 0 && find.mode !== 'updateOnly';
	if (isNew || find.by === 'nothing') return [creation(wish, overlay)];
	if (found.length === 0 && find.by !== 'test') throw noRecord(find, rules.card);
	const keeps = find.by === 'key' && find.mode === 'createOnly';
	const ifGone = ifGoneOf(wish);
	const steps: Step[] = [];
	for (const row of find.by === 'key' ? chosenOf(found, find, rules) : found) {
		await breathe();
		const before = row.record;
		const sent = keeps || deletes ? {} : differing(wish, row, rules);
		const isKept = keeps || (row.isRead && Object.keys(sent).length === 0);
		const action = deletes ? 'delete' : isKept ? 'keep' : 'change';
		const data = action === 'change' ? { ...before.data, ...sent } : before.data;
		const after = data === before.data ? before : recordOf(before.id, data, before.createdAt);
		steps.push({
			action,
			itemIndex,
			row,
			before,
			after,
			sent,
			values: keeps ? {} : values,
			ifGone,
		});
	}
	if (find.by === 'test') requireFew(steps, find, rules);
	for (const { row, after, action } of steps)
		Object.assign(row, { record: after, isDeleted: action === 'delete' });
	return steps;
}

function ifGoneOf({ find, deletes, ifNotFound = 'error' }: Wish): Step['ifGone'] {
	if (find.by === 'test') return deletes ? 'done' : 'skip';
	return find.by === 'id' ? ifNotFound : 'error';
}

function creation({ itemIndex, values, refused = [], computedKey }: Wish, overlay: Overlay): Step {
	requireNone([
		...(computedKey === undefined ? [] : [{ error: computed(computedKey) }]),
		...refused,
	]);
	// There is nothing to clear.
	const sent = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
	const after = recordOf('', sent);
	const row = overlay.add({ record: after, isRead: true, isNew: true });
	const ifGone = 'error';
	return { action: 'create', itemIndex, row, before: after, after, sent, values: sent, ifGone };
}

/** The values that a record lacks. @throws RefusedValues for those that its fields refuse */
function differing({ values, refused = [] }: Wish, row: Row, { isSame }: Rules): JsonObject {
	const differs = (id: string, value: unknown): boolean =>
		!row.isRead || !isSame(id, ownValue(row.record.data, id), value);
	requireNone(refused.filter(({ id, value }) => differs(id, value)));
	return Object.fromEntries(Object.entries(values).filter(([id, value]) => differs(id, value)));
}

function chosenOf(rows: Row[], { multipleMatches }: FindByKey, { card }: Rules): Row[] {
	if (rows.length === 1 || multipleMatches === 'all') return rows;
	if (multipleMatches === 'first') return rows.slice(0, 1);
	throw new InputError(
		`${rows.length} records of card '${card}' match this item`,
		"Match on more fields, or select another entry in 'Multiple Matches'.",
	);
}

/** @throws InputError if an item writes more records than it may */
function requireFew(steps: readonly Step[], { most, label }: FindByTest, { card }: Rules): void {
	const written = steps.filter(({ action }) => action !== 'keep');
	if (written.length <= most) return;
	const done = written[0]?.action === 'delete' ? 'deleted' : 'updated';
	throw new InputError(
		`${count(written.length, 'record')} of card '${card}' would be ${done}, but '${label}' is ${most}`,
		`Nothing was changed. Check the conditions, or raise '${label}' (-1 for no limit).`,
	);
}

/** @throws InputError if two items of a Sync have one key, or two records that take part or have an item */
async function requireDistinctKeys(
	{ wishes, overlay, rules: { card, shown = () => '' }, breathe }: Planning,
	{ meets = () => true }: SyncRules,
): Promise<void> {
	const items = new Map<string, number>();
	const twice: string[] = [];
	for (const { find, itemIndex, values } of wishes) {
		await breathe();
		if (find.by !== 'key') continue;
		const other = items.get(find.key);
		if (other === undefined) items.set(find.key, itemIndex);
		else twice.push(`${clip(shown(values))} (items ${other} and ${itemIndex})`);
	}
	if (twice.length > 0) {
		throw new InputError(
			'Several items have the same values in the fields to match on',
			`Nothing was sent. Each record may have one item only: ${listed(twice, MAX_NAMED)}.`,
		);
	}
	const groups: string[] = [];
	for (const [key, rows] of overlay.byKey) {
		if (rows.length < 2) continue;
		await breathe();
		const taking = rows.filter(({ record }) => meets(record));
		if (!items.has(key) && taking.length < 2) continue;
		const ids = rows.map(({ record }) => record.id);
		groups.push(`${clip(shown(rows[0]?.record.data ?? {}))} (${listed(ids, MAX_NAMED)})`);
	}
	if (groups.length === 0) return;
	throw new InputError(
		`Several records of card '${card}' have the same values in the fields to match on`,
		`Nothing was sent. Match on more fields, or delete all but one of: ${listed(groups, MAX_NAMED)}.`,
	);
}

/** Requires that items and their records meet the conditions of a Sync. @returns the records with an item @throws InputError */
async function requireInside(
	steps: readonly Step[],
	{ rules, breathe }: Planning,
	{ meets = () => true, now }: SyncRules,
): Promise<Set<Row>> {
	const outside: string[] = [];
	const withItem = new Set<Row>();
	for (const { row, before, after, itemIndex } of steps) {
		await breathe();
		withItem.add(row);
		const isInside = (record: DataRecord) =>
			meets(row.isNew ? { ...record, createdAt: now } : record);
		if (isInside(before) && isInside(after)) continue;
		outside.push(`item ${itemIndex} (${clip(rules.shown?.(after.data) ?? '')})`);
	}
	if (outside.length === 0) return withItem;
	throw new InputError(
		`Values or records of ${count(outside.length, 'item')} don't meet the conditions for card '${rules.card}'`,
		`Nothing was sent. Change 'Filters' or the items: ${listed(outside, MAX_NAMED)}.`,
	);
}

/** Checks the items and the records of a Sync. @returns the deletions of records without an item @throws InputError */
async function planDeletions(
	steps: readonly Step[],
	planning: Planning,
	sync: SyncRules,
): Promise<Step[]> {
	const { wishes, overlay, rules, breathe } = planning;
	const { meets = () => true } = sync;
	const withItem = await requireInside(steps, planning, sync);
	const itemIndex = wishes[0]?.itemIndex ?? 0;
	const deletions: Step[] = [];
	const withoutKey: string[] = [];
	let taking = 0;
	for (const row of overlay.rows) {
		await breathe();
		const { record } = row;
		if (row.isNew || !meets(record)) continue;
		taking += 1;
		if (rules.keyOf?.(record.data) === undefined) withoutKey.push(record.id);
		if (withItem.has(row) || !sync.deletes) continue;
		const step = { row, before: record, after: record, sent: {}, values: {} };
		deletions.push({ action: 'delete', itemIndex, ifGone: 'done', ...step });
	}
	if (withoutKey.length > 0) {
		throw new InputError(
			`A field to match on is empty in ${count(withoutKey.length, 'record')} of card '${rules.card}'`,
			`Nothing was sent. Give them a value, or exclude them by 'Filters': ${listed(withoutKey, MAX_NAMED)}.`,
		);
	}
	requireFewDeletions(deletions.length, taking, sync, rules);
	return deletions;
}

/** @throws InputError if more records would be deleted than allowed */
function requireFewDeletions(
	deleted: number,
	taking: number,
	{ maxDeletions }: SyncRules,
	{ card }: Rules,
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
