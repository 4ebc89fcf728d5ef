/** The state that all items of one execution share. */
import type { IExecuteFunctions } from 'n8n-workflow';
import type { JsonObject } from '../../model/response/shapes';
import type { Zone } from '../../model/time';
import { createKeyedQueue } from '../../model/keyedQueue';
import { openSession, type Session } from '../../transport/session';
import { toAuthentication } from '../../transport/auth/credential';
import { localTime } from '../../transport/timeZone';
import { getDescription } from '../../transport/apiDescription';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { Items } from '../schedule/items';
import { createYieldToLoop } from '../schedule/yieldToLoop';
import { Cards, Fields, Records } from './listings';
import { getOrCreate } from './getOrCreate';
import { Messages } from './messages';
import { Writes } from './writes';

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
	readonly writes: Writes;
	readonly messages: Messages;
	/** Runs a task after all earlier tasks of this run with the same key. */
	readonly inOrder = createKeyedQueue();
	/** Output items after those of all input items, each with the input item that it is paired with. */
	readonly appended: Array<{ itemIndex: number; json: JsonObject }> = [];
	/** What remains to be done once all items have succeeded, or their errors are output. */
	readonly lastSteps: Array<() => void> = [];

	private readonly results = new Map<string, unknown>();

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
		this.writes = new Writes(this);
	}

	/**
	 * Does some work once for each key. A rejected promise is kept, too. Each key belongs to one place in the code, so its
	 * results have one type.
	 */
	once<Result>(key: string, work: () => Result): Result {
		return getOrCreate(this.results, key, work) as Result;
	}

	/** The service's OpenAPI description, read once. */
	async description(format: 'json' | 'yaml', options?: ReadOptions): Promise<JsonObject> {
		const read = async () => await getDescription(this.session, format, options);
		return await this.once(`description ${format}`, read);
	}

	/** Does the last steps of a successful run. */
	finish(): void {
		for (const step of this.lastSteps) step();
		const { waitedMs } = this.session;
		if (waitedMs <= LONG_WAIT_MS) return;
		this.messages.hint(
			`This run waited ${Math.round(waitedMs / 1_000)} seconds for the service's rate limit. Process fewer items at a time, or ask the operator of the service for a higher limit.`,
		);
	}

	/** Releases what this run holds in the process. */
	close(): void {
		this.writes.close();
		this.session.close();
	}
}
