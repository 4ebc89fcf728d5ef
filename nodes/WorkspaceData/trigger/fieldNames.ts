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
	/** The listing that was asked for last; undefined where it failed. */
	asked: Promise<FieldIndex | undefined>;
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
	const known = cards.getOrCreate(key, () => ({
		askedAt: -Infinity,
		asked: Promise.resolve(undefined),
		index: undefined,
	}));
	if (clock.now() - known.askedAt >= INTERVAL_MS) {
		known.askedAt = clock.now();
		known.asked = readFieldIndex(context, authentication, cardId)
			.then((index) => (known.index = index))
			.catch(() => undefined);
	}
	const late = clock.sleep(MAX_WAIT_MS).then(() => undefined);
	return (await Promise.race([known.asked, late])) ?? known.index;
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
