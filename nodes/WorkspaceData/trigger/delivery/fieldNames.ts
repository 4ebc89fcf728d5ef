/** The names of a card's fields, for the output of events. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../model/boundedMap';
import type { DeliveredEvent } from '../../model/webhookEvent';
import { FieldIndex } from '../../model/fieldIndex';
import type { Session } from '../../transport/session';
import type { Clock } from '../../transport/http/clock';
import { listFields } from '../../transport/cardAndFieldListings';
import type { TriggerSettings } from '../parameters';
import { comparedFields, isFiltered, isWatched, unknownNames } from './relevance';

/** How long the response to a delivery may wait for names, in ms. */
const MAX_WAIT_MS = 3_000;
/** How long a listing is valid, in ms. */
const INTERVAL_MS = 60_000;
/** Min time between two listings if the first one lacks something, in ms. */
const HURRIED_INTERVAL_MS = 15_000;
/** The pause after a failed listing, in ms. It doubles with each further one, up to the interval. */
const FIRST_PAUSE_MS = 1_000;

class KnownFields {
	/** When to request a listing again. */
	dueAt = -Infinity;
	/** The pause if that fails. */
	pauseMs = FIRST_PAUSE_MS;
	/** When a listing was last requested early because something was missing. */
	hurriedAt = -Infinity;
	/** The listing in progress. It resolves to the latest one if it fails. */
	pending: Promise<FieldIndex | undefined> | undefined;
	/** The latest successful listing. */
	index: FieldIndex | undefined;
}

const cards = new BoundedMap<string, KnownFields>(1_000);

/** Where the listing comes from. */
interface FieldsPlace {
	context: Pick<IExecuteFunctions, 'getNode'>;
	workspaceId: string;
	openService(): Promise<Session>;
}

/** The fields of the event's card, if names are needed. See {@link knownFields}. */
export async function fieldsFor(
	event: DeliveredEvent,
	settings: TriggerSettings,
	{ context, workspaceId, openService }: FieldsPlace,
	clock: Clock,
): Promise<FieldIndex | undefined> {
	const { simple, fieldKeys, watchFields, card } = settings;
	const { data, cardId } = event;
	const isNamed = data !== undefined && simple && fieldKeys === 'name';
	const watches = data !== undefined && isWatched(event, settings);
	const filters = isFiltered(event, settings);
	if (cardId === undefined || !(isNamed || watches || filters)) return undefined;
	const wanted = [...(watches ? watchFields : []), ...(filters ? comparedFields(settings) : [])];
	const isEnough = (index: FieldIndex) =>
		Object.keys(data ?? {}).every((id) => index.byId(id)) &&
		(card === undefined || unknownNames(wanted, index).length === 0);
	const list = async () => {
		const options = { impatient: true, timeoutMs: MAX_WAIT_MS };
		return new FieldIndex(await listFields(await openService(), cardId, options), cardId);
	};
	const credentials = Object.values(context.getNode().credentials ?? {}).map(({ id }) => id);
	const key = JSON.stringify([settings.authentication, credentials, workspaceId, cardId]);
	return await knownFields(key, list, isEnough, clock);
}

/**
 * The fields of a card, from a listing that is cached for a minute and then renewed in the background.
 * Waits for a new listing if none is cached or if the cached one isn't enough. It never throws and never
 * takes longer than 3 s; then it returns the last listing, or undefined.
 *
 * @param isEnough returns true if a listing has the required fields
 */
async function knownFields(
	key: string,
	list: () => Promise<FieldIndex>,
	isEnough: (index: FieldIndex) => boolean,
	clock: Clock,
): Promise<FieldIndex | undefined> {
	const known = cards.getOrCreate(key, () => new KnownFields());
	const now = clock.now();
	const isLacking = known.index !== undefined && !isEnough(known.index);
	const isDue = now >= known.dueAt;
	const mayHurry = isLacking && now - known.hurriedAt >= HURRIED_INTERVAL_MS;
	if (!known.pending && (isDue || mayHurry)) {
		if (isLacking) known.hurriedAt = now;
		known.pending = list()
			.then((index) => {
				known.index = index;
				known.dueAt = clock.now() + INTERVAL_MS;
				known.pauseMs = FIRST_PAUSE_MS;
			})
			.catch(() => {
				known.dueAt = clock.now() + known.pauseMs;
				known.pauseMs = Math.min(known.pauseMs * 2, INTERVAL_MS);
			})
			.then(() => known.index)
			.finally(() => (known.pending = undefined));
	}
	if (!known.pending || (known.index && !isLacking)) return known.index;
	return await Promise.race([known.pending, clock.sleep(MAX_WAIT_MS).then(() => known.index)]);
}
