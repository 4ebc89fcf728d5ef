/** The names of a card's fields, for the output of events. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../model/boundedMap';
import type { DeliveredEvent } from '../../model/webhookEvent';
import { FieldIndex } from '../../model/fieldIndex';
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
/** Min time between two listings if the first one lacks something, in ms. */
const HURRIED_INTERVAL_MS = 15_000;
/** The pause after a failed listing, in ms. It doubles with each further one, up to the interval. */
const FIRST_PAUSE_MS = 1_000;

/** How often the log says that there are no names, in ms. */
const WARNING_INTERVAL_MS = 3_600_000;

/** The fields of a card, from a listing. */
class KnownFields {
	/** When to request a listing again. */
	dueAt = 0;
	/** When a listing was last requested early because something was missing. */
	hurriedAt = 0;
	/** The listing in progress. It resolves to the latest one if it fails. */
	pending: Promise<FieldIndex | undefined> | undefined;
	/** The latest successful listing. */
	index: FieldIndex | undefined;
	/** Why the last listing failed; undefined if it didn't. */
	failure: string | undefined;
	/** The pause if the next one fails. */
	private pauseMs = FIRST_PAUSE_MS;

	/** Requests a listing. Never throws. */
	async renew(list: () => Promise<FieldIndex>, clock: Clock): Promise<FieldIndex | undefined> {
		try {
			this.index = await list();
			this.failure = undefined;
			this.pauseMs = FIRST_PAUSE_MS;
			this.dueAt = clock.now() + INTERVAL_MS;
		} catch (error) {
			this.failure = reasonOf(error);
			this.dueAt = clock.now() + this.pauseMs;
			this.pauseMs = Math.min(this.pauseMs * 2, INTERVAL_MS);
		}
		this.pending = undefined;
		return this.index;
	}
}

const cards = new BoundedMap<string, KnownFields>(1_000);

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
	const known = cards.getOrCreate(key, () => new KnownFields());
	const isLacking = (index = known.index) =>
		index !== undefined && !Object.keys(event.data ?? {}).every((id) => index.byId(id));
	const now = clock.now();
	const mayHurry = isLacking() && now - known.hurriedAt >= HURRIED_INTERVAL_MS;
	if (!known.pending && (now >= known.dueAt || mayHurry)) {
		if (isLacking()) known.hurriedAt = now;
		const options = { impatient: true, timeoutMs: MAX_WAIT_MS };
		const list = async () =>
			new FieldIndex(await listFields(await openService(), cardId, options), cardId);
		known.pending = known.renew(list, clock);
	}
	const isToWait = known.pending && (!known.index || isLacking());
	const pending = async () => await known.pending;
	if (isToWait) await withTimeLimit(MAX_WAIT_MS, clock, pending).catch(() => undefined);
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
