import { isDeepStrictEqual } from 'node:util';
import { checkValue } from './fieldTypes.ts';
import { problem, type ProblemReason } from './problem.ts';
import type { CardFields } from './storage/fields.ts';

/** Values under the stored keys of their fields. */
export type StoredData = Record<string, unknown>;

/** A path segment of a JSON Pointer. @see RFC 6901, section 3 */
const segment = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * Checks the `data` of a request against the fields of its card.
 * @param data field id → value; null clears
 * @returns stored key → value as it is stored, null where it clears
 * @throws ProblemError unknown-field, invalid-value; with a reason for each refused entry
 */
export function toStored(cardId: string, fields: CardFields, data: object): StoredData {
	const stored: StoredData = {};
	const unknown: ProblemReason[] = [];
	const invalid: ProblemReason[] = [];
	for (const [id, value] of Object.entries(data)) {
		const field = fields.byId.get(id);
		const pointer = `/data/${segment(id)}`;
		if (!field) {
			unknown.push({ pointer, detail: `Field "${id}" does not exist in card "${cardId}".` });
			continue;
		}
		if (value === null) {
			stored[field.key] = null;
			continue;
		}
		const checked = checkValue(field.type, field.options, value);
		if (checked.ok) stored[field.key] = checked.value;
		else invalid.push({ pointer, detail: `Field "${id}" (${field.type}): ${checked.detail}.` });
	}
	if (unknown[0]) throw problem('unknown-field', unknown[0].detail, { errors: unknown });
	if (invalid[0]) throw problem('invalid-value', invalid[0].detail, { errors: invalid });
	return stored;
}

/**
 * Record data as the API shows it: keyed by the fields' present ids, without deleted fields.
 * @param cleared what a field without a value looks like
 */
export function toShown(
	stored: StoredData,
	fields: CardFields,
	cleared: 'absent' | 'null',
): Record<string, unknown> {
	const shown: Record<string, unknown> = {};
	for (const { key, id } of fields.list) {
		const value = stored[key];
		if (value !== undefined) shown[id] = value;
		else if (cleared === 'null') shown[id] = null;
	}
	return shown;
}

/** Stored data without what is cleared. */
export function withoutNulls(data: StoredData): StoredData {
	return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
}

/** What a change really changes: entries whose value differs from the present one. */
export function differences(present: StoredData, change: StoredData): StoredData {
	return Object.fromEntries(
		Object.entries(change).filter(
			([key, value]) => !isDeepStrictEqual(present[key] ?? null, value ?? null),
		),
	);
}
