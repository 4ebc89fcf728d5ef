import type { IWebhookFunctions } from 'n8n-workflow';
import { BoundedMap } from '../model/boundedMap';
import { indexFields, type FieldIndex } from '../model/fieldResolution';
import { openApi } from '../transport/api';
import type { Clock } from '../transport/clock';
import type { Authentication } from '../transport/credential';
import { listFields } from '../transport/listings';

/** How long the answer to a delivery may wait for names, in ms. */
const MAX_WAIT_MS = 3_000;
/** Time between two listings of one card, in ms. */
const INTERVAL_MS = 60_000;

interface KnownFields {
	askedAt: number;
	/** The listing that is on its way; gives the latest where it fails. */
	pending: Promise<FieldIndex | undefined> | undefined;
	/** The latest listing that came. */
	index: FieldIndex | undefined;
}

const cards = new BoundedMap<string, KnownFields>(1_000);

/**
 * The fields of a card, from a listing that is kept for a minute. Never fails and never takes longer
 * than 3 s: then the last listing is given, or undefined.
 *
 * @param workspaceId and `cardId` say which card
 */
export async function knownFields(
	context: IWebhookFunctions,
	authentication: Authentication,
	workspaceId: string,
	cardId: string,
	clock: Clock,
): Promise<FieldIndex | undefined> {
	const credential = Object.values(context.getNode().credentials ?? {}).map(({ id }) => id);
	const key = JSON.stringify([authentication, credential, workspaceId, cardId]);
	const known: KnownFields = cards.getOrCreate(key, () => ({
		askedAt: -Infinity,
		pending: undefined,
		index: undefined,
	}));
	if (clock.now() - known.askedAt >= INTERVAL_MS) {
		known.askedAt = clock.now();
		known.pending = readFieldIndex(context, authentication, cardId)
			.then((index) => (known.index = index))
			.catch(() => known.index)
			.finally(() => (known.pending = undefined));
	}
	if (!known.pending) return known.index;
	return await Promise.race([known.pending, clock.sleep(MAX_WAIT_MS).then(() => known.index)]);
}

async function readFieldIndex(
	context: IWebhookFunctions,
	authentication: Authentication,
	cardId: string,
): Promise<FieldIndex> {
	const api = await openApi(context, authentication);
	const options = { impatient: true, timeoutMs: MAX_WAIT_MS };
	return indexFields(await listFields(api, cardId, options), cardId);
}
