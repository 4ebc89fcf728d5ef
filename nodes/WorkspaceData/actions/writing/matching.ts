/** The fields that an item is matched on, and the records that it matches. */
import type { DataRecord } from '../../model/response/record';
import type { Field } from '../../model/response/field';
import type { FieldHint, FieldIndex } from '../../records/fieldIndex';
import { InputError } from '../../values/inputError';
import type { JsonObject } from '../../model/response/jsonObject';
import { MatchingFields } from '../reading/matchIndex';
import type { Run } from '../run/run';
import type { Columns } from './mapper';
import { quote } from '../../values/messageText';
import type { CardWriter } from '../run/cardWriter';

/** The field of a key; undefined if there is none. Null for an ambiguous key, which its item reports. */
export function fieldOfKey(
	index: FieldIndex,
	key: string,
	hint?: FieldHint,
): Field | undefined | null {
	try {
		return index.find(key, hint);
	} catch {
		return null;
	}
}

/**
 * Returns the matching fields of an item.
 *
 * @param index the current field listing
 * @throws InputError if none is selected, or one is unknown
 */
export function matchingFields(
	{ zone }: Pick<Run, 'zone'>,
	columns: Columns,
	index: FieldIndex,
): MatchingFields {
	if (columns.matchingKeys.length === 0) {
		throw new InputError(
			"No field in 'Fields to match on'",
			'Select at least one field that identifies a record.',
		);
	}
	const ids = columns.matchingKeys.map((key) => matchingField(key, columns, index).id);
	return new MatchingFields(ids, index, zone);
}

/** Requires the exact name, because records are overwritten: a similar name could later mean another field. */
function matchingField(key: string, { hints }: Columns, index: FieldIndex): Field {
	const hint = hints.get(key);
	const field = index.resolve(key, hint);
	const { id, name } = field;
	if ([id, name].includes(key) || hint?.fieldId === id || hint?.name === name) return field;
	throw new InputError(
		`${quote(key)} in 'Fields to match on' isn't exactly the name of a field`,
		`Did you mean ${quote(name)}? Select the field again: records are changed by it, so its name must match exactly.`,
	);
}

/** Returns the key by which an item finds its record. @throws InputError if a matching value is empty */
export function itemKey(fields: MatchingFields, data: JsonObject): string {
	const empty = fields.emptyIn(data);
	if (empty === undefined) return fields.keyOf(data);
	throw new InputError(
		`Matching field '${fields.nameOf(empty)}' has no value`,
		'Give every field to match on a value: an empty value could match unrelated records.',
	);
}

/** Selects the records to update by the option 'Multiple Matches'. */
export function chosenMatches(
	matches: readonly DataRecord[],
	policy: string | undefined,
	card: string,
): readonly DataRecord[] {
	if (matches.length <= 1 || policy === 'all') return matches;
	if (policy === 'first') return matches.slice(0, 1);
	throw new InputError(
		`${matches.length} records of card '${card}' match this item`,
		"Match on more fields, or set the option 'Multiple Matches'.",
	);
}

/** The error of an item whose record exists in another spelling. */
export function otherSpelling(
	fields: MatchingFields,
	data: JsonObject,
	kept: DataRecord,
	card: string,
): InputError {
	return new InputError(
		`Card '${card}' has ${fields.shown(kept.data)}, which differs from ${fields.shown(data)} only in its spelling`,
		`Nothing was sent, to avoid a duplicate: services may ignore case, spaces or fractions of a second. If it is the same record, write ${fields.shown(kept.data)} in the item, for example by .toLowerCase() or .trim(). If not, create the record first.`,
	);
}

/** The maximum number of hints about spellings: there may be thousands of new records. */
const MAX_HINTS = 10;

/** Adds a hint if the service stores the matching values of a new record in another spelling. */
export function hintAtSpelling(
	{ run, writer: { cardRun } }: { run: Run; writer: CardWriter },
	fields: MatchingFields,
	sent: JsonObject,
	kept: DataRecord,
): void {
	if (fields.keyOf(sent) === fields.keyOf(kept.data)) return;
	cardRun.otherSpellings += 1;
	if (cardRun.otherSpellings > MAX_HINTS) return;
	run.messages.hint(
		`The service keeps ${fields.shown(kept.data)} for ${fields.shown(sent)}. Match on the value as it is stored`,
	);
}
