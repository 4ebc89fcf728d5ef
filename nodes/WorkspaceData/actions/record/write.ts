import type { FieldIndex } from '../../model/fieldResolution';
import { readRecord, UNKNOWN_ID, type DataRecord } from '../../model/record';
import { isObject, type JsonObject } from '../../model/shapes';
import type { ApiRequest, PathPart } from '../../transport/api';
import { ApiFailure, assertOwnAnswer } from '../../transport/failures';
import { cardPath, type ReadOptions } from '../../transport/listings';
import type { CardReference, Run } from '../run';
import { requireData, toRecordData, type ColumnOptions, type Columns } from './columns';

export const recordPath = (cardId: string, recordId: string): PathPart[] => [
	...cardPath(cardId),
	'records',
	{ value: recordId, parameter: 'Record' },
];

/** What one item writes. */
export interface Write {
	card: CardReference;
	columns: Columns;
	options: ColumnOptions;
	request: ReadOptions;
}

/** A record as it is after a change, with the listing that names its fields. */
export interface Written {
	record: DataRecord;
	index: FieldIndex;
}

/** A record put together from what was sent, where the answer does not show it. */
function assembled(
	id: string,
	data: JsonObject,
	known?: Pick<DataRecord, 'data' | 'createdAt'>,
): DataRecord {
	const record = { id, data: { ...known?.data, ...data }, createdAt: known?.createdAt ?? null };
	return { ...record, raw: { id, data: record.data, created_at: record.createdAt } };
}

/**
 * The record in the answer to a change. The interface does not show that answer: it may be empty, or
 * tell the id and no more.
 *
 * @throws UnexpectedAnswer when something else answered, such as the page of a proxy
 */
function writtenRecord(
	body: unknown,
	id: string,
	data: JsonObject,
	earlier?: DataRecord,
): DataRecord {
	const record = readRecord(body);
	if (record && isObject(record.raw.data)) return record;
	if (record) {
		return assembled(record.id, data, {
			data: earlier?.data ?? {},
			createdAt: record.createdAt ?? earlier?.createdAt ?? null,
		});
	}
	assertOwnAnswer(body, 'record');
	return assembled(id, data, earlier);
}

/** Refusals that a field listing which has grown old can explain. */
function blamesFields(error: unknown): boolean {
	return error instanceof ApiFailure && [400, 404, 409, 422].includes(error.problem.status);
}

/**
 * Sends record data. When the service refuses it and the fields have been renamed or replaced since
 * the listing was read, the listing is read once more and the data sent again with the new ids.
 */
async function sendData(
	run: Run,
	{ card, columns, options, request }: Write,
	send: (data: JsonObject) => ApiRequest,
): Promise<{ body: unknown; data: JsonObject; index: FieldIndex }> {
	const index = await run.fields(card, request);
	const data = requireData(toRecordData(run, columns, index, options));
	const first = await run.api.request(send(data)).catch(async (error: unknown) => {
		if (!blamesFields(error)) throw error;
		const fresh = await run.freshFields(card, request);
		const again = requireData(toRecordData(run, columns, fresh, options));
		if (fresh === index || Object.keys(again).join() === Object.keys(data).join()) throw error;
		return { ...(await run.api.request(send(again))), data: again, index: fresh };
	});
	return { data, index, ...first };
}

/** Creates a record. @see service interface, part 4, "Records", rule 3 */
export async function create(run: Run, write: Write): Promise<Written> {
	const { body, data, index } = await sendData(run, write, (values) => ({
		method: 'POST',
		path: [...cardPath(write.card.id), 'records'],
		body: { data: values },
		creates: 'record',
		...write.request,
	}));
	return { record: writtenRecord(body, UNKNOWN_ID, data), index };
}

/**
 * Updates a record.
 *
 * @param earlier the record as it was, where it is known: completes answers without a body
 */
export async function update(
	run: Run,
	write: Write,
	recordId: string,
	earlier?: DataRecord,
): Promise<Written> {
	const { body, data, index } = await sendData(run, write, (values) => ({
		method: 'PATCH',
		path: recordPath(write.card.id, recordId),
		body: { data: values },
		...write.request,
	}));
	return { record: writtenRecord(body, recordId, data, earlier), index };
}
