/** Finds the records that were created while no event reached the workflow. */
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	ITriggerFunctions,
} from 'n8n-workflow';
import { z } from 'zod/v3';
import { type DataRecord, type Age, ageOf, byAge } from '../../model/response/record';
import { FieldIndex } from '../../model/fieldIndex';
import type { Search } from '../../model/subscription/reducer';
import { listCards, listFields } from '../../transport/cardAndFieldListings';
import { ApiFailure, saysGone } from '../../transport/failure/failures';
import { type Clock, systemClock } from '../../transport/http/clock';
import { openRecordListing } from '../../transport/recordListing';
import { openSession, type Session } from '../../transport/session';
import { localTime } from '../../transport/timeZone';
import { isFiltered, meetsConditions } from '../delivery/relevance';
import { reasonOf, warn } from '../log';
import { missedEvent, outputOf } from '../output';
import { type TriggerSettings, watchedCard } from '../parameters';
import type { Site } from '../subscription/renewal';
import { runExecution } from '../subscription/saving';
import { Store } from '../subscription/storage';
import { CLOSE_MS, RecordKeys, recordKey, searchedKey } from './memory';

/** Max tries of a search. Each one is an execution that the user can see. */
const TRIES = 3;
/** Delay before a search, in ms, so that deliveries of that time arrive first. */
const DELAY_MS = 5_000;
/** Pause after a failed search, in ms. */
const PAUSE_MS = 60_000;
/** Number of records that are read at a time. */
const PART = 100;

/** Plans a search for missed records, if the settings ask for it. */
export function planSearch({ node, settings, clock }: Site, search: Search): void {
	if (!settings.catchUp || !settings.events.includes('record.created')) return;
	node.search = { search, triesLeft: TRIES, notBefore: clock.now() + DELAY_MS };
}

/**
 * Starts the execution that searches for missed records, if one is due. Tries again if it couldn't read
 * them.
 */
export function startSearch({ context, clock, node }: Site<ITriggerFunctions>): void {
	const pending = node.search;
	if (!pending || clock.now() < pending.notBefore) return;
	node.search = undefined;
	const { epoch } = node;
	const ended = runExecution(context, searchJob(pending.search)).catch(() => 'failed' as const);
	void ended.then((ending) => {
		if (node.epoch !== epoch) return;
		const { upTo } = pending.search;
		if (ending !== 'failed') node.dispatch({ type: 'searched', upTo, now: clock.now() });
		else if (!node.search && pending.triesLeft > 1) {
			const notBefore = clock.now() + PAUSE_MS;
			node.search = { ...pending, triesLeft: pending.triesLeft - 1, notBefore };
		}
	});
}

const toIso = (ms: number): string => new Date(ms).toISOString();

/** The item that starts such an execution. */
const searchJob = ({ from, earlier, upTo }: Search): IDataObject => ({
	event: 'catch_up',
	from: toIso(from),
	to: toIso(upTo),
	earlier: earlier.map(toIso),
});

const time = z.string().transform((text) => Date.parse(text));
const jobSchema = z
	.object({
		event: z.literal('catch_up'),
		from: time,
		to: time,
		earlier: z.array(time).default([]),
	})
	.transform(({ from, to, earlier }): Search => ({ from, earlier, upTo: to }));

/** Reads the search from such an item; undefined for another item. */
export const readSearchJob = (json: unknown): Search | undefined => jobSchema.safeParse(json).data;

/** A record that was created in the searched time. */
interface Candidate extends Age {
	cardId: string;
	record: DataRecord;
	token: string;
}

/**
 * Returns the missed records as items. @throws the errors of reading the cards, unless all cards are
 * watched and one of them is deleted or refused
 */
export async function catchUp(
	context: IExecuteFunctions,
	settings: TriggerSettings,
	search: Search,
	clock: Clock = systemClock,
): Promise<INodeExecutionData[]> {
	const session = await openSession(context, settings.authentication, clock);
	const warned = new Set<string>();
	const warnOnce = (message: string): void => {
		if (!warned.has(message)) warn(context, message);
		warned.add(message);
	};
	try {
		// The subscribed card, because another card may have the selected name by now.
		const { current } = await new Store(context, undefined).read();
		const watched = current ? current.cardId : await watchedCard(settings, session);
		const keys = new RecordKeys(context);
		const span = await unsearched(keys, search);
		const listed = await listCreated(session, watched, span, warnOnce);
		const oldest = clock.now() + (current?.clockAheadMs ?? 0) - settings.maxEventAgeMs;
		const indexes = await fieldIndexes(session, settings, listed);
		// This is the last step, so that a failed search is done again.
		const missed = await keys.alone(async () => await takeMissed(keys, listed, span));
		const filter = {
			zone: localTime(context),
			warn: (_kind: string, text: string) => warnOnce(text),
		};
		return missed.flatMap(({ at, cardId, record }) => {
			if (at < oldest) return [];
			const event = missedEvent({ cardId, record, createdAt: at }, session.workspaceId);
			const index = indexes.get(cardId);
			const isMet =
				!isFiltered(event, settings) || meetsConditions(event, settings, { ...filter, index });
			return isMet ? [{ json: outputOf(event, settings, index) }] : [];
		});
	} finally {
		session.close();
	}
}

/**
 * The time without a completed search. `isWhole`: no search in it has failed, so its records arrived in
 * order.
 */
interface Span {
	from: number;
	upTo: number;
	isWhole: boolean;
}

async function unsearched(keys: RecordKeys, { from, earlier, upTo }: Search): Promise<Span> {
	const known = await keys.alone(async () => await keys.find(earlier.map(searchedKey)));
	const searched = Math.max(from, ...earlier.filter((end) => known.has(searchedKey(end))));
	return { from: searched, upTo, isWhole: earlier.every((end) => end <= searched) };
}

/** The records of the watched card that were created in a time span; of all cards if it is null. */
async function listCreated(
	session: Session,
	watched: string | null,
	span: Span,
	warnOnce: (message: string) => void,
): Promise<Candidate[]> {
	if (watched !== null) return await createdIn(session, watched, span);
	const listed: Candidate[] = [];
	for (const { id, name } of await listCards(session)) {
		const records = await createdIn(session, id, span, (error) =>
			warnOnce(
				`Missed records of card '${name}' (${id}) are left out, because it can't be read: ${reasonOf(error)}`,
			),
		);
		for (const one of records) listed.push(one);
	}
	return listed;
}

/**
 * The records of a card that were created in a time span. With `onRefused`, a deleted card has none, and a
 * refused one is reported.
 */
async function createdIn(
	session: Session,
	cardId: string,
	{ from, upTo }: Span,
	onRefused?: (error: ApiFailure) => void,
): Promise<Candidate[]> {
	const found: Candidate[] = [];
	const listing = openRecordListing(session, cardId, Infinity);
	const endOfRefused = (error: unknown): DataRecord[] => {
		if (!onRefused || !isRefused(error)) throw error;
		if (!isGone(error)) onRefused(error);
		return [];
	};
	for (let read = 0; ; ) {
		const part = await listing.part(read, PART, true).catch(endOfRefused);
		if (part.length === 0) return found;
		read += part.length;
		for (const record of part) {
			const age = ageOf(record);
			if (!(age.at > from && age.at <= upTo)) continue;
			found.push({ ...age, cardId, record, token: recordKey(cardId, record.id) });
		}
	}
}

/** Returns true if the service says that a card doesn't exist. */
const isGone = (error: unknown): boolean => saysGone(error, ['card', 'cards', 'resource']);

/**
 * Returns true if the service refuses to list the records of a card, so that another try won't help. A
 * proxy's response doesn't count.
 */
const isRefused = (error: unknown): error is ApiFailure =>
	error instanceof ApiFailure &&
	!error.transient &&
	!error.problem.foreign &&
	(error.problem.status === 403 || isGone(error));

/**
 * Returns the records that the workflow hasn't processed, oldest first, and marks them as processed. n8n
 * only remembers the latest records. If it may have forgotten some, all records before the oldest known one
 * count as processed. This doesn't apply if a search has failed in that time: earlier records may have been
 * missed, and duplicates are better.
 */
async function takeMissed(
	keys: RecordKeys,
	listed: Candidate[],
	{ upTo, isWhole }: Span,
): Promise<Candidate[]> {
	const byTime = listed.sort(byAge);
	const tokens = await keys.find(byTime.map(({ token }) => token));
	const mayForget = isWhole && (await keys.isFull());
	const oldest = mayForget ? byTime.find(({ token }) => tokens.has(token)) : undefined;
	const since = oldest?.at ?? -Infinity;
	const missed = byTime.filter(({ at, token }) => at >= since && !tokens.has(token));
	const atEdge = missed.filter(({ at }) => upTo - at < CLOSE_MS).map(({ token }) => token);
	await keys.add([...atEdge.slice(-PART * 10), searchedKey(upTo)]);
	return missed;
}

/** The fields of the records' cards, if they are needed and available. */
async function fieldIndexes(
	session: Session,
	{ simple, fieldKeys, conditions }: TriggerSettings,
	listed: readonly Candidate[],
): Promise<Map<string, FieldIndex>> {
	const indexes = new Map<string, FieldIndex>();
	if (!(simple && fieldKeys === 'name') && conditions.length === 0) return indexes;
	for (const cardId of new Set(listed.map((one) => one.cardId))) {
		const fields = await listFields(session, cardId).catch(() => undefined);
		if (fields) indexes.set(cardId, new FieldIndex(fields, cardId));
	}
	return indexes;
}
