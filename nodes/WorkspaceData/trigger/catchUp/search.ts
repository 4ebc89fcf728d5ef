/** Finds the records that were created while no event reached the workflow. */
import type { IExecuteFunctions, INodeExecutionData, ITriggerFunctions } from 'n8n-workflow';
import { z } from 'zod/v3';
import { type DataRecord, type Age, ageOf } from '../../model/response/record';
import { onSearched, type Search } from '../../model/subscription/reducer';
import { listCards } from '../../transport/cardAndFieldListings';
import { ApiFailure, saysGone } from '../../transport/failure/failureKinds';
import { systemClock } from '../../transport/http/clock';
import { MAX_READINGS, openRecordListing } from '../../transport/recordListing';
import { openSession, type Session } from '../../transport/session';
import { localTime } from '../../transport/timeZone';
import { fieldsFor } from '../delivery/fieldNames';
import { isRelevant } from '../delivery/relevance';
import { reasonOf, warn } from '../log';
import { missedEvent, outputOf } from '../output';
import { type TriggerSettings, watchedCard } from '../parameters';
import type { Site } from '../subscription/node';
import { runExecution, startSaving } from '../subscription/saving';
import { readSealed } from '../subscription/storage';
import { takeMissed } from './memory';

/** Marks the item of an execution that searches. */
const EVENT = 'catch_up';
/** Max tries of a search. Each one is an execution that the user can see. */
const TRIES = 3;
/** Delay before a search, in ms, so that deliveries of that time arrive first. */
const DELAY_MS = 5_000;
/** Pause after a failed search, in ms. */
const PAUSE_MS = 60_000;

/** Plans a search for what the last creation may have missed, if the settings ask for it. */
export function planSearch({ node, settings, clock }: Site): void {
	const { search } = node.state;
	if (!search || !settings.catchUp || !settings.events.includes('record.created')) return;
	node.search = { search, triesLeft: TRIES, notBefore: clock.now() + DELAY_MS };
}

/**
 * Starts the execution that searches for missed records, if one is due. Tries again if it couldn't read
 * them.
 */
export function startSearch(site: Site<ITriggerFunctions>): void {
	const { context, clock, node } = site;
	const pending = node.search;
	if (!pending || clock.now() < pending.notBefore) return;
	node.search = undefined;
	const { epoch } = node;
	const { from, to, isWhole } = pending.search;
	const job = { event: EVENT, from: toIso(from), to: toIso(to), isWhole };
	const ended = runExecution(context, job).catch(() => 'failed' as const);
	void ended.then((ending) => {
		if (node.epoch !== epoch) return;
		if (ending !== 'failed') {
			node.dispatch(onSearched, { to, now: clock.now() });
			// If n8n ends before this is saved, the next search returns the same records.
			startSaving(site);
		} else if (!node.search && pending.triesLeft > 1) {
			const notBefore = clock.now() + PAUSE_MS;
			node.search = { ...pending, triesLeft: pending.triesLeft - 1, notBefore };
		}
	});
}

const toIso = (ms: number): string => new Date(ms).toISOString();
const time = z.string().transform((text) => Date.parse(text));
const jobSchema = z.object({
	event: z.literal(EVENT),
	from: time,
	to: time,
	isWhole: z.boolean().default(false),
});

/** Reads the search from an item of such a job; undefined for another item. */
export const readSearchJob = (json: unknown): Search | undefined => jobSchema.safeParse(json).data;

/** A record that was created in the searched time. */
interface Candidate extends Age {
	cardId: string;
	record: DataRecord;
}

/**
 * Returns the missed records as items. @throws the errors of reading the cards, unless all cards are
 * watched and one of them is deleted or refused
 */
export async function catchUp(
	context: IExecuteFunctions,
	settings: TriggerSettings,
	search: Search,
): Promise<INodeExecutionData[]> {
	const session = await openSession(context, settings.authentication);
	const warnings = new Set<string>();
	try {
		// The subscribed card, because another card may have the selected name by now.
		const { current } = readSealed(context);
		const watched = current ? current.cardId : await watchedCard(settings, session);
		const listed = await listCreated(session, watched, search, warnings);
		const oldest = session.pace.serviceClock.now() - settings.maxEventAgeMs;
		const { workspaceId } = session;
		const place = { context, workspaceId, openService: async () => session };
		const zone = localTime(context);
		const log = (_kind: string, message: string) => warnings.add(message);
		const items: INodeExecutionData[] = [];
		for (const { at, cardId, record } of await takeMissed(context, listed, search)) {
			const event = missedEvent({ cardId, record, createdAt: at }, workspaceId);
			const index = await fieldsFor(event, settings, place, systemClock);
			const isWanted = at >= oldest && isRelevant(event, settings, { index, zone, warn: log });
			if (isWanted) items.push({ json: outputOf(event, settings, index) });
		}
		return items;
	} finally {
		for (const message of warnings) warn(context, message);
		session.close();
	}
}

/**
 * The records of the watched card that were created in a time span; of all cards if it is null. Then a
 * deleted card has none, and a refused one is reported.
 */
async function listCreated(
	session: Session,
	watched: string | null,
	search: Search,
	warnings: Set<string>,
): Promise<Candidate[]> {
	if (watched !== null) return await createdIn(session, watched, search, warnings);
	const listed: Candidate[] = [];
	for (const { id, name } of await listCards(session)) {
		const records = await createdIn(session, id, search, warnings).catch((error: unknown) => {
			if (!isRefused(error)) throw error;
			if (!isGone(error)) {
				warnings.add(
					`Missed records of card '${name}' (${id}) are left out, because it can't be read: ${reasonOf(error)}`,
				);
			}
			return [];
		});
		for (const one of records) listed.push(one);
	}
	return listed;
}

/** The records of a card that were created in a time span. A record that doesn't state when is reported. */
async function createdIn(
	session: Session,
	cardId: string,
	{ from, to }: Search,
	warnings: Set<string>,
): Promise<Candidate[]> {
	const found = new Map<string, Candidate>();
	for (let tries = 1; ; tries += 1) {
		const listing = openRecordListing(session, cardId, Infinity, {}, { keep: false });
		for await (const record of listing) {
			const age = ageOf(record, NaN);
			if (Number.isNaN(age.at)) {
				warnings.add(
					`Records of card ${cardId} state no usable 'created_at', so missed ones can't be found`,
				);
			}
			if (!(age.at > from && age.at <= to)) continue;
			found.set(record.id, { ...age, cardId, record });
		}
		// Pages that show a record twice may have skipped others.
		if (!listing.hasShifted || tries === MAX_READINGS) return [...found.values()];
	}
}

/** Returns true if the service says that a card doesn't exist. */
const isGone = (error: unknown): boolean => saysGone(error, ['card', 'cards', 'resource']);

/**
 * Returns true if the service refuses to list the records of a card, so that another try won't help. A
 * proxy's response doesn't count.
 */
const isRefused = (error: unknown): boolean =>
	error instanceof ApiFailure &&
	!error.transient &&
	!error.problem.foreign &&
	(error.problem.status === 403 || isGone(error));
