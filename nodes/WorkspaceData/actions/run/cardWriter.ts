/** Writes the records of a card: creates, changes and removes them. In a dry run, it predicts what that would do. */
import { listed } from '../../values/messageText';
import { readRecord, UNKNOWN_ID, type DataRecord } from '../../model/response/record';
import { isObject, type JsonObject } from '../../model/response/jsonObject';
import { isEmpty } from '../../values/emptyValue';
import { cardPath, type ReadOptions } from '../../transport/cardAndFieldListings';
import {
	ApiFailure,
	Failure,
	mayHaveHappened,
	namesGone,
	saysGone,
	UnexpectedResponse,
} from '../../transport/failure/failureKinds';
import { CHECK_FIRST } from '../../transport/failure/advice';
import { systemClock } from '../../transport/http/clock';
import type { PathPart } from '../../transport/request';
import { noIdHint } from '../../transport/writeResponse';
import { emptyValuesOption } from '../../properties/writeOptions';
import { sendChange, sendCreation, sendDeletion } from '../../transport/writeRequests';
import type { CardLog } from './cardLog';
import type { CardRun } from './cardRun';
import type { Change } from './changeTrial';
import type { CardReference, RunParts } from './listings';

/** What became of a record. */
export interface Changed {
	action: 'updated' | 'unchanged';
	record: DataRecord;
	/** The values that were sent, keyed by field ID. */
	sent: JsonObject;
}

/** The maximum number of fields in a message. */
const MAX_NAMED = 10;

const recordPath = (card: CardReference, id?: string): PathPart[] => {
	const records = [...cardPath(card.id), 'records'];
	return id === undefined ? records : [...records, { value: id, parameter: 'Record' }];
};

const unclearCreation = (): UnexpectedResponse =>
	new UnexpectedResponse(
		"The record may have been created: the service says that a record doesn't exist",
		CHECK_FIRST,
		true,
	);

const notNew = (id: string): UnexpectedResponse =>
	new UnexpectedResponse(
		`The record may have been created: the service returned the ID '${id}', but that record existed before`,
		CHECK_FIRST,
		true,
	);

const anotherRecord = (shown: string, id: string): UnexpectedResponse =>
	new UnexpectedResponse(
		`The service responded with record '${shown}' instead of '${id}'`,
		'One of them may have been changed: look at both in the service.',
		true,
	);

/** Writes records of a card for an item. Values are keyed by field ID. @see service interface, part 4, "Records", rule 3 */
export class CardWriter {
	readonly cardRun: CardRun;
	/** How its requests are sent. */
	readonly request: ReadOptions;
	protected readonly run: RunParts;

	constructor(run: RunParts, cardRun: CardRun, request: ReadOptions) {
		this.run = run;
		this.cardRun = cardRun;
		this.request = request;
	}

	get card(): CardReference {
		return this.cardRun.card;
	}

	/** True in a dry run, where nothing is sent and only this run knows of the write. */
	get isDry(): boolean {
		return this.cardRun.isDry;
	}

	get log(): CardLog {
		return this.cardRun.log;
	}

	/**
	 * Creates a record.
	 *
	 * @param existed returns true for the ID of a record that was listed before
	 * @throws UnexpectedResponse if the response shows such an ID
	 */
	async create(sent: JsonObject, existed?: (id: string) => boolean): Promise<DataRecord> {
		const { log } = this;
		const send = async () => {
			const made = await this.sendNew(sent);
			if (existed?.(made.id)) throw notNew(made.id);
			return made;
		};
		const record = await send().catch(async (failure: unknown) => {
			// No creation needs a record.
			const error = namesGone(failure, 'record') ? unclearCreation() : failure;
			if (mayHaveHappened(error)) log.mayExist(sent, systemClock.now());
			return await Promise.reject(error as Error);
		});
		if (record.id === UNKNOWN_ID) log.mayExist(sent, systemClock.now());
		else log.created(record, sent);
		return record;
	}

	/**
	 * Changes a record after all earlier writes to it, of all executions.
	 *
	 * @param prepare called right before it is sent, because other executions may have written the record meanwhile;
	 * returns undefined if the record should no longer be changed
	 * @throws UnexpectedResponse if something else responded, such as a proxy's page
	 */
	async change(
		id: string,
		prepare: () => Omit<Change, 'id'> | undefined,
	): Promise<Changed | undefined> {
		return await this.inTurn(id, async () => {
			const change = prepare();
			if (!change) return undefined;
			const { earlier, values, sent, index } = change;
			if (earlier && Object.keys(sent).length === 0)
				return { action: 'unchanged', record: earlier, sent };
			const record = await this.noted(id, async () => await this.sendUpdate({ ...change, id }));
			this.log.changed(record, values);
			this.cardRun.countCleared(index, sent, earlier);
			return { action: 'updated', record, sent };
		});
	}

	/**
	 * Deletes a record after all earlier writes to it, of all executions.
	 *
	 * @param isWanted for a listed record, which may have been written or deleted since: returns true if it should still
	 * be deleted; called right before that
	 * @returns true if it is gone; false if it was no longer wanted
	 * @throws UnexpectedResponse as `change`
	 */
	async remove(id: string, isWanted?: () => boolean): Promise<boolean> {
		const remove = async () =>
			await this.sendRemoval(id).catch((error: unknown) => {
				if (!isWanted || !saysGone(error, ['record'])) throw error;
			});
		return await this.inTurn(id, async () => {
			if (isWanted?.() === false) return false;
			await this.noted(id, async () => await this.log.deleting(remove));
			this.log.deleted(id);
			return true;
		});
	}

	protected async sendNew(sent: JsonObject): Promise<DataRecord> {
		const { run, card, request } = this;
		const creation = { ...request, path: recordPath(card), body: { data: sent } };
		const response = sendCreation(run.session, 'record', readRecord, creation);
		const made = await this.notingEmpty(sent, response);
		if (!made) run.messages.hint(noIdHint('record'));
		return writtenRecord(made, UNKNOWN_ID, sent);
	}

	protected async sendUpdate(change: Change): Promise<DataRecord> {
		const { run, card, request } = this;
		const { id, sent, earlier } = change;
		const patch = { ...request, path: recordPath(card, id), body: { data: sent } };
		const send = async () => {
			const response = sendChange(run.session, 'record', patch);
			const shown = readRecord(await this.notingEmpty(sent, response));
			if (shown && shown.id !== id) throw anotherRecord(shown.id, id);
			return shown;
		};
		const shown = await this.cardRun.trial.send(change, request, send);
		return writtenRecord(shown, id, sent, earlier);
	}

	protected async sendRemoval(id: string): Promise<void> {
		const { run, card, request } = this;
		await sendDeletion(run.session, 'record', { ...request, path: recordPath(card, id) });
	}

	/** Runs a task after all earlier ones for a record, in all executions. */
	private async inTurn<T>(id: string, task: () => Promise<T>): Promise<T> {
		return await this.run.turns.onKey(this, `record ${id}`, task);
	}

	/** Sends a change or a deletion, and notes its failure. */
	private async noted<T>(id: string, send: () => Promise<T>): Promise<T> {
		const { log } = this;
		return await send().catch(async (error: unknown) => {
			const isRefused = error instanceof Failure && !mayHaveHappened(error);
			if (!isRefused) log.unclear(id);
			else if (namesGone(error, 'record')) log.deleted(id);
			return await Promise.reject(error as Error);
		});
	}

	/** Adds a note about empty text values to the refusal of a record, because table cells are often empty. */
	private async notingEmpty<T>(sent: JsonObject, response: Promise<T>): Promise<T> {
		const { messages } = this.run;
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
}

/** The prefix of the IDs of records that a dry run would create. No service uses IDs with a space. */
const DRY_RUN_ID = 'dry run ';

/** Returns the ID of a record in a dry run's output; null if it doesn't exist yet. */
export const idInDryRun = (id: string): string | null => (id.startsWith(DRY_RUN_ID) ? null : id);

/** Predicts the writes of a dry run. */
export class DryCardWriter extends CardWriter {
	protected override async sendNew(sent: JsonObject): Promise<DataRecord> {
		this.cardRun.predicted += 1;
		return knownRecord(`${DRY_RUN_ID}${this.cardRun.predicted}`, sent);
	}

	protected override async sendUpdate({ id, earlier, sent }: Change): Promise<DataRecord> {
		return knownRecord(id, { ...earlier?.data, ...sent }, earlier?.createdAt);
	}

	protected override async sendRemoval(): Promise<void> {}
}

/** The known parts of a record. */
const knownRecord = (
	id: string,
	data: JsonObject,
	createdAt: string | null = null,
): DataRecord => ({ id, data, createdAt, raw: { id, data, created_at: createdAt } });

/**
 * Returns the record after a change. The interface doesn't specify the response: it may be empty, or contain only
 * the ID or some of the values. These take precedence; empty values that it doesn't show have been cleared.
 *
 * @param response the record in the response, if it shows one
 * @param id the requested record; `UNKNOWN_ID` for a new one
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
	const data = Object.entries({ ...known, ...shown }).map(([field, value]): [string, unknown] => [
		field,
		wasCleared(field, value) ? null : value,
	]);
	const createdAt = response?.createdAt ?? earlier?.createdAt ?? null;
	const ownId = id === UNKNOWN_ID && response ? response.id : id;
	const record = knownRecord(ownId, Object.fromEntries(data), createdAt);
	return earlier || id === UNKNOWN_ID ? record : { ...record, isPartial: true };
}
