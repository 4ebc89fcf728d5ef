/** Plans what an operation does to the records of a card. Pure: items in order, over an overlay of the records. */
import type { DataRecord } from '../transport/api';
import { InputError } from '../values/inputError';
import { ownValue, type JsonObject } from '../values/json';
import { count } from '../values/messageText';
import type { FindByKey, Wish } from './entry';
import {
	Overlay,
	recordOf,
	type Plan,
	type PlannedItem,
	type Row,
	type Rules,
	type Step,
} from './overlay';
import { computed, inputErrorOf, requireNone } from './refusals';
import { planDeletions, requireDistinctKeys } from './sync';

/**
 * Plans the writes of a card.
 *
 * @param records all records of the card; undefined if the operation reads none
 * @throws InputError that refuses all items of the card
 */
export async function planWrites(
	wishes: readonly Wish[],
	records: readonly DataRecord[] | undefined,
	rules: Rules,
): Promise<Plan> {
	const overlay = new Overlay(records !== undefined, rules.key);
	for (const record of records ?? []) {
		await rules.breathe();
		overlay.add({ record, isRead: true });
	}
	const syncing = rules.sync && { ...rules, sync: rules.sync };
	if (syncing) await requireDistinctKeys(wishes, overlay, syncing);
	const items: PlannedItem[] = [];
	for (const wish of wishes) {
		await rules.breathe();
		items.push(await planItem(wish, overlay, rules));
	}
	const isValid = items.every(({ refusal }) => !refusal);
	const deletions = syncing && isValid ? await planDeletions(items, overlay, syncing) : [];
	return { items, deletions };
}

async function planItem(wish: Wish, overlay: Overlay, rules: Rules): Promise<PlannedItem> {
	try {
		return { entry: wish.entry, steps: await stepsOf(wish, overlay, rules) };
	} catch (error) {
		return { entry: wish.entry, steps: [], refusal: inputErrorOf(error) };
	}
}

async function stepsOf(wish: Wish, overlay: Overlay, rules: Rules): Promise<Step[]> {
	const { find, ifNotFound = 'error' } = wish.entry;
	const found = await overlay.find(wish, rules.breathe);
	const isNew = find.by === 'key' && found.length === 0 && find.mode !== 'updateOnly';
	if (isNew || find.by === 'nothing') return [creation(wish, overlay, rules)];
	if (found.length === 0 && find.by !== 'filter' && ifNotFound === 'error')
		throw noRecord(find, rules.card);
	const steps: Step[] = [];
	for (const row of find.by === 'key' ? chosenOf(found, find, rules) : found) {
		await rules.breathe();
		steps.push(stepOn(row, wish, rules));
	}
	requireFew(steps, wish, rules);
	for (const { row, after, action } of steps)
		Object.assign(row, { record: after, isDeleted: action === 'delete' });
	return steps;
}

function creation({ values, refused }: Wish, overlay: Overlay, { key }: Rules): Step {
	const computedKeys = key.fields.filter(({ isReadOnly }) => isReadOnly);
	requireNone([...computedKeys.map(({ name }) => ({ error: computed(name) })), ...refused]);
	// There is nothing to clear.
	const sent = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
	const after = recordOf('', sent);
	const row = overlay.add({ record: after, isRead: true, isNew: true });
	return { action: 'create', row, before: after, after, sent, ifGone: 'error' };
}

/** What an item does to a record that exists. @throws RefusedValues */
function stepOn(row: Row, wish: Wish, rules: Rules): Step {
	const { find, columns, ifNotFound = 'error' } = wish.entry;
	const keeps = find.by === 'key' && find.mode === 'createOnly';
	const before = row.record;
	const sent = keeps || !columns ? {} : differing(wish, row, rules);
	const isKept = keeps || (row.isRead && Object.keys(sent).length === 0);
	const action = !columns ? 'delete' : isKept ? 'keep' : 'change';
	const after =
		action === 'change'
			? recordOf(before.id, { ...before.data, ...sent }, before.createdAt)
			: before;
	const byFilter = columns ? 'skip' : 'done';
	const ifGone = find.by === 'filter' ? byFilter : find.by === 'id' ? ifNotFound : 'error';
	return { action, row, before, after, sent, ifGone };
}

/** The values that a record lacks. @throws RefusedValues for those that its fields refuse */
function differing({ values, refused }: Wish, row: Row, { key }: Rules): JsonObject {
	const differs = (id: string, value: unknown): boolean =>
		!row.isRead || !key.isSame(id, ownValue(row.record.data, id), value);
	requireNone(refused.filter(({ id, value }) => differs(id, value)));
	return Object.fromEntries(Object.entries(values).filter(([id, value]) => differs(id, value)));
}

function chosenOf(rows: Row[], { multipleMatches }: FindByKey, { card }: Rules): Row[] {
	if (rows.length <= 1 || multipleMatches === 'all') return rows;
	if (multipleMatches === 'first') return rows.slice(0, 1);
	throw new InputError(
		`${rows.length} records of card '${card}' match this item`,
		"Match on more fields, or select another entry in 'Multiple Matches'.",
	);
}

/** @throws InputError if an item writes more records than it may */
function requireFew(steps: readonly Step[], { entry: { find } }: Wish, { card }: Rules): void {
	const written = steps.filter(({ action }) => action !== 'keep');
	if (find.by !== 'filter' || written.length <= find.most) return;
	const done = written[0]?.action === 'delete' ? 'deleted' : 'updated';
	throw new InputError(
		`${count(written.length, 'record')} of card '${card}' would be ${done}, but '${find.label}' is ${find.most}`,
		`Nothing was changed. Check the conditions, or raise '${find.label}' (-1 for no limit).`,
	);
}

export function noRecord(find: { by: string; id?: string }, card: string): InputError {
	const [what, checked] =
		find.by === 'id'
			? [`Card '${card}' has no record '${find.id}'`, "'Record'"]
			: [`No record of card '${card}' matches this item`, 'the values to match on'];
	return new InputError(what, `Check ${checked}, or select another entry in 'If Not Found'.`);
}
