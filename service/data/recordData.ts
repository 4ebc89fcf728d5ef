/** The data of a record: as clients send it, as it is stored, and as it is shown. */
import { isDeepStrictEqual } from 'node:util';
import { checkValue } from '../foundation/fieldTypes.ts';
import type { Field } from './fields.ts';
import { jsonPointer, maximumReasons, type Reason, problem } from '../foundation/problem.ts';

/** Values under the stored keys of their fields. */
export type StoredData = Record<string, unknown>;

/**
 * Checks the `data` of a request against the fields of its card.
 * @param data field id → value; null clears
 * @returns stored key → value as it is stored, null where it clears
 * @throws Problem unknown-field, invalid-value; with a reason for each refused entry, up to a hundred
 */
export function toStored(
	cardId: string,
	fields: readonly Field[],
	data: Record<string, unknown>,
): StoredData {
	const stored: StoredData = {};
	const unknown: Reason[] = [];
	const invalid: Reason[] = [];
	const reason = (id: string, detail: string) => ({ pointer: jsonPointer(['data', id]), detail });
	for (const id in data) {
		const field = fields.find((one) => one.id === id);
		const value = data[id];
		if (!field) {
			unknown.push(reason(id, `Field "${id}" does not exist in card "${cardId}".`));
			if (unknown.length === maximumReasons) break;
		} else if (value === null) {
			stored[field.key] = null;
		} else {
			const checked = checkValue(field.type, field.options, value);
			if (checked.ok) stored[field.key] = checked.value;
			else invalid.push(reason(id, `Field "${id}" (${field.type}): ${checked.detail}.`));
		}
	}
	if (unknown[0]) throw problem('unknown-field', unknown[0].detail, { errors: unknown });
	if (invalid[0]) throw problem('invalid-value', invalid[0].detail, { errors: invalid });
	return stored;
}

/** Record data as the API shows it: keyed by the fields' present ids; null where a change clears a field. */
export function toShown(stored: StoredData, fields: readonly Field[]): Record<string, unknown> {
	const shown: Record<string, unknown> = {};
	for (const { key, id } of fields) {
		const value = stored[key];
		if (value !== undefined) shown[id] = value;
	}
	return shown;
}

/** Stored data without what is cleared. */
export function withoutNulls(data: StoredData): StoredData {
	const kept: StoredData = {};
	for (const key in data) if (data[key] !== null) kept[key] = data[key];
	return kept;
}

/** Whether two values are the same in JSON, where -0 is 0. */
const sameInJson = (one: unknown, other: unknown) =>
	isDeepStrictEqual(one, other) || JSON.stringify(one) === JSON.stringify(other);

/** The effect of a change: entries whose value differs from the present one. */
export function differences(present: StoredData, change: StoredData): StoredData {
	return Object.fromEntries(
		Object.entries(change).filter(
			([key, value]) => !sameInJson(present[key] ?? null, value ?? null),
		),
	);
}
