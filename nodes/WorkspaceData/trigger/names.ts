/** The fields of a card: from a listing that is kept for a minute. */
import { FieldIndex } from '../records/fieldIndex';
import type { Field } from '../transport/api';
import { BoundedMap } from '../values/boundedMap';

/** How long a listing is valid, in ms. */
const INTERVAL_MS = 60_000;
/** The time between two listings if the last one failed or lacks a field, in ms. */
const HURRIED_INTERVAL_MS = 10_000;

interface Listing {
	askedAt: number;
	/** When a listing failed, or was asked for early because a field was lacking. */
	hurriedAt: number;
	pending: Promise<void> | undefined;
	index: FieldIndex | undefined;
	failure: unknown;
}

const listings = new BoundedMap<string, Listing>(1_000);

/** The fields that are known, and why the last listing failed, if it did. */
export type KnownFields = Pick<Listing, 'index' | 'failure'>;

/**
 * The fields of a card. Waits for the service only if none are known, or if one of the wanted ones isn't.
 *
 * @param key identifies the card
 * @param wanted IDs of fields
 * @param list asks the service
 */
export async function readFields(
	key: string,
	wanted: readonly string[],
	list: () => Promise<Field[]>,
): Promise<KnownFields> {
	const known = listings.getOrCreate(key, () => ({
		askedAt: -Infinity,
		hurriedAt: -Infinity,
		pending: undefined,
		index: undefined,
		failure: undefined,
	}));
	const { index, failure } = known;
	const isLacking = !index || !wanted.every((id) => index.byId(id));
	const now = Date.now();
	const isHurried = isLacking || failure !== undefined;
	const dueAt = isHurried ? known.hurriedAt + HURRIED_INTERVAL_MS : known.askedAt + INTERVAL_MS;
	if (!known.pending && now >= dueAt) {
		known.askedAt = now;
		if (index && isLacking) known.hurriedAt = now;
		known.pending = renew(known, list);
	}
	if (isLacking) await known.pending;
	return known;
}

/** Never fails. */
async function renew(known: Listing, list: () => Promise<Field[]>): Promise<void> {
	try {
		// Nothing names the card in messages of a delivery.
		known.index = new FieldIndex(await list(), '');
		known.failure = undefined;
	} catch (error) {
		known.failure = error;
		known.hurriedAt = Date.now();
	}
	known.pending = undefined;
}
