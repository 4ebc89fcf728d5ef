/** Sync: checks all items, writes them, then deletes the records without an item. */
import { InputError } from '../../model/inputError';
import type { JsonObject } from '../../model/response/shapes';
import { Cancelled } from '../../transport/failure/failureKinds';
import type { CardReference, Run } from '../run/run';
import { inParallel } from '../schedule/items';
import { convertValues } from '../writing/itemValues';
import { writeEach } from '../writing/changeMany';
import { hintAtSpelling } from '../writing/matching';
import { resultsOf } from '../writing/results';
import { create, updateFound } from '../writing/writeRecord';
import { checkCard, grown, type CheckedCard } from './syncCards';
import { noteSync } from './oneRun';
import { readItems, type LiveCard, type SyncPart, type SyncWrite } from './syncItems';

/** The output or the error of each item; none if the run ended before it. */
type Outcomes = Map<number, { json: JsonObject[] } | { error: unknown }>;

/**
 * Syncs all cards with their items.
 *
 * @param read as in `readItems`
 * @param findCard as in `readItems`
 * @returns a function that returns the output of an item, or throws its error. It works once for each item
 */
export async function syncAll(
	run: Run,
	read: (itemIndex: number) => Promise<SyncPart>,
	findCard: (itemIndex: number) => Promise<CardReference>,
): Promise<(itemIndex: number) => JsonObject[]> {
	const { cards, errors } = await readItems(run, read, findCard);
	const outcomes: Outcomes = new Map([...errors].map(([index, error]) => [index, { error }]));
	const checked: CheckedCard[] = [];
	for (const own of cards) {
		try {
			checked.push(await checkCard(own, errors));
		} catch (error) {
			for (const index of own.indexes) outcomes.set(index, { error: errors.get(index) ?? error });
		}
		await run.yieldToLoop();
	}
	if (outcomes.size === 0 || run.context.continueOnFail()) {
		for (const card of checked) await writeCard(run, card, outcomes);
	} else if (errors.size > 0) {
		// The run ends with one error: that of an item tells more than that of its card.
		for (const index of outcomes.keys()) if (!errors.has(index)) outcomes.delete(index);
	}
	return (itemIndex) => {
		const outcome = outcomes.get(itemIndex);
		outcomes.delete(itemIndex);
		if (!outcome) throw new Cancelled();
		if ('error' in outcome) throw outcome.error;
		return outcome.json;
	};
}

/** Writes the items of a card, then deletes its records without an item if all items were written. */
async function writeCard(run: Run, checked: CheckedCard, outcomes: Outcomes): Promise<void> {
	const { indexes, items, deletions, write, settings } = checked;
	const { card, request } = write;
	const { halted } = run.session;
	const fail = (index: number, error: unknown): void => {
		outcomes.set(index, { error });
		if (!run.context.continueOnFail()) run.session.stop();
	};
	if (halted.isOver) return;
	const live = await grown(checked).catch((error: unknown) => {
		for (const index of indexes) fail(index, error);
	});
	if (!live) return;
	let left = items.length;
	const atOnce = () => run.session.atOnce({ method: 'PATCH', ...request });
	await inParallel(items, atOnce, async (item) => {
		if (halted.isOver) return;
		await run.yieldToLoop();
		try {
			outcomes.set(item.itemIndex, { json: await writeItem(run, checked, live, item) });
			left -= 1;
		} catch (error) {
			fail(item.itemIndex, error);
		}
	});
	if (left > 0) {
		if (deletions.length > 0) {
			run.messages.hint(
				`No record of card '${card.name}' was deleted, because not all items were written. Run all items again.`,
			);
		}
		return;
	}
	const last = indexes.at(-1) ?? 0;
	const deleted = await deleteMissing(run, checked, live, last).catch((error: unknown) => {
		const outcome = outcomes.get(last);
		const own = outcome && 'json' in outcome ? outcome.json : [];
		run.partial.set(last, [...own, ...(run.partial.get(last) ?? [])]);
		run.messages.note(
			error,
			`All items of card '${card.name}' were written. Run all items again to delete the other records.`,
		);
		fail(last, error);
	});
	if (!deleted) return;
	noteSync(run, card, settings);
	for (const json of deleted) run.appended.push({ itemIndex: indexes[0] ?? 0, json });
}

/** Writes an item of a card that passed the check. In a dry run nothing is sent. */
async function writeItem(
	run: Run,
	checked: CheckedCard,
	live: LiveCard,
	item: SyncWrite,
): Promise<JsonObject[]> {
	const { write } = item;
	const { card, writer, options } = write;
	const { fields, matches } = live;
	const { index } = fields;
	const { data } = live === checked ? item : await convertValues(write, index);
	const results = resultsOf(run, writer.cardRun, index, options);
	const writeIt = async (): Promise<JsonObject[]> => {
		// Find the record again, because another execution may have created or deleted it since the check.
		const [before, ...others] = await matches.find(data);
		if (others.length > 0) {
			throw new InputError(
				`${others.length + 1} records of card '${card.name}' match this item now`,
				'Another execution has created one. Run all items again.',
			);
		}
		if (!before) {
			const creating = async () => await create(write, { data, index });
			const created = await matches.create(data, creating);
			hintAtSpelling(write, fields, data, created);
			return [results('created', created)];
		}
		const { action, record } = await updateFound(write, { data, index }, before);
		// A dry run returns changes only.
		const json = results(action, record, before);
		return writer.isDry && action === 'unchanged' ? [] : [json];
	};
	return await run.turns.onKey(writer, fields.partOf(data), writeIt);
}

/**
 * Deletes the records without an item.
 *
 * @param itemIndex the item that fails if a deletion does
 * @returns the output of the deleted records; a record that another execution has written since the check stays
 * @throws the first refusal; its message says how many were deleted
 */
async function deleteMissing(
	run: Run,
	{ write, deletions }: CheckedCard,
	{ fields }: LiveCard,
	itemIndex: number,
): Promise<JsonObject[]> {
	const { writer, options } = write;
	const { log } = writer;
	const results = resultsOf(run, writer.cardRun, fields.index, options, 'all');
	const how = { writer, done: 'deleted', itemIndex } as const;
	return await writeEach(run, how, deletions, async (record) => {
		const isWanted = () => !log.isWritten(record) && log.isClear(record);
		const remove = async () => await writer.remove(record.id, isWanted);
		const isGone = await run.turns.onKey(writer, fields.partOf(record.data), remove);
		return isGone ? results('deleted', record) : undefined;
	});
}
