/** Changes all records that meet the conditions. */
import { InputError } from '../../values/inputError';
import { isObject, type JsonObject } from '../../model/response/jsonObject';
import type { FieldIndex } from '../../records/fieldIndex';
import type { DataRecord } from '../../model/response/record';
import { count } from '../../values/messageText';
import type { RecordTest } from '../../records/filter';
import { namesGone } from '../../transport/failure/failureKinds';
import { inParallel } from '../schedule/items';
import { mapInSlices } from '../schedule/yieldToLoop';
import { progressOf } from '../run/messages';
import type { Run } from '../run/run';
import type { CardWriter } from '../run/cardWriter';
import { scanAll } from '../reading/scan';
import { requireSameFields } from './freshFields';

/** Returns true if the parameter 'Filters' has a condition. */
export function hasConditions(filters: unknown): boolean {
	const conditions = isObject(filters) ? filters.conditions : undefined;
	return Array.isArray(conditions) && conditions.length > 0;
}

/**
 * Requires a condition, because without one all records of the card would be written.
 *
 * @param done what would be done to them
 * @throws InputError before anything is sent
 */
export function requireConditions(filters: unknown, done: ManyChanges['done']): void {
	if (hasConditions(filters)) return;
	throw new InputError(
		"'Filters' has no condition",
		`Add at least one condition: without one, every record of the card would be ${done}.`,
	);
}

/** Which records are changed, and how. */
export interface ManyChanges {
	writer: CardWriter;
	/** The current field listing. */
	index: FieldIndex;
	/** The conditions; undefined if there are none. */
	passes: RecordTest | undefined;
	/** True if records have to meet them as listed too: somebody may have changed one while this process wrote it. */
	mustPassAsListed?: boolean;
	/** The maximum number of records to change, with its label in the editor; undefined for no limit. */
	most: { number: number | undefined; label: string };
	/** Returns true if anything is sent for a record. If missing, every record is sent. */
	needsWrite?: (record: DataRecord) => boolean;
	/**
	 * Changes a record.
	 *
	 * @param now returns the current record; undefined if it should no longer be changed
	 * @returns undefined if it wasn't changed
	 */
	change: (
		record: DataRecord,
		now: () => DataRecord | undefined,
	) => Promise<JsonObject | undefined>;
	/** A verb for the message if the run ends before all are changed. */
	done: 'updated' | 'deleted';
}

/**
 * Finds the records that meet the conditions, as this run knows them.
 *
 * @returns the records, and a function that returns the current state of one of them: undefined if it was written
 * since, and no longer meets the conditions or this is unknown
 * @throws InputError for ambiguous conditions, or if the fields of the card changed while its records were read,
 * because values may have been missed
 */
async function chooseRecords(run: Run, changes: ManyChanges) {
	const { writer, index, passes, mustPassAsListed } = changes;
	const { card, request, log } = writer;
	const chosen = new Map<string, DataRecord>();
	const take = (listed: DataRecord): void => {
		const current = log.current(listed);
		const isListed = !mustPassAsListed || passes?.(listed);
		// The listing may repeat a record: its later values count.
		if (current && isListed && passes?.(current)) chosen.set(listed.id, current);
		else chosen.delete(listed.id);
	};
	const listing = run.records.of(card, Infinity, request, true);
	await scanAll(run, writer, take, listing);
	await requireSameFields(run, writer, index);
	return {
		records: [...chosen.values()],
		now(record: DataRecord): DataRecord | undefined {
			if (!log.isClear(record)) return undefined;
			const current = log.current(record);
			return current && passes?.(current) ? current : undefined;
		},
	};
}

/**
 * Changes all records that meet the conditions. Items run one after the other, and each sees the changes of the
 * previous ones. A record that another execution writes meanwhile is changed only if it still meets the conditions.
 *
 * @returns the results of the changes
 * @throws InputError before anything is sent, if more records would be changed than allowed
 */
export async function changeMany(
	run: Run,
	itemIndex: number,
	changes: ManyChanges,
): Promise<JsonObject[]> {
	const { writer, most, needsWrite = () => true, change, done } = changes;
	return await run.turns.inItemOrder(itemIndex, writer, 'many', async () => {
		const { records, now } = await chooseRecords(run, changes);
		const needed = await mapInSlices(run.yieldToLoop, records, needsWrite);
		const written = needed.filter(Boolean).length;
		if (most.number !== undefined && written > most.number) {
			throw new InputError(
				`${count(written, 'record')} of card '${writer.card.name}' would be ${done}, but '${most.label}' is ${most.number}`,
				`Nothing was changed. Check the conditions, or raise '${most.label}' (-1 for no limit).`,
			);
		}
		return await writeEach(
			run,
			{ ...changes, itemIndex },
			records,
			async (record) => await change(record, () => now(record)).catch(unlessGone),
		);
	});
}

/**
 * Writes records in parallel. A hint says how many were left out. If one fails, the note on its error says how far it came,
 * and the results so far are part of the item's output.
 *
 * @param write returns undefined for a record that it leaves out
 * @returns the results of the others, in order
 */
export async function writeEach(
	run: Run,
	{ writer, done, itemIndex }: Pick<ManyChanges, 'writer' | 'done'> & { itemIndex: number },
	records: readonly DataRecord[],
	write: (record: DataRecord) => Promise<JsonObject | undefined>,
): Promise<JsonObject[]> {
	const { card, request } = writer;
	const results = await inParallel(
		records,
		() => run.session.atOnce({ method: 'PATCH', ...request }),
		async (record) => {
			// Records that need no request would keep n8n waiting.
			await run.yieldToLoop();
			return await write(record);
		},
		(ended, errors) => {
			const written = ended.filter((result) => result !== undefined);
			const progress = progressOf(written.length, records.length, 'record', done, errors);
			run.messages.note(errors[0], progress);
			run.partial.set(itemIndex, [...(run.partial.get(itemIndex) ?? []), ...written]);
		},
	);
	const all = results.filter((result) => result !== undefined);
	if (all.length < records.length) {
		run.messages.hint(
			`Not ${done}: ${count(records.length - all.length, 'record')} of card '${card.name}'. Another execution has written them, the outcome of the last write is unknown, or somebody has deleted them meanwhile`,
		);
	}
	return all;
}

/** Ignores that a record was deleted since it was listed. */
function unlessGone(error: unknown): undefined {
	if (!namesGone(error, 'record')) throw error;
}
