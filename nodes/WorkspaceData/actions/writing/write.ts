import { isEmpty } from '../../model/value/form';
import { readRecord, UNKNOWN_ID, type DataRecord } from '../../model/answer/record';
import { isObject, type JsonObject } from '../../model/answer/shapes';
import { assertDone } from '../../transport/failure/failures';
import { cardPath } from '../../transport/listings';
import type { PathPart } from '../../transport/request';
import { hintNoId, readCreated } from '../output/created';
import type { Run } from '../run/run';
import { requireData } from './columns';
import { DRY_RUN_ID } from './dryRun';
import type { Write } from './liveFields';

export const recordPath = (cardId: string, recordId: string): PathPart[] => [
	...cardPath(cardId),
	'records',
	{ value: recordId, parameter: 'Record' },
];

/**
 * The data of a record: values known before, overruled by the values that an answer shows. Values that
 * are empty and not shown have been cleared.
 */
function completed(known: JsonObject, shown: JsonObject): JsonObject {
	const entries = Object.entries({ ...known, ...shown });
	return Object.fromEntries(
		entries.filter(([id, value]) => !isEmpty(value) || Object.hasOwn(shown, id)),
	);
}

/** The known parts of a record. */
const knownRecord = (
	id: string,
	data: JsonObject,
	createdAt: string | null = null,
): DataRecord => ({
	id,
	data,
	createdAt,
	raw: { id, data, created_at: createdAt },
});

/**
 * The record after a change. The interface does not show the answer: it may be empty, tell the id and
 * no more, or only some of the values.
 *
 * @param answer the record in the answer, if it shows one
 */
function writtenRecord(
	answer: DataRecord | undefined,
	id: string,
	sent: JsonObject,
	earlier?: DataRecord,
): DataRecord {
	const known = { ...earlier?.data, ...sent };
	const data = isObject(answer?.raw.data) ? completed(known, answer.data) : known;
	const createdAt = answer?.createdAt ?? earlier?.createdAt ?? null;
	return knownRecord(answer?.id ?? id, data, createdAt);
}

/**
 * Creates a record; in a dry run only gives it.
 *
 * @param data what to send, keyed by field id
 * @see service interface, part 4, "Records", rule 3
 */
export async function create(
	run: Run,
	{ card, columns, request, dryRun }: Write,
	data: JsonObject,
): Promise<DataRecord> {
	const sent = requireData(data, columns);
	if (dryRun) return knownRecord(DRY_RUN_ID, sent);
	const answer = await run.api.request({
		method: 'POST',
		path: [...cardPath(card.id), 'records'],
		body: { data: sent },
		creates: 'record',
		...request,
	});
	const made = readCreated(answer, { thing: 'record', read: readRecord, sent: { data: sent } });
	if (!made) hintNoId(run, 'record');
	return writtenRecord(made, UNKNOWN_ID, sent);
}

/**
 * Updates a record; in a dry run only gives it.
 *
 * @param data what to send, keyed by field id
 * @param earlier the record as it was, where it is known: completes answers that show little
 * @throws UnexpectedAnswer when something else answered, such as the page of a proxy
 */
export async function update(
	run: Run,
	{ card, columns, request, dryRun }: Write,
	data: JsonObject,
	recordId: string,
	earlier?: DataRecord,
): Promise<DataRecord> {
	const sent = requireData(data, columns);
	if (dryRun) return knownRecord(recordId, { ...earlier?.data, ...sent }, earlier?.createdAt);
	const { body } = await run.api.request({
		method: 'PATCH',
		path: recordPath(card.id, recordId),
		body: { data: sent },
		...request,
	});
	const answer = readRecord(body);
	if (!answer) assertDone(body, 'record', 'changed');
	return writtenRecord(answer, recordId, sent, earlier);
}
