/** Fields, as the service sends them. */
import { plainTypeName, type ValueField } from '../../values/kinds/kind';
import { kindOfType } from '../../values/kinds/allKinds';
import { choiceListOf, readOptions } from '../../values/choiceList';
import { readEntries } from './page';
import { idOf, nameOf } from './idAndName';
import { isText, type JsonObject, readObject } from './jsonObject';

/**
 * A field (column definition). `raw` is the service's unchanged object.
 *
 * @see service interface, part 2
 */
export interface Field extends ValueField {
	id: string;
	/** The service's name for it. Types beyond the known ones are possible. */
	type: string;
	/** True if the service computes its values, so that nobody can write them. */
	isReadOnly: boolean;
	raw: JsonObject;
}

/** Returns what the listing says about writing a field; undefined if it says nothing. */
function readOnlyMark(raw: JsonObject): boolean | undefined {
	const { read_only, readOnly, readonly, isReadOnly, computed, is_computed } = raw;
	const marks = [read_only, readOnly, readonly, isReadOnly, computed, is_computed].filter(
		(mark) => typeof mark === 'boolean',
	);
	return marks.length === 0 ? undefined : marks.includes(true);
}

/** Types whose values services compute, without case and separators. */
const COMPUTED_TYPES = new Set([
	...['formula', 'lookup', 'rollup', 'autonumber', 'count', 'createdtime', 'createdby'],
	...['lastmodifiedtime', 'lastmodifiedby'],
]);

function toField(raw: JsonObject): Field | undefined {
	const id = idOf(raw, 'field_id');
	if (id === undefined) return undefined;
	const type = isText(raw.type) ? raw.type : '';
	const options = readOptions(choiceListOf(raw).list);
	const isReadOnly = readOnlyMark(raw) ?? COMPUTED_TYPES.has(plainTypeName(type));
	return { id, name: nameOf(raw) ?? id, type, kind: kindOfType(type), options, isReadOnly, raw };
}

/** The fields of a listing; undefined if the response holds no listing. */
export function readFields(body: unknown): Field[] | undefined {
	return readEntries(body, 'fields', toField);
}

/** The field in a response; undefined if there is none, for example in an empty body after a change. */
export function readField(body: unknown): Field | undefined {
	return readObject(body, 'field', toField);
}
