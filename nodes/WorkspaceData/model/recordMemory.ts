/**
 * Remembers which records a workflow has processed, for *Since Last Run* and *Catch Up*. It keeps a token
 * for each record, or for each state of a record. There is room only for the latest tokens, so all records
 * up to an age count as seen.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod/v3';
import { isEmpty } from '../values/emptyValue';
import { type DataRecord, byAge, type Age } from './response/record';

/** The key of a record in n8n's own memory, where *Catch Up* keeps what came by events. */
export const recordKey = (cardId: unknown, recordId: unknown): string =>
	JSON.stringify([String(cardId), String(recordId)]);

/**
 * Returns the records that no event has brought, oldest first. If some of the known ones may be forgotten, all records
 * before the oldest known one count as processed.
 */
export function missedIn<One extends Age>(
	listed: readonly One[],
	isKnown: (one: One) => boolean,
	mayForget: boolean,
): One[] {
	const byTime = [...listed].sort(byAge);
	const oldest = mayForget ? byTime.find(isKnown) : undefined;
	return byTime.filter((one) => (!oldest || one.at >= oldest.at) && !isKnown(one));
}

/** Max number of tokens that are kept. */
export const REMEMBERED = {
	/** The latest records. Older ones count as seen. */
	new: 2_000,
	/**
	 * All records that meet the conditions: a card can have no more of them. About 120 kB in n8n's
	 * database.
	 */
	newOrChanged: 10_000,
} as const;

/** `new`: a record counts once; `newOrChanged`: it counts once for each of its states. */
export type SeenBy = 'new' | 'newOrChanged';

/** A record in a listing. */
export interface SeenEntry extends Age {
	token: string;
}

/** The remembered records. */
export interface Seen {
	tokens: ReadonlySet<string>;
	/** The youngest age up to which every record counts as seen, whatever its token. */
	floor?: Age | undefined;
}

/** Returns true if a record of this age counts as seen, whatever its token. */
export const isOld = ({ floor }: Pick<Seen, 'floor'>, age: Age): boolean =>
	floor !== undefined && byAge(age, floor) <= 0;

/** Length of a token: 72 bits, so that two of 10,000 collide once in 10^13 cards. */
const TOKEN_LENGTH = 12;

/**
 * Converts a field and its value to text. Uses the field's name in the output, because field IDs can
 * change.
 */
export type ValueText = (fieldId: string, value: unknown) => [name: string, value: string];

/**
 * The token that stands for a record.
 *
 * @param by with `newOrChanged` the values count as well; an empty value equals a missing one
 */
export function tokenOf({ id, data }: DataRecord, by: SeenBy, textOf: ValueText): string {
	const values = Object.entries(by === 'new' ? {} : data)
		.filter(([, value]) => !isEmpty(value))
		.map(([fieldId, value]) => textOf(fieldId, value))
		.sort(([a], [b]) => (a < b ? -1 : 1));
	return createHash('sha256')
		.update(JSON.stringify([id, values]))
		.digest('base64url')
		.slice(0, TOKEN_LENGTH);
}

/** The records of a card that a run returned, and the records that a limit held back. */
export interface Returned {
	returned: ReadonlySet<string>;
	left: ReadonlySet<string>;
}

/**
 * Decides what to remember after a run. Records that a limit held back stay unseen, so no newer token is
 * dropped before them.
 *
 * @param seen the records that were remembered before
 * @param listed all records of the card, oldest first
 * @param most the max number of tokens; see {@link REMEMBERED}
 */
export function remember(
	by: SeenBy,
	seen: Seen,
	listed: readonly SeenEntry[],
	{ returned, left }: Returned,
	most: Record<SeenBy, number> = REMEMBERED,
): Seen {
	const kept = listed.filter(({ token }) => seen.tokens.has(token) || returned.has(token));
	const tokensOf = (entries: readonly SeenEntry[]) => entries.map(({ token }) => token);
	if (by === 'newOrChanged') return { tokens: new Set(tokensOf(kept.slice(-most[by]))) };
	const oldestLeft = listed.find(({ token }) => left.has(token));
	const newer = oldestLeft ? kept.filter((entry) => byAge(entry, oldestLeft) > 0).length : 0;
	const count = Math.min(Math.max(most.new, newer), most.newOrChanged);
	let start = Math.max(0, kept.length - count);
	// Records with the same time can't be distinguished by age, so all of them or none are remembered.
	while (start > 0 && kept[start - 1]?.at === kept[start]?.at) start -= 1;
	const dropped = kept[start - 1];
	const floor = dropped ? { at: dropped.at, id: dropped.id } : seen.floor;
	// A listing may lack a record, for example because its pages shift: it doesn't come again.
	const shown = new Set(tokensOf(listed));
	const unlisted = [...seen.tokens].filter((token) => !shown.has(token));
	const room = Math.max(0, most.new - (kept.length - start));
	const more = unlisted.slice(Math.max(0, unlisted.length - room));
	return { tokens: new Set([...more, ...tokensOf(kept.slice(start))]), floor };
}

/** The largest number of records with the same time. @param listed oldest first */
export function mostOfOneTime(listed: readonly SeenEntry[]): number {
	let most = 0;
	let start = 0;
	for (const [place, { at }] of listed.entries()) {
		if (listed[start]?.at !== at) start = place;
		most = Math.max(most, place - start + 1);
	}
	return most;
}

const storedSchema = z.object({
	tokens: z.string(),
	floor: z.object({ at: z.number().nullable(), id: z.string() }).optional(),
	/** The names by which the tokens call the fields, by ID. */
	names: z.record(z.string()).default({}),
});

/** Remembered records, and the names by which their tokens call the fields. */
export interface ReadSeen extends Seen {
	names: Record<string, string>;
}

/** The remembered records of *Since Last Run* in their saved form. */
export type StoredSeen = z.input<typeof storedSchema>;

/**
 * Returns the saved form: all tokens as one text, because they have the same length, and the age up to
 * which all records count as seen.
 */
export function writeSeen({ tokens, floor }: Seen): StoredSeen {
	return {
		tokens: [...tokens].join(''),
		// JSON has no infinity.
		...(floor && { floor: { id: floor.id, at: Number.isFinite(floor.at) ? floor.at : null } }),
	};
}

/** Reads the saved text; undefined if it can't be read. */
export function readSeen(saved: unknown): ReadSeen | undefined {
	const parsed = storedSchema.safeParse(saved);
	if (!parsed.success) return undefined;
	const { tokens, floor, names } = parsed.data;
	const all = tokens.match(new RegExp(`.{${TOKEN_LENGTH}}`, 'g')) ?? [];
	return {
		tokens: new Set(all),
		floor: floor && { id: floor.id, at: floor.at ?? -Infinity },
		names,
	};
}
