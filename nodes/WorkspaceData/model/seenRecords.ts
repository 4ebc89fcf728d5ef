/**
 * Which records a node has returned before. Tokens are remembered, one for each record or for each state
 * of a record. Records older than the oldest remembered one count as seen, where the age decides.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod/v3';
import { isEmpty } from './value/form';
import { type DataRecord, byAge, type Age } from './answer/record';

/** How many tokens are kept. */
export const REMEMBERED = {
	/** Of the latest records; older ones count as seen. */
	new: 2_000,
	/** Of any records; a card can have no more that meet the conditions. Some 120 kB in n8n's database. */
	newOrChanged: 10_000,
} as const;

/** Whether a record counts as new once, or with each of its states. */
export type SeenBy = 'new' | 'newOrChanged';

/** A record in a listing. */
export interface SeenEntry extends Age {
	token: string;
}

/** The remembered records. */
export interface Seen {
	tokens: ReadonlySet<string>;
	/** Records of this age and older ones count as seen. */
	floor: Age | undefined;
}

export const NOTHING_SEEN: Seen = { tokens: new Set(), floor: undefined };

/** Digits of a token: 72 bits, so that two of 10,000 are the same once in 10^13 cards. */
const TOKEN_LENGTH = 12;

/**
 * The token by which a record is remembered.
 *
 * @param by for `newOrChanged` the values count as well; an empty value is as good as none
 * @param keyOf how a field is called in the output: identifiers of fields can change
 */
export function tokenOf(
	{ id, data }: DataRecord,
	by: SeenBy,
	keyOf: (fieldId: string) => string,
): string {
	const values = Object.entries(by === 'new' ? {} : data)
		.filter(([, value]) => !isEmpty(value))
		.map(([fieldId, value]): [string, string] => [keyOf(fieldId), JSON.stringify(value)])
		.sort(([a], [b]) => (a < b ? -1 : 1));
	return createHash('sha256')
		.update(JSON.stringify([id, values]))
		.digest('base64url')
		.slice(0, TOKEN_LENGTH);
}

/** Whether a record counts as returned before. */
export const isSeen = ({ tokens, floor }: Seen, entry: SeenEntry): boolean =>
	tokens.has(entry.token) || (floor !== undefined && byAge(entry, floor) <= 0);

/** The records of a card that a run returned, and the records that a limit held back. */
export interface Returned {
	returned: ReadonlySet<string>;
	left: ReadonlySet<string>;
}

/**
 * Decides what to remember after a run. Records that a limit held back stay unseen, so no newer token is dropped before them.
 *
 * @param seen the records that were remembered before
 * @param listed all records of the card, oldest first
 * @param most how many tokens are kept; see {@link REMEMBERED}
 */
export function remember(
	by: SeenBy,
	seen: Seen,
	listed: readonly SeenEntry[],
	{ returned, left }: Returned,
	most: Record<SeenBy, number> = REMEMBERED,
): Seen {
	const kept = listed.filter(({ token }) => seen.tokens.has(token) || returned.has(token));
	const tokensOf = (entries: readonly SeenEntry[]) => new Set(entries.map(({ token }) => token));
	if (by === 'newOrChanged') return { tokens: tokensOf(kept.slice(-most[by])), floor: undefined };
	const oldestLeft = listed.find(({ token }) => left.has(token));
	const newer = oldestLeft ? kept.filter((entry) => byAge(entry, oldestLeft) > 0).length : 0;
	const count = Math.min(Math.max(most.new, newer), most.newOrChanged);
	const start = Math.max(0, kept.length - count);
	const dropped = kept[start - 1];
	const floor = dropped ? { at: dropped.at, id: dropped.id } : seen.floor;
	return { tokens: tokensOf(kept.slice(start)), floor };
}

const storedSchema = z.object({
	tokens: z.string(),
	floor: z.object({ at: z.number().nullable(), id: z.string() }).optional(),
});

/** The remembered records, as they are saved. */
export type StoredSeen = z.input<typeof storedSchema>;

/** As it is saved: one text of all tokens, which have one length. */
export const writeSeen = ({ tokens, floor }: Seen): StoredSeen => ({
	tokens: [...tokens].join(''),
	// JSON has no infinity.
	...(floor && { floor: { id: floor.id, at: Number.isFinite(floor.at) ? floor.at : null } }),
});

/** Reads the saved text; undefined if it cannot be read. */
export function readSeen(saved: unknown): Seen | undefined {
	const parsed = storedSchema.safeParse(saved);
	if (!parsed.success) return undefined;
	const { tokens, floor } = parsed.data;
	const all = tokens.match(new RegExp(`.{${TOKEN_LENGTH}}`, 'g')) ?? [];
	return {
		tokens: new Set(all),
		floor: floor && { id: floor.id, at: floor.at ?? -Infinity },
	};
}
