/** Finds the records that were created while no event reached the workflow. */
import type { IExecuteFunctions, INodeExecutionData, ITriggerFunctions } from 'n8n-workflow';
import { z } from 'zod/v3';
import { FieldIndex } from '../../records/fieldIndex';
import { type DataRecord, type Age, ageOf } from '../../model/response/record';
import * as rules from '../../model/subscription/subscriptionRules';
import { listCards, listFields } from '../../transport/cardAndFieldListings';
import { ApiFailure, saysGone } from '../../transport/failure/failureKinds';
import { MAX_READINGS, openRecordListing, type RecordListing } from '../../transport/recordListing';
import { openSession, type Session } from '../../transport/session';
import { localTime } from '../../transport/timeZone';
import { needsFields } from '../delivery/fieldNames';
import { isRelevant } from '../delivery/relevance';
import { reasonOf, warn } from '../log';
import { missedEvent, outputOf } from '../output';
import { type TriggerSettings, watchedCard } from '../parameters';
import { dispatch, type Site } from '../subscription/node';
import { runExecution, startSaving } from '../subscription/saving';
import { readStored } from '../subscription/storage';
import { takeMissed } from './memory';

/** Marks the item of an execution that searches. */
const EVENT = 'catch_up';
/** The events that a search returns. */
const CREATED = 'record.created';

/** Starts the execution that searches for missed records, if one is due. Tries again if it fails. */
export function startSearch(site: Site<ITriggerFunctions>): void {
	const { context, clock, node } = site;
	const { epoch } = node;
	const { search } = node.state;
	const due = rules.dueSearch(node.state, clock.now());
	if (!due) return;
	dispatch(site, rules.onSearching, {});
	const { from, to, isWhole, cardId } = due;
	const job = { event: EVENT, from: toIso(from), to: toIso(to), isWhole };
	const ended = runExecution(context, job).catch(() => 'failed' as const);
	void ended.then((ending) => {
		const isCurrent = node.epoch === epoch;
		// Also if the workflow was published again meanwhile: the next search must not return the same records.
		if (ending !== 'failed') dispatch(site, rules.onSearched, { to, cardId });
		else if (isCurrent) dispatch(site, rules.onSearchFailed, { failed: search });
		// If n8n ends before this is saved, the next search returns the same records.
		if (ending !== 'failed' && isCurrent) startSaving(site);
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
export const readSearchJob = (json: unknown): rules.Search | undefined =>
	jobSchema.safeParse(json).data;

/** A record that was created in the searched time, and the fields of its card if they are needed. */
interface Candidate extends Age {
	cardId: string;
	record: DataRecord;
	index: FieldIndex | undefined;
}

/**
 * Returns the missed records as items. @throws the errors of reading the cards and their fields, unless all cards are
 * watched and one of them is deleted or refused
 */
export async function catchUp(
	context: IExecuteFunctions,
	settings: TriggerSettings,
	search: rules.Search,
): Promise<INodeExecutionData[]> {
	const session = await openSession(context, settings.authentication);
	const warnings = new Set<string>();
	try {
		// The subscribed card, because another card may have the selected name by now.
		const { current } = readStored(context);
		const watched = current ? current.cardId : await watchedCard(settings, session);
		const reading = { session, settings, search, warnings };
		const listed =
			watched === null ? await createdInAll(reading) : await createdIn(reading, watched);
		const { serviceClock } = session.pace;
		// A service that doesn't state its time has another clock than n8n: then no age is known.
		const isTooOld = (at: number) =>
			!serviceClock.isStale() && serviceClock.now() - at > (settings.maxEventAgeMs ?? Infinity);
		const zone = localTime(context);
		const log = (_kind: string, message: string) => warnings.add(message);
		const items: INodeExecutionData[] = [];
		for (const { at, cardId, record, index } of await takeMissed(context, listed, search)) {
			const event = missedEvent({ cardId, record, createdAt: at }, session.workspaceId);
			const isWanted = !isTooOld(at) && isRelevant(event, settings, { index, zone, warn: log });
			if (isWanted) items.push({ json: outputOf(event, settings, index) });
		}
		return items;
	} finally {
		for (const message of warnings) warn(context, message);
		session.close();
	}
}

/** What a search needs to read a card. */
interface Reading {
	session: Session;
	settings: TriggerSettings;
	search: rules.Search;
	/** Lines for the log, each of them once. */
	warnings: Set<string>;
}

/** As `createdIn`, of all cards. A deleted one has no records, and a refused one is reported. */
async function createdInAll(reading: Reading): Promise<Candidate[]> {
	const listed: Candidate[] = [];
	for (const { id, name } of await listCards(reading.session)) {
		const records = await createdIn(reading, id).catch((error: unknown) => {
			if (!isRefused(error)) throw error;
			if (!isGone(error)) {
				reading.warnings.add(
					`Missed records of card '${name}' (${id}) are left out, because it can't be read: ${reasonOf(error)}`,
				);
			}
			return [];
		});
		for (const one of records) listed.push(one);
	}
	return listed;
}

/**
 * The records of a card that were created in the searched time, with its fields. A record that doesn't state when is
 * reported.
 */
async function createdIn(
	{ session, settings, search: { from, to }, warnings }: Reading,
	cardId: string,
): Promise<Candidate[]> {
	const found = new Map<string, Omit<Candidate, 'index'>>();
	let listing: RecordListing;
	let tries = 0;
	do {
		tries += 1;
		listing = openRecordListing(session, cardId, Infinity, {}, { keep: false });
		for await (const record of listing) {
			const age = ageOf(record, NaN);
			if (age.at > from && age.at <= to) found.set(record.id, { ...age, cardId, record });
			if (!Number.isNaN(age.at)) continue;
			warnings.add(
				`Records of card ${cardId} state no usable 'created_at', so missed ones can't be found`,
			);
		}
		// Pages that show a record twice may have skipped others.
	} while (listing.hasShifted && tries < MAX_READINGS);
	const isNeeded = found.size > 0 && needsFields({ event: CREATED, data: {} }, settings);
	const index = isNeeded ? new FieldIndex(await listFields(session, cardId), cardId) : undefined;
	return [...found.values()].map((one) => ({ ...one, index }));
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
