/** Sync: checks all items, writes them, then deletes the records without an item. */
import { InputError } from '../../model/inputError';
import type { DataRecord } from '../../model/response/record';
import type { JsonObject } from '../../model/response/shapes';
import { Cancelled } from '../../transport/failure/failures';
import type { CardReference, Run } from '../run/run';
import { inParallel } from '../schedule/items';
import { liveFields } from '../writing/liveFields';
import { writeEach } from '../writing/changeMany';
import { hintAtSpelling } from '../writing/matching';
import { resultsOf } from '../writing/results';
import { create, updateFound } from '../writing/write';
import { checkCard, grown, type CheckedCard } from './syncCards';
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
	const { indexes, items, deletions, write } = checked;
	const { card, request, writer, options } = write;
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
	const deleted = await deleteMissing(run, checked, live).catch((error: unknown) => {
		run.messages.note(
			error,
			`All items of card '${card.name}' were written. Run all items again to delete the other records.`,
		);
		fail(indexes.at(-1) ?? 0, error);
	});
	if (!deleted) return;
	const results = resultsOf(run, writer, live.fields.index, options);
	const marks = writer.isDry ? {} : { action: 'deleted' };
	for (const record of deleted) {
		const json = { ...results('deleted', record), ...marks };
		run.appended.push({ itemIndex: indexes[0] ?? 0, json });
	}
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
	const { data } = live === checked ? item : await liveFields(write, index);
	const results = resultsOf(run, writer, index, options);
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
			const created = await create(write, { data, index });
			hintAtSpelling(run, fields, data, created);
			return [results('created', created)];
		}
		const updated = await updateFound(write, { data, index }, before);
		if (!updated) return await writeIt();
		const { action, record } = updated;
		// A dry run returns changes only.
		const json = results(action, record, before);
		return writer.isDry && action === 'unchanged' ? [] : [json];
	};
	return await run.writes.onKey(writer, fields.partOf(data), writeIt);
}

/**
 * Deletes the records without an item.
 *
 * @returns the deleted records; a record that another execution has written since the check stays
 * @throws the first refusal; its message says how many were deleted
 */
async function deleteMissing(
	run: Run,
	{ write, deletions }: CheckedCard,
	{ fields }: LiveCard,
): Promise<DataRecord[]> {
	const { writer } = write;
	const view = run.writes.view(writer);
	return await writeEach(run, { writer, done: 'deleted' }, deletions, async (record) => {
		const isWanted = () => !view.isWritten(record.id) && view.isClear(record.id);
		const remove = async () => await run.writes.remove(writer, record.id, isWanted);
		const isGone = await run.writes.onKey(writer, fields.partOf(record.data), remove);
		return isGone ? record : undefined;
	});
}
