/** The names of a card's fields, for the output of events. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../values/boundedMap';
import type { DeliveredEvent } from '../webhookEvent';
import { FieldIndex } from '../../records/fieldIndex';
import type { Session } from '../../transport/session';
import { type Clock, withTimeLimit } from '../../transport/http/clock';
import { listFields } from '../../transport/cardAndFieldListings';
import { reasonOf } from '../log';
import type { TriggerSettings } from '../parameters';
import { isFiltered, isWatched } from './relevance';

/** How long the response to a delivery may wait for names, in ms. */
const MAX_WAIT_MS = 3_000;
/** How long a listing is valid, in ms. */
const INTERVAL_MS = 60_000;
/** Min time between two listings if the last one failed or lacks something, in ms. */
const HURRIED_INTERVAL_MS = 10_000;
/** How often the log says that there are no names, in ms. */
const WARNING_INTERVAL_MS = 3_600_000;

/** The fields of a card. */
interface KnownFields {
	/** When a listing was last requested. */
	askedAt: number;
	/** When one was last requested early because something was missing, or when the last one failed. */
	hurriedAt: number;
	/** The listing in progress. Never fails. */
	pending?: Promise<void> | undefined;
	/** The latest successful listing. */
	index?: FieldIndex;
	/** Why the last listing failed; undefined if it didn't. */
	failure?: string | undefined;
}

const cards = new BoundedMap<string, KnownFields>(1_000);

/** Requests a listing. */
async function renew(
	known: KnownFields,
	list: () => Promise<FieldIndex>,
	clock: Clock,
): Promise<void> {
	try {
		known.index = await list();
		known.failure = undefined;
	} catch (error) {
		known.failure = reasonOf(error);
		known.hurriedAt = clock.now();
	}
	known.pending = undefined;
}

/** Where the listing comes from. */
interface FieldsPlace {
	context: Pick<IExecuteFunctions, 'getNode'>;
	workspaceId: string;
	openService(): Promise<Session>;
	/** Logs why there are no names. */
	warn(kind: string, message: string, intervalMs: number): void;
}

/**
 * The fields of the event's card, if names are needed. They are from a listing that is cached for a minute and
 * then renewed in the background. Waits for a new listing if none is cached, or if the cached one lacks a field
 * of the event. It never throws and never takes longer than 3 s; then it returns the last listing, or undefined,
 * and the log says why.
 */
export async function fieldsFor(
	event: DeliveredEvent,
	settings: TriggerSettings,
	{ context, workspaceId, openService, warn }: FieldsPlace,
	clock: Clock,
): Promise<FieldIndex | undefined> {
	const { cardId } = event;
	if (cardId === undefined || !needsFields(event, settings)) return undefined;
	const { credentials } = context.getNode();
	const key = JSON.stringify([settings.authentication, credentials, workspaceId, cardId]);
	const known = cards.getOrCreate(key, () => ({
		askedAt: -INTERVAL_MS,
		hurriedAt: -HURRIED_INTERVAL_MS,
	}));
	const isLacking = (index = known.index) =>
		!index || !Object.keys(event.data ?? {}).every((id) => index.byId(id));
	const isHurried = isLacking() || known.failure !== undefined;
	const now = clock.now();
	const dueAt = isHurried ? known.hurriedAt + HURRIED_INTERVAL_MS : known.askedAt + INTERVAL_MS;
	if (!known.pending && now >= dueAt) {
		known.askedAt = now;
		if (known.index && isLacking()) known.hurriedAt = now;
		const options = { impatient: true, timeoutMs: MAX_WAIT_MS };
		const list = async () =>
			new FieldIndex(await listFields(await openService(), cardId, options), cardId);
		known.pending = renew(known, list, clock);
	}
	const pending = async () => await known.pending;
	if (isLacking()) await withTimeLimit(MAX_WAIT_MS, clock, pending).catch(() => undefined);
	if (!known.index || (isLacking() && known.failure !== undefined)) {
		const reason = known.failure ?? 'the listing takes too long';
		const message = `The fields of card ${cardId} couldn't be read, so their IDs replace the names: ${reason}`;
		warn('names', message, WARNING_INTERVAL_MS);
	}
	return known.index;
}

/** Returns true if the fields of an event's card are needed: for names or conditions. */
export function needsFields(
	event: Pick<DeliveredEvent, 'event' | 'data'>,
	settings: TriggerSettings,
): boolean {
	const { simple, fieldKeys } = settings;
	const isNamed = simple && fieldKeys === 'name';
	return (
		isFiltered(event, settings) ||
		(event.data !== undefined && (isNamed || isWatched(event, settings)))
	);
}
