/** Writes single records of a card. One writer sends the requests; the other predicts the result for a dry run. */
import type { FieldIndex } from '../../model/fieldIndex';
import { isEmpty } from '../../model/value/emptyValue';
import { readRecord, UNKNOWN_ID, type DataRecord } from '../../model/response/record';
import { isObject, type JsonObject } from '../../model/response/shapes';
import { listed } from '../../model/names';
import { ApiFailure } from '../../transport/failure/failures';
import { cardPath, type ReadOptions } from '../../transport/cardAndFieldListings';
import type { ApiResponse, ApiRequest, PathPart } from '../../transport/request';
import { noIdHint, readCreated, assertDone } from '../../transport/writeResponse';
import type { WritePlace } from '../run/writes';
import type { CardReference, Run } from '../run/run';
import { emptyValuesOption } from '../../ui/writeOptions';
import { sendPart } from './keptRecord';

/** The record to change. */
export interface Target {
	id: string;
	/** The previous record, if it is known; completes responses that show only a part. */
	earlier: DataRecord | undefined;
	/** The current field listing. */
	index: FieldIndex;
}

/** Writes records of a card. Values are keyed by field ID. */
export interface Writer extends WritePlace {
	create(sent: JsonObject): Promise<DataRecord>;
	/** @throws UnexpectedResponse if something else responded, such as a proxy's page */
	update(target: Target, sent: JsonObject): Promise<DataRecord>;
	/** @throws UnexpectedResponse as `update` */
	delete(id: string): Promise<void>;
}

/** Creates the writer of an item. @param isDry true for a dry run */
export const createWriter = (
	run: Run,
	card: CardReference,
	request: ReadOptions,
	isDry: boolean,
): Writer => (isDry ? new PretendingWriter(run, card) : new SendingWriter(run, card, request));

/** The known parts of a record. */
const knownRecord = (
	id: string,
	data: JsonObject,
	createdAt: string | null = null,
): DataRecord => ({ id, data, createdAt, raw: { id, data, created_at: createdAt } });

/** The maximum number of fields in a message. */
const MAX_NAMED = 10;

class SendingWriter implements Writer {
	readonly isDry = false;
	readonly card: CardReference;
	private readonly run: Run;
	private readonly request: ReadOptions;

	constructor(run: Run, card: CardReference, request: ReadOptions) {
		this.run = run;
		this.card = card;
		this.request = request;
	}

	/** @see service interface, part 4, "Records", rule 3 */
	async create(sent: JsonObject): Promise<DataRecord> {
		const path = this.path();
		const response = await this.send(sent, { method: 'POST', path, creates: 'record' });
		const made = readCreated(response, { thing: 'record', read: readRecord, sent: { data: sent } });
		if (!made) this.run.messages.hint(noIdHint('record'));
		return writtenRecord(made, UNKNOWN_ID, sent);
	}

	async update({ id, earlier, index }: Target, sent: JsonObject): Promise<DataRecord> {
		const { run, request } = this;
		const send = async (): Promise<DataRecord | undefined> => {
			const { body } = await this.send(sent, { method: 'PATCH', path: this.path(id) });
			assertDone(body, 'record', 'changed');
			return readRecord(body);
		};
		const shown = earlier
			? await sendPart(run, { writer: this, earlier, sent, index, request }, send)
			: await send();
		return writtenRecord(shown, id, sent, earlier);
	}

	async delete(id: string): Promise<void> {
		const { body } = await this.run.session.request({
			method: 'DELETE',
			path: this.path(id),
			deletes: 'record',
			...this.request,
		});
		assertDone(body, 'record', 'deleted');
	}

	private path(id?: string): PathPart[] {
		const records = [...cardPath(this.card.id), 'records'];
		return id === undefined ? records : [...records, { value: id, parameter: 'Record' }];
	}

	/**
	 * Sends the values of a record. If the service refuses them, the error names the empty text values among them,
	 * because table cells are often empty.
	 */
	private async send(sent: JsonObject, request: Omit<ApiRequest, 'body'>): Promise<ApiResponse> {
		const { session, messages } = this.run;
		const sending = session.request({ ...request, ...this.request, body: { data: sent } });
		return await sending.catch((error: unknown) => {
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
}

/** The prefix of the IDs of records that a dry run would create. No service uses IDs with a space. */
const DRY_RUN_ID = 'dry run ';

/** Returns the ID of a record in a dry run's output; null if it doesn't exist yet. */
export const idInDryRun = (id: string | undefined): string | null =>
	id === undefined || id.startsWith(DRY_RUN_ID) ? null : id;

class PretendingWriter implements Writer {
	readonly isDry = true;
	readonly card: CardReference;
	private readonly ids: { last: number };

	constructor(run: Run, card: CardReference) {
		this.card = card;
		this.ids = run.once('dry run', () => ({ last: 0 }));
	}

	async create(sent: JsonObject): Promise<DataRecord> {
		this.ids.last += 1;
		return knownRecord(`${DRY_RUN_ID}${this.ids.last}`, sent);
	}

	async update({ id, earlier }: Target, sent: JsonObject): Promise<DataRecord> {
		return knownRecord(id, { ...earlier?.data, ...sent }, earlier?.createdAt);
	}

	async delete(): Promise<void> {}
}

/**
 * Returns the record after a change. The interface doesn't specify the response: it may be empty, or contain only
 * the ID or some of the values.
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
	const data = isObject(response?.raw.data) ? completed(known, response.data) : known;
	const createdAt = response?.createdAt ?? earlier?.createdAt ?? null;
	return knownRecord(id === UNKNOWN_ID && response ? response.id : id, data, createdAt);
}

/**
 * Combines the known values of a record with the values in a response, which take precedence. Empty values that
 * the response doesn't show have been cleared.
 */
function completed(known: JsonObject, shown: JsonObject): JsonObject {
	const entries = Object.entries({ ...known, ...shown });
	return Object.fromEntries(
		entries.filter(([id, value]) => !isEmpty(value) || Object.hasOwn(shown, id)),
	);
}
