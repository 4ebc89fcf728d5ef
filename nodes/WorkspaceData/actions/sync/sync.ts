/** Writes the items of cards that passed Sync's check, then deletes the records without an item. */
import { InputError } from '../../model/inputError';
import type { DataRecord } from '../../model/response/record';
import { count } from '../../model/names';
import { progressOf } from '../run/messages';
import type { Run } from '../run/run';
import { inParallel } from '../schedule/items';
import { hintAtSpelling, keyPart } from '../writing/matching';
import type { CheckedCard } from './syncCards';
import type { SyncWrite } from './syncItems';
import { create, updateFound } from '../writing/write';

interface WrittenItem {
	action: 'created' | 'updated' | 'unchanged';
	before?: DataRecord;
	after: DataRecord;
}

/** Writes an item of a card that passed the check. In a dry run nothing is sent. */
export async function writeItem(
	run: Run,
	checked: CheckedCard,
	item: SyncWrite,
): Promise<WrittenItem> {
	const written = await createOrUpdate(run, checked, item).catch((error: unknown) => {
		checked.ended(false);
		throw error;
	});
	checked.ended(true);
	return written;
}

async function createOrUpdate(
	run: Run,
	checked: CheckedCard,
	item: SyncWrite,
): Promise<WrittenItem> {
	const { card } = checked;
	const { write } = item;
	const { listing, fieldIds, matches } = await checked.live();
	const data = await checked.dataOf(item, listing);
	const part = keyPart(fieldIds, data, listing, run.zone);
	return await run.writes.onKey(write.writer, part, async () => {
		await run.yieldToLoop();
		// Find the record again, because another execution may have created or deleted it since the check.
		const [before, ...others] = await matches.find(data);
		if (others.length > 0) {
			throw new InputError(
				`${others.length + 1} records of card '${card.name}' match this item now`,
				'Another execution has created one. Run all items again.',
			);
		}
		if (!before) {
			const after = await create(write, data);
			hintAtSpelling(run, fieldIds, data, after, listing);
			return { action: 'created', after };
		}
		const { action, record } = await updateFound(write, data, before, listing);
		return { action, before, after: record };
	});
}

/**
 * Waits until all items of a card are written, then deletes the records without an item. If an item has failed, no
 * record is deleted.
 *
 * @returns the deleted records
 * @throws the first refusal; its message says how many were deleted
 */
export async function finishCard(run: Run, checked: CheckedCard): Promise<DataRecord[]> {
	const { card, deletions } = checked;
	if (!(await checked.allWritten)) {
		if (deletions.length > 0) {
			run.messages.hint(
				`No record of card '${card.name}' was deleted, because not all items were written. Run all items again.`,
			);
		}
		return [];
	}
	return await deleteMissing(run, checked);
}

/**
 * Deletes the records without an item.
 *
 * @returns the deleted records; a record that another execution has written since the check stays
 * @throws the first refusal; its message says how many were deleted
 */
async function deleteMissing(
	run: Run,
	{ card, deletions, writer, live, request }: CheckedCard,
): Promise<DataRecord[]> {
	const { listing, fieldIds } = await live();
	const view = run.writes.view(writer);
	const deleted: DataRecord[] = [];
	await inParallel(
		deletions,
		() => run.session.atOnce({ method: 'DELETE', ...request }),
		async (record) => {
			const part = keyPart(fieldIds, record.data, listing, run.zone);
			await run.writes.onKey(writer, part, async () => {
				const isWanted = () => !view.isWritten(record.id) && view.isClear(record.id);
				if (await run.writes.remove(writer, record.id, isWanted)) deleted.push(record);
			});
		},
		(error, _done, errors) => {
			const what = 'records without an item were deleted';
			const progress = progressOf(deleted.length, deletions.length, what, errors);
			run.messages.note(
				error,
				`All items of card '${card.name}' were written. ${progress} Run all items again to delete the others.`,
			);
		},
	);
	if (deleted.length < deletions.length) {
		run.messages.hint(
			`Not deleted: ${count(deletions.length - deleted.length, 'record')} of card '${card.name}' without an item, because another execution was writing to them, or the outcome of their last write is unknown`,
		);
	}
	const gone = new Set(deleted);
	return deletions.filter((record) => gone.has(record));
}
