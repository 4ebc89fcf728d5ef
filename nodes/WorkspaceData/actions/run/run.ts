/** The state that all items of one execution share. */
import type { IExecuteFunctions } from 'n8n-workflow';
import type { JsonObject } from '../../model/response/jsonObject';
import type { Zone } from '../../values/time';
import { createKeyedQueue } from '../../model/keyedQueue';
import { openSession, type Session } from '../../transport/session';
import { toAuthentication } from '../../transport/auth/credential';
import { localTime } from '../../transport/timeZone';
import { getDescription } from '../../transport/apiDescription';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { Items } from '../schedule/items';
import { createYieldToLoop } from '../schedule/yieldToLoop';
import { CardRun } from './cardRun';
import { CardWriter, DryCardWriter } from './cardWriter';
import { Done } from './done';
import { Cards, Fields, Records, type CardReference } from './listings';
import { Messages } from './messages';
import { Turns } from './turns';

export type { CardReference } from './listings';

/** A longer wait for the rate limit, in ms, causes a hint, because n8n shows no progress. */
const LONG_WAIT_MS = 5_000;

/**
 * Opens the state that the items of one execution share.
 *
 * @throws InputError if the credential is missing or invalid
 */
export async function openRun(context: IExecuteFunctions): Promise<Run> {
	// This parameter allows no expressions, so it is the same for all items.
	const authentication = toAuthentication(context.getNodeParameter('authentication', 0, 'apiKey'));
	return new Run(context, await openSession(context, authentication));
}

/** The state that the items of one execution share. Nothing is sent before an item needs it. */
export class Run {
	readonly context: IExecuteFunctions;
	/** The time zone of the workflow. */
	readonly zone: Zone;
	readonly session: Session;
	readonly items: Items;
	/** Waits until an item may compute, because thousands of items share the event loop with n8n. */
	readonly yieldToLoop = createYieldToLoop();
	readonly cards: Cards;
	readonly fields: Fields;
	readonly records: Records;
	readonly turns: Turns;
	readonly messages: Messages;
	/** Runs a task after all earlier tasks of this run with the same key. */
	readonly inOrder = createKeyedQueue();
	/** What was written so far. */
	readonly done = new Done();
	/** The output of what an item did before it failed, by its index. */
	readonly partial = new Map<number, JsonObject[]>();
	/** Output items after those of all input items, each with the input item that it is paired with. */
	readonly appended: Array<{ itemIndex: number; json: JsonObject }> = [];
	/** What remains to be done once all items have succeeded, or their errors are output. */
	readonly lastSteps: Array<() => void> = [];

	private readonly cardRuns = new Map<string, CardRun>();
	private readonly descriptions = new Map<string, Promise<JsonObject>>();

	constructor(context: IExecuteFunctions, session: Session) {
		const count = context.getInputData().length;
		this.context = context;
		this.session = session;
		this.zone = localTime(context);
		this.messages = new Messages(context);
		this.items = new Items(count, this.yieldToLoop);
		this.records = new Records(session, count > 1);
		this.cards = new Cards(this);
		this.fields = new Fields(this);
		this.turns = new Turns(this);
	}

	/** The service's OpenAPI description, read once. */
	async description(format: 'json' | 'yaml', options?: ReadOptions): Promise<JsonObject> {
		const reading = this.descriptions.get(format) ?? getDescription(this.session, format, options);
		this.descriptions.set(format, reading);
		return await reading;
	}

	/** Opens what the items share about a card. @param isDry true for the items of a dry run */
	openCard(card: CardReference, isDry = false): CardRun {
		const key = JSON.stringify([card.id, isDry]);
		const known = this.cardRuns.get(key);
		if (known) return known;
		const opened = new CardRun(this, card, this.turns.address(card.id), isDry);
		this.cardRuns.set(key, opened);
		return opened;
	}

	/** Opens the writer of an item. @param isDry true for a dry run */
	openWriter(card: CardReference, request: ReadOptions, isDry: boolean): CardWriter {
		return new (isDry ? DryCardWriter : CardWriter)(this, this.openCard(card, isDry), request);
	}

	/** Does the last steps of a successful run. */
	finish(): void {
		for (const step of this.lastSteps) step();
		for (const { hint } of this.cardRuns.values()) if (hint) this.messages.hint(hint);
		const { waitedMs } = this.session;
		if (waitedMs <= LONG_WAIT_MS) return;
		this.messages.hint(
			`This run waited ${Math.round(waitedMs / 1_000)} seconds for the service's rate limit. Process fewer items at a time, or ask the operator of the service for a higher limit.`,
		);
	}

	/** Releases what this run holds in the process. */
	close(): void {
		for (const cardRun of this.cardRuns.values()) cardRun.close();
		this.session.close();
	}
}
