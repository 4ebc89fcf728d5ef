/** The state that all items of one execution share. */
import type { IExecuteFunctions } from 'n8n-workflow';
import type { JsonObject } from '../../model/response/shapes';
import type { Zone } from '../../model/time';
import { createKeyedQueue, type KeyedQueue } from '../../model/keyedQueue';
import { openSession, type Session } from '../../transport/session';
import { toAuthentication } from '../../transport/auth/credential';
import { systemClock, type Clock } from '../../transport/http/clock';
import { localTime } from '../../transport/timeZone';
import { getDescription } from '../../transport/apiDescription';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { RunItems, type Items } from '../schedule/items';
import { createYieldToLoop, type YieldToLoop } from '../schedule/yieldToLoop';
import {
	createCards,
	createRecords,
	type Cards,
	type Records,
	FieldListings,
	type Fields,
} from './listings';
import { createMessages, type Messages } from './messages';
import { Writes } from './writes';
import { createEnding, longWaitHint, type Ending } from './ending';

export type { CardReference } from './listings';

export interface Run {
	context: IExecuteFunctions;
	/** The time zone of the workflow. */
	zone: Zone;
	session: Session;
	items: Items;
	/** Waits until an item may compute, because thousands of items share the event loop with n8n. */
	yieldToLoop: YieldToLoop;
	cards: Cards;
	fields: Fields;
	records: Records;
	writes: Writes;
	messages: Messages;
	/** Does work once for all items. */
	once: Once;
	/** Runs a task after all earlier tasks of this run with the same key. */
	inOrder: KeyedQueue;
	ending: Ending;
	/** The service's OpenAPI description, read once. */
	description(format: 'json' | 'yaml', options?: ReadOptions): Promise<JsonObject>;
	/** Releases what this run holds in the process. */
	close(): void;
}

/**
 * Opens the state that the items of one execution share.
 *
 * @throws InputError if the credential is missing or invalid
 */
export async function openRun(context: IExecuteFunctions): Promise<Run> {
	// This parameter allows no expressions, so it is the same for all items.
	const authentication = toAuthentication(context.getNodeParameter('authentication', 0, 'apiKey'));
	const session = await openSession(context, authentication);
	return createRun(context, session);
}

/** Creates the state that the items of one execution share, without sending anything yet. */
export function createRun(
	context: IExecuteFunctions,
	session: Session,
	yieldToLoop = createYieldToLoop(),
	clock: Clock = systemClock,
): Run {
	const count = context.getInputData().length;
	const messages = createMessages(context);
	const once = createOnce();
	const zone = localTime(context);
	const items = new RunItems(count, yieldToLoop);
	const records = createRecords(session, count > 1);
	const cards = createCards(session, messages, yieldToLoop);
	const fields = new FieldListings({ session, records, messages, yieldToLoop });
	const writes = new Writes({ session, records, items, zone, clock, yieldToLoop });
	const ending = createEnding(() => session.stop());
	ending.whenDone(() => {
		const hint = longWaitHint(session.waitedMs);
		if (hint) messages.hint(hint);
	});
	return {
		context,
		zone,
		session,
		items,
		yieldToLoop,
		cards,
		fields,
		records,
		writes,
		messages,
		once,
		inOrder: createKeyedQueue(),
		ending,
		description: async (format, options) =>
			await once(
				`description ${format}`,
				async () => await getDescription(session, format, options),
			),
		close() {
			writes.close();
			session.close();
		},
	};
}

/**
 * Does some work once for each key.
 *
 * @param key a text, or an object that items share, such as a parameter value without expressions
 */
export type Once = <Result>(key: string | object, work: () => Result) => Result;

/** Creates the memory of a run. A rejected promise is kept, too. */
function createOnce(): Once {
	const results = new Map<unknown, unknown>();
	return <Result>(key: string | object, work: () => Result): Result => {
		if (!results.has(key)) results.set(key, work());
		// Each key belongs to one place in the code, so its results have one type.
		return results.get(key) as Result;
	};
}
