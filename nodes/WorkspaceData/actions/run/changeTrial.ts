/** Checks that a service stores the values of a change and keeps the others, because the interface doesn't specify it. */
import { isEmpty } from '../../values/emptyValue';
import type { FieldIndex } from '../../records/fieldIndex';
import { listed } from '../../values/messageText';
import type { DataRecord } from '../../model/response/record';
import { isObject, ownValue, type JsonObject } from '../../model/response/jsonObject';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { UnexpectedResponse } from '../../transport/failure/failureKinds';
import { unchangedOption } from '../../properties/writeOptions';
import { keepingServices } from './acrossRuns';
import type { CardReference, RunParts } from './listings';

/** The maximum number of fields in a message. */
const MAX_NAMED = 10;

/** A change of a record, right before it is sent. */
export interface Change {
	id: string;
	/** The record before the change, if it is known; completes responses that show only a part. */
	earlier: DataRecord | undefined;
	/** The new values of the record, keyed by field ID. */
	values: JsonObject;
	/** Those of them that are sent; empty if the record has them already. */
	sent: JsonObject;
	/** The current field listing. */
	index: FieldIndex;
}

/** Sends a change. @returns the record in the response, if it shows one */
type Send = () => Promise<DataRecord | undefined>;

/** Returns the fields in which a record has lost a value that wasn't sent. */
const lostFields = ({ earlier, sent, index }: Change, now: DataRecord | undefined): string[] =>
	Object.keys(earlier?.data ?? {}).filter(
		(id) =>
			!Object.hasOwn(sent, id) &&
			!isEmpty(ownValue(earlier?.data ?? {}, id)) &&
			isEmpty(now && ownValue(now.data, id)) &&
			index.byId(id)?.isReadOnly === false,
	);

/** Returns the fields in which a record lacks a value that was sent. */
const droppedFields = ({ sent }: Change, now: DataRecord): string[] =>
	Object.keys(sent).filter((id) => !isEmpty(sent[id]) && isEmpty(ownValue(now.data, id)));

/** What the changes of a run have shown about the service. */
export class ChangeTrial {
	private readonly run: RunParts;
	private readonly card: CardReference;
	/** The error of all further changes, once one has replaced its record. */
	private replaced: UnexpectedResponse | undefined;
	/** True if responses lack values that the record has; false if what they lack wasn't kept. */
	private showsPart: boolean | undefined;

	constructor(run: RunParts, card: CardReference) {
		this.run = run;
		this.card = card;
	}

	/**
	 * Sends a change of a record.
	 *
	 * @throws UnexpectedResponse if the service has replaced the record or an earlier one of the run, or hasn't kept a value
	 */
	async send(change: Change, request: ReadOptions, send: Send): Promise<DataRecord | undefined> {
		const shown = await this.replacing(change, request, send);
		await this.requireKept(change, request, shown);
		return shown;
	}

	/** If a change doesn't name all values, and until one has shown that the service keeps the others, they take turns. */
	private async replacing(change: Change, request: ReadOptions, send: Send) {
		const { baseUrl } = this.run.session;
		const isKnown = () => keepingServices.get(baseUrl) === true;
		if (lostFields(change, undefined).length === 0 || isKnown()) return await send();
		const tried = await this.run.inOrder(`trial of ${this.card.id}`, async () => {
			if (isKnown()) return undefined;
			const shown = this.replaced ? undefined : await send();
			this.replaced ??= await this.replacedBy(change, request, shown);
			if (this.replaced) throw this.replaced;
			return { shown };
		});
		return tried ? tried.shown : await send();
	}

	/** Reads a record once more. @returns undefined if it can't be read: the next change decides */
	private async read(id: string, request: ReadOptions): Promise<DataRecord | undefined> {
		const listing = this.run.records.again(this.card, request);
		return await listing.find(id).catch(() => undefined);
	}

	/** Finds out if a change has replaced the record. Reads the card if the response shows no full record. */
	private async replacedBy(change: Change, request: ReadOptions, shown: DataRecord | undefined) {
		let missing = lostFields(change, shown);
		if (missing.length > 0) {
			const found = await this.read(change.id, request);
			if (!found) return undefined;
			missing = lostFields(change, found);
		}
		if (missing.length === 0) {
			keepingServices.set(this.run.session.baseUrl, true);
			return undefined;
		}
		return new UnexpectedResponse(
			`The service replaced record '${change.id}' by the values that were sent`,
			`It had values in ${this.named(missing)}, and has none there now. No other record was changed. Set the option '${unchangedOption.displayName}' to 'Send Again', map all fields, and run the items again.`,
			true,
		);
	}

	/** @throws UnexpectedResponse if the response shows the record without a value that was sent, and so does the listing */
	private async requireKept(change: Change, request: ReadOptions, shown: DataRecord | undefined) {
		if (!shown || !isObject(shown.raw.data) || this.showsPart) return;
		let dropped = droppedFields(change, shown);
		if (dropped.length === 0) return;
		if (this.showsPart === undefined) {
			const found = await this.read(change.id, request);
			if (!found) return;
			dropped = droppedFields(change, found);
			this.showsPart = dropped.length === 0;
			if (this.showsPart) return;
		}
		throw new UnexpectedResponse(
			`The service didn't keep the value of ${this.named(dropped)}`,
			`Record '${change.id}' was written, but it has no value there now. Check that the field accepts the value.`,
			true,
		);
	}

	private named(fields: readonly string[]): string {
		return listed(
			fields.map((field) => this.run.messages.withNames(field)),
			MAX_NAMED,
		);
	}
}
