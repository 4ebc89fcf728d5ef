import { isEmpty } from '../../model/comparison';
import { readRecord, UNKNOWN_ID, type DataRecord } from '../../model/record';
import { isObject, type JsonObject } from '../../model/shapes';
import { assertOwnAnswer } from '../../transport/failures';
import { cardPath } from '../../transport/listings';
import type { PathPart } from '../../transport/request';
import type { Run } from '../run';
import { requireData } from './columns';
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

/**
 * The record after a change. The interface does not show the answer: it may be empty, tell the id and
 * no more, or only some of the values.
 *
 * @throws UnexpectedAnswer when something else answered, such as the page of a proxy
 */
function writtenRecord(
	body: unknown,
	id: string,
	sent: JsonObject,
	earlier?: DataRecord,
): DataRecord {
	const answer = readRecord(body);
	if (!answer) assertOwnAnswer(body, 'record');
	const known = { ...earlier?.data, ...sent };
	const data = isObject(answer?.raw.data) ? completed(known, answer.data) : known;
	const record = {
		id: answer?.id ?? id,
		data,
		createdAt: answer?.createdAt ?? earlier?.createdAt ?? null,
	};
	return { ...record, raw: { id: record.id, data, created_at: record.createdAt } };
}

/**
 * Creates a record.
 *
 * @param data what to send, keyed by field id
 * @see service interface, part 4, "Records", rule 3
 */
export async function create(
	run: Run,
	{ card, columns, request }: Write,
	data: JsonObject,
): Promise<DataRecord> {
	const { body } = await run.api.request({
		method: 'POST',
		path: [...cardPath(card.id), 'records'],
		body: { data: requireData(data, columns) },
		creates: 'record',
		...request,
	});
	return writtenRecord(body, UNKNOWN_ID, data);
}

/**
 * Updates a record.
 *
 * @param data what to send, keyed by field id
 * @param earlier the record as it was, where it is known: completes answers that show little
 */
export async function update(
	run: Run,
	{ card, columns, request }: Write,
	data: JsonObject,
	recordId: string,
	earlier?: DataRecord,
): Promise<DataRecord> {
	const { body } = await run.api.request({
		method: 'PATCH',
		path: recordPath(card.id, recordId),
		body: { data: requireData(data, columns) },
		...request,
	});
	return writtenRecord(body, recordId, data, earlier);
}
