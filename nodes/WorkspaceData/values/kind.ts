/** The form of every kind of value: one object holds everything that is known about its values. */
import type { FieldOption } from './choiceList';
import type { Formats } from './formats';
import { InputError } from './inputError';
import { showValue } from './messageText';
import type { Zone } from './time';

export const EQUALITY = ['equals', 'notEquals', 'isEmpty', 'isNotEmpty'] as const;
export const ANY_OF = ['isAnyOf', 'isNoneOf'] as const;
export const ORDER = ['greaterThan', 'greaterOrEqual', 'lessThan', 'lessOrEqual'] as const;
export const PARTS = ['contains', 'notContains'] as const;
export const ENDS = ['startsWith', 'endsWith'] as const;
export const DAYS = ['inLastDays', 'inNextDays'] as const;

/** The conditions for filters, with their names in the node's parameter. */
export const CONDITIONS = [...EQUALITY, ...ANY_OF, ...ORDER, ...PARTS, ...ENDS, ...DAYS] as const;

export type Condition = (typeof CONDITIONS)[number];

/** Two values are equal only if their forms are equal. A bigint is a whole number beyond 2^53. */
export type Comparable = number | bigint | string;

/** The properties of a field that its values depend on. */
export interface ValueField {
	name: string;
	/** The kind of its values, from its type. */
	kind: Kind;
	/** Empty if the field has no choices. */
	options: readonly FieldOption[];
	/** The service's name for the type. */
	type?: string;
	/** True if it is made for the values: if it is text, it takes all of them, lists and objects as JSON. */
	isNew?: boolean;
}

/** How entered values are treated. Members with the names of options have their values. */
export interface EntryRules {
	/** The zone of times without an offset. */
	zone: Zone;
	/** The treatment of `''`: sent to a field that can hold it (default), left out, or sent as null. */
	emptyValues?: 'send' | 'ignore' | 'clear';
	/** True to add choices that fields lack; else the refusal of one names the option that adds it. */
	addsChoices?: boolean;
	/** The formats of numbers, days, and yes or no in text of items; undefined for values of conditions. */
	formats?: Formats;
	/** True for values to match on: choices are spelled exactly, and an empty value is null. */
	isExact?: boolean;
	/** True to add fields for unknown columns; then one that refuses `''` leaves it out. */
	addsFields?: boolean;
}

/** An entry of a list in the editor. */
export interface Offer {
	name: string;
	value: string | number | boolean;
}

/** The editor's input for a value. */
export interface EditorInput {
	/** n8n's input in the field mapper. */
	type: 'string' | 'dateTime' | 'options';
	/** The entries of `options`. */
	options?(field: ValueField): readonly Offer[];
	/** True if records can be matched by it. */
	canMatch: boolean;
	/** Text that the label shows after the name. */
	hint?(field: ValueField): string;
	/** The values that a filter suggests for a condition; by default `options`. */
	filterValues?(field: ValueField, condition?: unknown): readonly Offer[];
	/** Common names of conditions for such values. */
	conditionNames?: Partial<Record<Condition, string>>;
}

/** Everything that is known about a kind of value. The list of kinds is `allKinds.ts`. */
export interface Kind {
	/** Names of the types that hold any value of the kind, in plain form, the best first. */
	readonly types: readonly string[];
	/** Names of types with values of the kind, but not all of them. */
	readonly narrowTypes?: readonly string[];
	/**
	 * True if any text is a value, also spaces and empty text. It is sorted by the language rules of this n8n, and
	 * *Greater Than* compares the numbers in it.
	 */
	readonly isText?: boolean;
	/** The kind of the members, if the values are lists. */
	readonly member?: Kind;

	/**
	 * The comparable form of a stored value: two values are equal only if their forms are equal.
	 *
	 * @param stored never empty
	 * @param zone of times without an offset
	 * @returns undefined if it isn't a value of this kind
	 */
	read(stored: unknown, field: ValueField, zone: Zone): Comparable | undefined;
	/** The form for order, if it differs. */
	position?(stored: unknown, field: ValueField, zone: Zone): Comparable | undefined;
	/** The text that a person reads for a stored value or member; by default the value. */
	shownText?(stored: unknown, field: ValueField): string;

	/**
	 * Converts an entered value to the value to send.
	 *
	 * @param entered never empty, and a value that some field can hold
	 * @returns undefined if the field can't hold it
	 * @throws InputError if there is more to say than what the field accepts
	 */
	enter(entered: unknown, field: ValueField, rules: EntryRules): unknown;
	/** Says which values the field accepts instead of this one. */
	accepts(entered: unknown, field: ValueField, rules: EntryRules): string;
	/** The choices in an entry, if the field has a list of choices. */
	choicesIn?(entered: unknown, field: ValueField): readonly unknown[];

	/** The suitable conditions. */
	readonly conditions: readonly Condition[];
	readonly input: EditorInput;
}

/** A type's name without case, spaces, hyphens and underscores. */
export const plainTypeName = (type: string): string => type.toLowerCase().replace(/[\s_-]/g, '');

/** The error for an invalid value. @param advice a sentence that says which values the field accepts */
export const unusable = (field: ValueField, value: unknown, advice: string): InputError =>
	new InputError(`Field '${field.name}' can't hold ${showValue(value)}`, advice);
