/** Writes single records of a card. One writer sends the requests; the other predicts the result for a dry run. */
import { isEmpty } from '../../model/value/emptyValue';
import { readRecord, UNKNOWN_ID, type DataRecord } from '../../model/response/record';
import { isObject, type JsonObject } from '../../model/response/shapes';
import { listed } from '../../model/names';
import { ApiFailure } from '../../transport/failure/failures';
import { cardPath, type ReadOptions } from '../../transport/cardAndFieldListings';
import type { PathPart } from '../../transport/request';
import { noIdHint } from '../../transport/writeResponse';
import { sendChange, sendCreation, sendDeletion } from '../changeRequests';
import type { Writer } from '../run/writes';
import type { CardReference, Run } from '../run/run';
import { emptyValuesOption } from '../../ui/writeOptions';
import { sendPart } from './keptRecord';

/** Creates the writer of an item. @param isDry true for a dry run */
export const createWriter = (
	run: Run,
	card: CardReference,
	request: ReadOptions,
	isDry: boolean,
): Writer => (isDry ? pretendingWriter(run, card, request) : sendingWriter(run, card, request));

/** The known parts of a record. */
const knownRecord = (
	id: string,
	data: JsonObject,
	createdAt: string | null = null,
): DataRecord => ({ id, data, createdAt, raw: { id, data, created_at: createdAt } });

/** The maximum number of fields in a message. */
const MAX_NAMED = 10;

const recordPath = (card: CardReference, id?: string): PathPart[] => {
	const records = [...cardPath(card.id), 'records'];
	return id === undefined ? records : [...records, { value: id, parameter: 'Record' }];
};

/** Adds a note about empty text values to the refusal of a record, because table cells are often empty. */
async function notingEmpty<Result>(
	{ messages }: Run,
	sent: JsonObject,
	response: Promise<Result>,
): Promise<Result> {
	return await response.catch((error: unknown) => {
		const isRefused = error instanceof ApiFailure && [400, 422].includes(error.problem.status);
		const empty = Object.keys(sent).filter((id) => sent[id] === '');
		if (isRefused && empty.length > 0) {
			const names = empty.map((id) => messages.withNames(id));
			messages.note(
				error,
				`Empty text was sent for ${listed(names, MAX_NAMED)}. The option '${emptyValuesOption.displayName}' can leave them out, or clear the fields.`,
			);
		}
		throw error;
	});
}

/** @see service interface, part 4, "Records", rule 3 */
function sendingWriter(run: Run, card: CardReference, request: ReadOptions): Writer {
	const { session } = run;
	return {
		card,
		request,
		isDry: false,
		async create(sent) {
			const creation = { ...request, path: recordPath(card), body: { data: sent } };
			const response = sendCreation(session, 'record', readRecord, creation);
			const made = await notingEmpty(run, sent, response);
			if (!made) run.messages.hint(noIdHint('record'));
			return writtenRecord(made, UNKNOWN_ID, sent);
		},
		async update(id, change) {
			const { earlier, sent } = change;
			const patch = { ...request, path: recordPath(card, id), body: { data: sent } };
			const update = async () =>
				readRecord(await notingEmpty(run, sent, sendChange(session, 'record', patch)));
			const shown = await sendPart(run, { card, request }, change, update);
			return writtenRecord(shown, id, sent, earlier);
		},
		async delete(id) {
			await sendDeletion(session, 'record', { ...request, path: recordPath(card, id) });
		},
	};
}

/** The prefix of the IDs of records that a dry run would create. No service uses IDs with a space. */
const DRY_RUN_ID = 'dry run ';

/** Returns the ID of a record in a dry run's output; null if it doesn't exist yet. */
export const idInDryRun = (id: string): string | null => (id.startsWith(DRY_RUN_ID) ? null : id);

function pretendingWriter(run: Run, card: CardReference, request: ReadOptions): Writer {
	const ids = run.once('dry run', () => ({ last: 0 }));
	return {
		card,
		request,
		isDry: true,
		async create(sent) {
			ids.last += 1;
			return knownRecord(`${DRY_RUN_ID}${ids.last}`, sent);
		},
		async update(id, { earlier, sent }) {
			return knownRecord(id, { ...earlier?.data, ...sent }, earlier?.createdAt);
		},
		async delete() {},
	};
}

/**
 * Returns the record after a change. The interface doesn't specify the response: it may be empty, or contain only
 * the ID or some of the values. These take precedence; empty values that it doesn't show have been cleared.
 *
 * @param response the record in the response, if it shows one
 * @param id the requested record, whatever ID the response has; `UNKNOWN_ID` for a new one
 */
function writtenRecord(
	response: DataRecord | undefined,
	id: string,
	sent: JsonObject,
	earlier?: DataRecord,
): DataRecord {
	const known = { ...earlier?.data, ...sent };
	const shown = isObject(response?.raw.data) ? response.data : undefined;
	const wasCleared = (field: string, value: unknown): boolean =>
		shown !== undefined && isEmpty(value) && !Object.hasOwn(shown, field);
	const data = Object.entries({ ...known, ...shown }).filter((entry) => !wasCleared(...entry));
	const createdAt = response?.createdAt ?? earlier?.createdAt ?? null;
	const ownId = id === UNKNOWN_ID && response ? response.id : id;
	const record = knownRecord(ownId, Object.fromEntries(data), createdAt);
	return earlier || id === UNKNOWN_ID ? record : { ...record, isPartial: true };
}
