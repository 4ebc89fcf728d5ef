/** What all items of one execution share. Nothing is sent before an item needs it. */
import { sleep, type IExecuteFunctions } from 'n8n-workflow';
import {
	cards,
	fieldsOf,
	openApi,
	type Api,
	type Card,
	type DataRecord,
	type RequestOptions,
} from '../transport/api';
import { Cancelled } from '../transport/errors';
import { localTime } from './timeZone';
import type { Zone } from '../values/time';
import { Done, Hints } from './hints';
import { FieldIndex } from './fieldIndex';
import { readFieldTypes } from './fieldTypes';
import { locateCard, readLocator, type Locator } from './locator';

/** Opens what the items of one execution share. @throws InputError if the credential is missing or invalid */
export async function openRun(context: IExecuteFunctions): Promise<Run> {
	// This parameter allows no expressions, so it is the same for all items.
	const authentication = context.getNodeParameter('authentication', 0, 'apiKey');
	return new Run(context, await openApi(context, authentication));
}

/** A card that an item uses, and its name in messages. */
export type CardReference = Pick<Card, 'id' | 'name'>;

/** Receives records. Returns true if no further one is needed. */
export type Take = (record: DataRecord) => unknown;

/** How long a run computes before n8n's loop gets its turn, in ms. */
const SLICE_MS = 50;
/** How long the service's description may take, in ms. */
const DESCRIPTION_TIMEOUT_MS = 10_000;
/** The number of records between two looks at the clock. */
const STEP = 50;

export class Run {
	readonly context: IExecuteFunctions;
	readonly api: Api;
	/** The time zone of the workflow. */
	readonly zone: Zone;
	/** True if the run continues after an error (*On Error*). */
	readonly continues: boolean;
	readonly hints: Hints;
	/** What was written so far. */
	readonly done = new Done();
	private cards: Promise<Card[]> | undefined;
	private fieldTypes: Promise<string[]> | undefined;
	private readonly fields = new Map<string, Promise<FieldIndex>>();
	private readonly records = new Map<string, SharedRecords>();
	/** When the step that computes now is to end, in ms since the epoch. */
	private sliceEnd = 0;
	private pause: Promise<void> | undefined;

	constructor(context: IExecuteFunctions, api: Api) {
		this.context = context;
		this.api = api;
		this.zone = localTime(context);
		this.continues = context.continueOnFail();
		this.hints = new Hints(context);
	}

	/** Gives n8n's loop its turn once 50 ms have passed. @throws Cancelled if the execution was canceled */
	async breathe(): Promise<void> {
		if (Date.now() >= this.sliceEnd) {
			// One pause for all: they go on in the order in which they came.
			this.pause ??= sleep(0).then(() => {
				this.pause = undefined;
				this.sliceEnd = Date.now() + SLICE_MS;
			});
			await this.pause;
		}
		if (this.api.signal?.aborted) throw new Cancelled();
	}

	/** The cards of the workspace, read once. */
	async listCards(options?: RequestOptions): Promise<Card[]> {
		return await (this.cards ??= this.api.list(cards, options));
	}

	/**
	 * Finds the card that a locator means.
	 *
	 * @param isExact true for changes that can't be undone: a name must be exactly the card's
	 * @throws InputError
	 */
	async findCard(
		locator: Locator,
		options?: RequestOptions,
		isExact = false,
	): Promise<CardReference> {
		const listed = async () => await this.listCards(options);
		const { id, name } = await locateCard(readLocator(locator, 'Card'), listed, isExact);
		this.hints.learnName(id, name);
		return { id, name };
	}

	/** The field types that the service's description names, read once; none if it can't be had. */
	async describedTypes({ timeoutMs = Infinity }: RequestOptions): Promise<string[]> {
		return await (this.fieldTypes ??= readFieldTypes(this.api, {
			timeoutMs: Math.min(timeoutMs, DESCRIPTION_TIMEOUT_MS),
		}));
	}

	/** The fields of a card, read once. */
	async fieldsOf(card: CardReference, options?: RequestOptions): Promise<FieldIndex> {
		const reading = this.fields.get(card.id) ?? this.readFields(card, options);
		this.fields.set(card.id, reading);
		return await reading;
	}

	/** The fields of a card, read again: a card that is held, or after fields were added. All use these from then on. */
	async fieldsAgain(card: CardReference, options?: RequestOptions): Promise<FieldIndex> {
		this.fields.delete(card.id);
		return await this.fieldsOf(card, options);
	}

	/**
	 * The card's records, read once for all items that want as many of them.
	 *
	 * @param wanted how many are needed at most; Infinity for all
	 */
	async readRecords(
		card: CardReference,
		wanted: number,
		take: Take,
		options?: RequestOptions,
	): Promise<void> {
		if (this.context.getInputData().length === 1)
			return await this.streamRecords(card, wanted, take, options);
		const key = JSON.stringify([card.id, wanted]);
		const shared = this.records.get(key) ?? {
			pages: this.api.pages(card.id, wanted, options),
			read: [],
		};
		this.records.set(key, shared);
		for (let number = 0; ; number += 1) {
			const page = await (shared.read[number] ??= shared.pages.next());
			if (page.done || (await this.takeFrom(page.value, take))) return;
		}
	}

	/** The card's records, read from the service at each call. Nothing keeps them. */
	async streamRecords(
		card: CardReference,
		wanted: number,
		take: Take,
		options?: RequestOptions,
	): Promise<void> {
		for await (const page of this.api.pages(card.id, wanted, options)) {
			if (await this.takeFrom(page, take)) return;
		}
	}

	/** Ends what is under way. */
	async close(): Promise<void> {
		for (const { pages } of this.records.values()) await pages.return(undefined);
	}

	/** @returns true if no further record is needed */
	private async takeFrom(page: readonly DataRecord[], take: Take): Promise<boolean> {
		for (const [place, record] of page.entries()) {
			if (place % STEP === 0) await this.breathe();
			if (take(record) === true) return true;
		}
		return false;
	}

	private async readFields(card: CardReference, options?: RequestOptions): Promise<FieldIndex> {
		const fields = await this.api.list(fieldsOf(card.id), options);
		for (const { id, name } of fields) this.hints.learnName(id, name);
		return new FieldIndex(fields, card.name);
	}
}

/** The records of a card that several items read: each page is requested once, as the first of them needs it. */
interface SharedRecords {
	pages: AsyncGenerator<DataRecord[]>;
	read: Array<Promise<IteratorResult<DataRecord[]>>>;
}
