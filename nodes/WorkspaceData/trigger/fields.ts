/** The fields of an event's card: from a listing that is kept for a minute. */
import { FieldIndex } from '../records/fieldIndex';
import { fieldsOf } from '../transport/api';
import { BoundedMap } from '../values/boundedMap';
import type { Delivery } from './event';
import { openSite, reasonOf } from './service';

/** How long a listing is valid, in ms. */
const VALID_MS = 60_000;
/** The time between two listings if the last one failed or lacks a field, in ms. */
const PAUSE_MS = 10_000;
/** The response to the delivery waits that long, in ms. */
const WAIT_MS = 3_000;

/** What is known of a card. Times are those of the next listing: as usual, and if something is lacking. */
interface Listing {
	dueAt: number;
	hurriedAt: number;
	pending?: Promise<void> | undefined;
	index?: FieldIndex;
}

const listings = new BoundedMap<string, Listing>(1_000);

/** The fields of the event's card; undefined if they aren't needed, or can't be had. Waits for a listing if one is due. */
export async function fieldsFor(delivery: Delivery): Promise<FieldIndex | undefined> {
	const { settings, event, signer } = delivery;
	const { card_id: cardId, data } = event;
	const isNamed = settings.simple && settings.fieldKeys === 'name' && data !== undefined;
	const isCompared = settings.conditions.length + settings.watchFields.length > 0;
	if (cardId === undefined || !(isNamed || isCompared)) return undefined;
	const key = JSON.stringify([signer.baseUrl, signer.workspace, cardId]);
	const known = listings.getOrCreate(key, () => ({ dueAt: 0, hurriedAt: 0 }));
	const isLacking = !known.index || Object.keys(data ?? {}).some((id) => !known.index?.byId(id));
	const now = Date.now();
	if (!known.pending && now >= (isLacking ? known.hurriedAt : known.dueAt)) {
		known.dueAt = now + VALID_MS;
		if (known.index && isLacking) known.hurriedAt = now + PAUSE_MS;
		known.pending = renew(known, cardId, delivery);
	}
	await known.pending;
	return known.index;
}

/** Never fails. */
async function renew(known: Listing, cardId: string, { context, node }: Delivery): Promise<void> {
	try {
		const { api } = await openSite(context, node);
		const options = { isUrgent: true, timeoutMs: WAIT_MS, signal: AbortSignal.timeout(WAIT_MS) };
		// Nothing names the card in messages of a delivery.
		known.index = new FieldIndex(await api.list(fieldsOf(cardId), options), '');
	} catch (error) {
		known.hurriedAt = Date.now() + PAUSE_MS;
		known.dueAt = known.hurriedAt;
		const message = `The fields of card ${cardId} couldn't be read, so their IDs replace the names`;
		node.log(context, `${message}: ${reasonOf(error)}`, message);
	}
	known.pending = undefined;
}
