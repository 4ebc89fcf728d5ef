/** The kind of values in a field, whatever the service calls its type. */
export type FieldKind =
	| 'text'
	| 'number'
	| 'boolean'
	| 'date'
	| 'datetime'
	| 'choice'
	| 'choices'
	| 'json'
	| 'unknown';

/** Names of types, in lower case and without blanks, hyphens and underscores. */
const TYPE_NAMES: Record<Exclude<FieldKind, 'unknown'>, readonly string[]> = {
	text: [
		'text',
		'longtext',
		'shorttext',
		'richtext',
		'string',
		'email',
		'url',
		'phone',
		'textarea',
	],
	number: [
		'number',
		'numeric',
		'integer',
		'int',
		'float',
		'double',
		'decimal',
		'currency',
		'percent',
	],
	boolean: ['boolean', 'bool', 'checkbox', 'yesno'],
	date: ['date', 'dateonly'],
	datetime: ['datetime', 'dateandtime'],
	choice: ['singleselect', 'select', 'enum', 'dropdown', 'singlechoice', 'choice'],
	choices: [
		'multiselect',
		'multipleselect',
		'multichoice',
		'multiplechoice',
		'multienum',
		'choices',
	],
	json: ['json', 'object'],
};

const KINDS = new Map(
	Object.entries(TYPE_NAMES).flatMap(([kind, names]) =>
		names.map((name) => [name, kind as FieldKind] as const),
	),
);

/** A type's name without case, blanks, hyphens and underscores. */
export const plainTypeName = (type: string): string => type.toLowerCase().replace(/[\s_-]+/g, '');

/**
 * The kind of a type, by its name or a usual synonym.
 * @see service interface, part 2: the allowed types are not shown
 */
export const kindOfType = (type: string): FieldKind => KINDS.get(plainTypeName(type)) ?? 'unknown';

/**
 * The kind of a field of an unknown type, by the values that records have in it: numbers or booleans.
 * Empty values tell nothing.
 */
export function kindOfValues(values: Iterable<unknown>): FieldKind {
	const types = new Set<string>();
	for (const value of values) {
		if (value !== undefined && value !== null && value !== '') types.add(typeof value);
	}
	const [only] = types;
	return types.size === 1 && (only === 'number' || only === 'boolean') ? only : 'unknown';
}
