/** Converts records and other objects of the service to n8n items. */
import type { INode } from 'n8n-workflow';
import type { Field } from '../model/response/field';
import type { FieldIndex } from '../records/fieldIndex';
import { UNKNOWN_ID, type DataRecord } from '../model/response/record';
import { isObject, type JsonObject } from '../model/response/jsonObject';
import { NODE_KEYS, RESERVED_KEYS, topLevelKey } from '../records/reservedNames';
import { plainNames, readSwitch } from '../values/parameterValue';
import { fieldKeysOption } from '../properties/recordOptions';
import { simplifyProperty } from '../properties/simplify';
import { readChoice } from './readParameters';

/** How a record is returned. */
export interface OutputOptions {
	fieldKeys?: string;
	/** The names or IDs of the fields to return; all if missing or empty. */
	outputFields?: unknown;
}

/** Returns the selected fields in the selected order. @throws InputError for an unknown field */
export function wantedFields(index: FieldIndex, wanted: unknown): Field[] | undefined {
	const names = plainNames(wanted);
	return names.length > 0 ? names.map((name) => index.resolve(name)) : undefined;
}

/**
 * Returns true if a field has the name of a key that the nodes add. The item of such a card needs the field: else the
 * node's key would be written to it when the item comes back.
 */
export const hasOwnName = (index: FieldIndex): boolean => index.fields.some(isNodeKey);

const isNodeKey = ({ name }: Pick<Field, 'name'>): boolean =>
	(NODE_KEYS as readonly string[]).includes(name);

/** Sets an own property for any key: a plain assignment would lose `__proto__`. */
function setOwn(object: JsonObject, key: string, value: unknown): void {
	if (key !== '__proto__') object[key] = value;
	else
		Object.defineProperty(object, key, {
			value,
			enumerable: true,
			writable: true,
			configurable: true,
		});
}

/**
 * Prepares the output of records of one card. Fields are in the card's order, or in the selected order.
 *
 * @param simple the parameter 'simple': true to return the fields under their names; else the service's own object
 * @throws InputError for options that name an unknown field
 */
export function recordOutput(
	index: FieldIndex,
	simple: unknown,
	options: OutputOptions,
): (record: DataRecord) => JsonObject {
	const keyOf = fieldKey(index, options);
	const wanted = wantedFields(index, options.outputFields);
	if (!readSwitch(simplifyProperty.displayName, simple, true)) return rawOutput(wanted);
	const toKey = topLevelKey(RESERVED_KEYS);
	const own = index.fields.filter((field) => isNodeKey(field) && !wanted?.includes(field));
	const columns = (wanted ? [...wanted, ...own] : index.fields).map((field) => ({
		id: field.id,
		key: toKey(keyOf(field)),
	}));
	const fill = filling(columns, wanted ? undefined : { index, toKey });
	const keys = [...columns.map(({ key }) => key), 'id', 'created_at'];
	// A field without a value is null. To copy an object with many keys takes a fraction of the
	// time and memory of adding the keys one by one.
	const empty: JsonObject = Object.fromEntries(keys.map((key) => [key, null]));
	return (record) =>
		record.isPartial
			? partialOutput(fill({}, record.data), record)
			: fill(Object.assign({ ...empty }, ownValues(record)), record.data);
}

/** Returns the keys of fields in the output of records. */
export const fieldKey = (
	index: FieldIndex,
	{ fieldKeys }: Pick<OutputOptions, 'fieldKeys'>,
): ((field: Field) => string) =>
	readChoice(fieldKeysOption, fieldKeys) === 'id' ? ({ id }) => id : (field) => index.keyOf(field);

/** Has no null for what isn't known: written back, it would clear the value. */
const partialOutput = (values: JsonObject, { id, createdAt }: DataRecord): JsonObject => ({
	...values,
	id,
	...(createdAt !== null && { created_at: createdAt }),
});

const ownValues = ({ id, createdAt }: DataRecord): JsonObject => ({
	id: id === UNKNOWN_ID ? null : id,
	created_at: createdAt,
});

/** Returns the service's object with the selected values only. */
function rawOutput(wanted: readonly Field[] | undefined): (record: DataRecord) => JsonObject {
	if (!wanted) return ({ raw }) => raw;
	const ids = new Set(wanted.map(({ id }) => id));
	return ({ raw, data }) => ({
		...raw,
		data: Object.fromEntries(Object.entries(data).filter(([id]) => ids.has(id))),
	});
}

/**
 * Returns a function that adds the values of a record to an item, in the order of the columns.
 *
 * @param columns the ID of each field, and its key in the output
 * @param others if given, values under an ID that the card no longer has are added as well
 */
function filling(
	columns: ReadonlyArray<{ id: string; key: string }>,
	others: { index: FieldIndex; toKey: (id: string) => string } | undefined,
): (item: JsonObject, data: JsonObject) => JsonObject {
	// The keys in use: the other values must not replace a field.
	const keys = new Set(columns.map(({ key }) => key));
	return (item, data) => {
		let found = 0;
		for (const { id, key } of columns) {
			if (!Object.hasOwn(data, id)) continue;
			setOwn(item, key, data[id]);
			found += 1;
		}
		if (!others) return item;
		const ids = Object.keys(data);
		if (ids.length === found) return item;
		for (const id of ids) {
			const key = others.toKey(id);
			if (!others.index.byId(id) && !keys.has(key)) setOwn(item, key, data[id]);
		}
		return item;
	};
}

/**
 * Returns the properties of a service's object, except for `error`. With Retry On Fail, n8n 1 treats an item with any
 * `error` but undefined as a failure, and n8n 2 any but undefined, null and false; the node then runs again.
 *
 * @returns the object itself, or a copy that has the value under `error_`
 */
export function withoutErrorFlag(object: JsonObject): JsonObject {
	if (!Object.hasOwn(object, 'error')) return object;
	const { error, ...rest } = object;
	return { ...rest, error_: error };
}

/** If an item has no other keys, n8n treats `error` as a failure. */
const FAILURE_KEYS = ['error', 'message', 'details'];

/**
 * Passes on an input item unchanged, unless n8n would treat it as failed because of the node's settings.
 *
 * @returns the object itself, or a copy that has the value under `error_`
 */
export function passedOn(
	item: Record<string, unknown>,
	{ retryOnFail, onError }: Pick<INode, 'retryOnFail' | 'onError'>,
): Record<string, unknown> {
	const isFailure =
		onError === 'continueErrorOutput' &&
		Object.keys(item).every((key) => FAILURE_KEYS.includes(key));
	return retryOnFail === true || isFailure ? withoutErrorFlag(item) : item;
}

/**
 * Makes a deep copy. A listing is read once for all items, and a later node that changes one item must not change the
 * others. Keys like `__proto__` are kept.
 */
export function copyOf(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(copyOf);
	// Dates and similar objects aren't copied.
	if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
	return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copyOf(part)]));
}
