/** Creates, updates and deletes single records. */
import type { FieldIndex } from '../../model/fieldIndex';
import { isEmpty } from '../../model/value/emptyValue';
import { readRecord, UNKNOWN_ID, type DataRecord } from '../../model/answer/record';
import { isObject, type JsonObject } from '../../model/answer/shapes';
import { listed } from '../../model/names';
import { ApiFailure, namesGone } from '../../transport/failure/failures';
import { cardPath, type ReadOptions } from '../../transport/cardAndFieldListings';
import type { ApiAnswer, ApiRequest, PathPart } from '../../transport/request';
import { noIdHint, readCreated, assertDone } from '../../transport/writeAnswer';
import { isRecordNotFound } from '../reading/ifNotFound';
import type { Run } from '../run/run';
import type { WritePlace } from '../run/writes';
import { requireData } from './valueConversion';
import { emptyValuesOption } from '../../ui/writeOptions';
import { differing, EMPTY_IN_OUTPUT, Refused, settled } from './difference';
import { sendPart } from './keptRecord';
import { nextDryRunId } from './dryRun';
import type { Write } from './liveFields';

const recordPath = (cardId: string, recordId: string): PathPart[] => [
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
 * @param id the record that was asked for, whatever ID the answer has; `UNKNOWN_ID` for a new one
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
	return knownRecord(id === UNKNOWN_ID && answer ? answer.id : id, data, createdAt);
}

/** Most fields that a message names. */
const MAX_NAMED = 10;

/**
 * Sends the values of a record. If the service refuses them, the error names the empty texts among them: cells of a table
 * are often empty.
 */
async function sendValues(
	run: Run,
	sent: JsonObject,
	request: Omit<ApiRequest, 'body'>,
): Promise<ApiAnswer> {
	return await run.session.request({ ...request, body: { data: sent } }).catch((error: unknown) => {
		const isRefused = error instanceof ApiFailure && [400, 422].includes(error.problem.status);
		const empty = Object.keys(sent).filter((id) => sent[id] === '');
		if (isRefused && empty.length > 0) {
			const names = empty.map((id) => run.messages.withNames(id));
			run.messages.note(
				error,
				`Empty texts were sent for ${listed(names, MAX_NAMED)}. The option '${emptyValuesOption.displayName}' can leave them out, or clear the fields.`,
			);
		}
		throw error;
	});
}

/**
 * Creates a record; in a dry run only gives it.
 *
 * @param data what to send, keyed by field id
 * @see service interface, part 4, "Records", rule 3
 */
export async function create(run: Run, write: Write, data: JsonObject): Promise<DataRecord> {
	const { card, columns, request, dryRun } = write;
	const index = write.preview ?? (await run.fields.of(card, request));
	const sent = settled(requireData(data, columns), undefined, index, run.zone);
	return await run.writes.create(write, sent, async () => {
		if (dryRun) return knownRecord(nextDryRunId(run), sent);
		const path = [...cardPath(card.id), 'records'];
		const answer = await sendValues(run, sent, {
			method: 'POST',
			path,
			creates: 'record',
			...request,
		});
		const made = readCreated(answer, { thing: 'record', read: readRecord, sent: { data: sent } });
		if (!made) run.messages.hint(noIdHint('record'));
		return writtenRecord(made, UNKNOWN_ID, sent);
	});
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
	write: Write,
	data: JsonObject,
	recordId: string,
	earlier?: DataRecord,
): Promise<DataRecord> {
	const index = write.preview ?? (await run.fields.of(write.card, write.request));
	const sent = settled(requireData(data, write.columns), undefined, index, run.zone);
	const target = { id: recordId, index, ...(earlier && { earlier }) };
	const send = async () => await sendUpdate(run, write, sent, target);
	return await run.writes.change(write, recordId, sent, send, earlier);
}

/** The record that is changed. */
interface Target {
	id: string;
	/** As it was, where it is known. */
	earlier?: DataRecord;
	index: FieldIndex;
}

async function sendUpdate(
	run: Run,
	{ card, request, dryRun }: Write,
	sent: JsonObject,
	{ id, earlier, index }: Target,
): Promise<DataRecord> {
	if (dryRun) return knownRecord(id, { ...earlier?.data, ...sent }, earlier?.createdAt);
	const path = recordPath(card.id, id);
	const send = async () => {
		const { body } = await sendValues(run, sent, { method: 'PATCH', path, ...request });
		assertDone(body, 'record', 'changed');
		return readRecord(body);
	};
	const shown = earlier
		? await sendPart(run, { card, earlier, sent, index, request }, send)
		: await send();
	return writtenRecord(shown, id, sent, earlier);
}

/**
 * What is sent for a listed record: the values that it lacks, or all where this process does not know what it holds.
 *
 * @returns undefined where nothing is sent
 */
function changesOf(
	run: Run,
	{ card, skipsUnchanged }: Write,
	values: JsonObject,
	earlier: DataRecord,
	index: FieldIndex,
): JsonObject | undefined {
	const isKnown = skipsUnchanged && run.writes.states(card).isCertain(earlier.id);
	const sent = isKnown ? differing(earlier, values, index, run.zone) : values;
	return Object.keys(sent).length > 0 ? sent : undefined;
}

/** Whether a listed record needs no write. @throws InputError for a value that cannot be sent, and that it does not hold */
export const isUnchanged = (
	run: Run,
	write: Write,
	data: JsonObject,
	earlier: DataRecord,
	index: FieldIndex,
): boolean =>
	changesOf(run, write, settled(data, earlier, index, run.zone), earlier, index) === undefined;

/** What became of a listed record. */
interface Updated {
	action: 'updated' | 'unchanged';
	record: DataRecord;
}

/**
 * Updates a listed record, unless it has all values already.
 *
 * @param earlier the record as this process knows it
 * @param index the live field listing
 */
export async function updateListed(
	run: Run,
	write: Write,
	data: JsonObject,
	earlier: DataRecord,
	index: FieldIndex,
): Promise<Updated> {
	const { id } = earlier;
	const values = settled(requireData(data, write.columns), earlier, index, run.zone);
	const changes = changesOf(run, write, values, earlier, index);
	if (!changes) return { action: 'unchanged', record: earlier };
	const states = run.writes.states(write.card);
	// With the step that begins this one.
	const steps = states.stepsOf(id) + 1;
	const send = async () => {
		const sent = states.stepsOf(id) === steps ? changes : values;
		return await sendUpdate(run, write, sent, { id, earlier, index });
	};
	const sending = run.writes.change(write, id, values, send, earlier);
	const record = await sending.catch((error: unknown) => {
		if (isNamedGone(error)) run.messages.note(error, GONE_SINCE);
		throw error;
	});
	return { action: 'updated', record };
}

/**
 * As `updateListed`, for a record that others may write meanwhile.
 *
 * @param now the record as this process knows it; undefined where it is not to be updated. Asked again right before the
 * update is sent
 * @returns undefined where it was not to be updated
 */
export async function updateListedIf(
	run: Run,
	write: Write,
	data: JsonObject,
	id: string,
	index: FieldIndex,
	now: () => DataRecord | undefined,
): Promise<Updated | undefined> {
	const known = now();
	if (known && isUnchanged(run, write, data, known, index))
		return { action: 'unchanged', record: known };
	// What was refused is sent only where the record holds it already, or in part.
	const usual = Object.entries(data).filter(
		([, value]) => !(value instanceof Refused) && value !== EMPTY_IN_OUTPUT,
	);
	let earlier: DataRecord | undefined;
	let sent: JsonObject = {};
	const isWanted = () => {
		earlier = now();
		if (!earlier) return false;
		const values = settled(data, earlier, index, run.zone);
		sent = changesOf(run, write, values, earlier, index) ?? values;
		return true;
	};
	const send = async () =>
		await sendUpdate(run, write, sent, { id, index, ...(earlier && { earlier }) });
	const mapped = Object.fromEntries(usual);
	const record = await run.writes.changeIf(write, id, mapped, send, isWanted, () => earlier);
	return record && { action: 'updated', record };
}

const GONE_SINCE =
	'Somebody deleted it after this run had read the card. Run the item again: it then counts as a record that does not exist.';

/** Whether the service says that it is the record that does not exist. */
export const isNamedGone = (error: unknown): boolean => namesGone(error, 'record');

/** How a record that was listed is deleted. */
export interface ListedDeletion {
	/** Whether the record is still to be deleted; asked right before that. */
	isWanted: () => boolean;
}

/**
 * Deletes a record.
 *
 * @param listed for a record that was listed: it may have been written or deleted since
 * @returns whether it is gone; false where it was no longer wanted
 * @throws UnexpectedAnswer when something else answered, such as the page of a proxy
 */
export async function remove(
	run: Run,
	place: WritePlace,
	recordId: string,
	request: ReadOptions,
	listed?: ListedDeletion,
): Promise<boolean> {
	const send = async (): Promise<void> => {
		if (place.dryRun) return;
		const path = recordPath(place.card.id, recordId);
		await run.session.request({ method: 'DELETE', path, deletes: 'record', ...request }).then(
			({ body }) => assertDone(body, 'record', 'deleted'),
			(error: unknown) => {
				if (!listed || !isRecordNotFound(error)) throw error;
			},
		);
	};
	return await run.writes.remove(place, recordId, send, listed?.isWanted);
}
