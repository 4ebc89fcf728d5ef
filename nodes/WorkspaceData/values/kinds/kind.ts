/** The form of every kind of value: one object holds everything that is known about its values. */
import type { FieldOption } from '../../model/response/choiceList';
import { InputError } from '../inputError';
import { isInexact } from '../../model/response/jsonObject';
import type { Zone } from '../time';
import type { Comparable } from '../comparable';
import { acceptedIn, type Formats, type Formatted } from '../formats';
import { showValue } from '../messageText';

export const EQUALITY = ['equals', 'notEquals', 'isEmpty', 'isNotEmpty'] as const;
export const ANY_OF = ['isAnyOf', 'isNoneOf'] as const;
export const ORDER = ['greaterThan', 'greaterOrEqual', 'lessThan', 'lessOrEqual'] as const;
export const PARTS = ['contains', 'notContains'] as const;
export const ENDS = ['startsWith', 'endsWith'] as const;
export const DAYS = ['inLastDays', 'inNextDays'] as const;

/** The conditions for filters, with their names in the node's parameter. */
export const CONDITIONS = [...EQUALITY, ...ANY_OF, ...ORDER, ...PARTS, ...ENDS, ...DAYS] as const;

export type Condition = (typeof CONDITIONS)[number];

/** How the records of a field store times, which decides how an entry is sent. */
export type Habit = 'noOffset';

/** The properties of a field that its values depend on. */
export interface ValueField {
	name: string;
	/** The kind of its values, from its type. */
	kind: Kind;
	/** Empty if the field has no choices. */
	options: readonly FieldOption[];
	/** The service's name for the type. */
	type?: string;
	/** How the card's records store its values; undefined if this wasn't checked. */
	habit?: Habit | undefined;
}

/** How entered values are treated. Members with the names of options have their values. */
export interface EntryRules {
	/** The zone of times without an offset. */
	zone: Zone;
	/** The treatment of `''`: sent to a field that can hold it (default), left out, or sent as null. */
	emptyValues?: 'send' | 'ignore' | 'clear';
	/** `error`: the refusal of a choice that the field doesn't have names the option that adds it. */
	missingChoices?: 'error' | 'add';
	/** The formats of numbers, days, and yes or no in text of items; undefined for values of conditions. */
	formats?: Formats;
	/** True for values to match on: choices are spelled exactly, and an empty value is null. */
	isExact?: boolean;
	/**
	 * True for a field whose type was inferred from the values: a text field turns other values into text,
	 * and a field that refuses `''` leaves it out.
	 */
	fits?: boolean;
}

/** A type for new fields, and which values of a column it keeps without loss. */
export interface NewType {
	type: string;
	/** Names that services use for it, without case and separators, the best first. */
	names: readonly string[];
	/** Types that can hold its values, other than types of text. */
	else?: readonly string[];
	/** The word for one such value in messages. */
	one?: string;
	/** Returns true if text can become such a value and return unchanged. */
	fitsText?(text: string): boolean;
	/** Returns the position of text in another format than the first one, so that no format restores both; -1 if none is. */
	otherFormat?(texts: readonly string[]): number;
	/** Returns true if a value that isn't text is such a value. */
	fitsValue?(value: unknown): boolean;
	/** Set if its values come from a list of choices: one choice, or several. */
	choices?: 'one' | 'several';
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
	readonly newTypes: readonly NewType[];
	/** Names of other types, in lower case and without spaces, hyphens and underscores. */
	readonly types?: readonly string[];

	/**
	 * The comparable form of a stored value: two values are equal only if their forms are equal.
	 *
	 * @param stored never empty
	 * @param zone of times without an offset
	 * @returns undefined if it isn't a value of this kind
	 */
	read(stored: unknown, field: ValueField, zone: Zone): Comparable | undefined;
	/** The form for equality, if it differs from the form for order. */
	identify?(stored: unknown, field: ValueField): Comparable | undefined;
	/** The text that a person reads for a stored value; by default the value, or each entry of a list. */
	texts?(stored: unknown, field: ValueField): readonly string[];
	/** True if text is sorted by the language rules of this n8n. */
	readonly isLanguage?: boolean;
	/** For sets of values: the kind of the members, and a function that returns them. */
	readonly set?: {
		readonly kind: Kind;
		of(stored: unknown, field: ValueField): readonly unknown[];
	};

	/** True if a value is one text, number, yes or no: lists and objects are refused. */
	readonly isSingle?: boolean;
	/** Set if text of such values has a format that the user selects. */
	readonly formatted?: Formatted;
	/**
	 * Converts an entered value to the value to send.
	 *
	 * @param entered never empty, in the usual format
	 * @returns undefined if the field can't hold it
	 * @throws InputError if there is more to say than what the field accepts
	 */
	enter(entered: unknown, field: ValueField, rules: EntryRules): unknown;
	/** A sentence that says which values the field accepts. */
	accepts?(field: ValueField): string;
	/** The choices in an entry, if the field has a list of choices. */
	choicesIn?(entered: unknown, field: ValueField): readonly unknown[];
	/** Returns true if records may hold an entered value that the field doesn't accept: a removed choice. */
	mayBeUnlisted?(entered: unknown, field: ValueField): boolean;
	/** Returns true if the card's records decide how an entry is sent. */
	dependsOnRecords?(entered: unknown): boolean;
	/** Finds the habit in stored values. */
	habitOf?(stored: Iterable<unknown>): Habit | undefined;
	/** Returns true if empty text is a value of the field. */
	holdsEmptyText?(field: ValueField): boolean;

	/** The suitable conditions. */
	readonly conditions: readonly Condition[];
	/**
	 * Compares stored values with an operand of *Greater Than* and similar conditions; by default by their
	 * comparable forms.
	 *
	 * @returns undefined for an operand that has no order
	 */
	orderAgainst?(operand: unknown): ((stored: unknown) => number | undefined) | undefined;
	readonly input: EditorInput;
}

/** A type's name without case, spaces, hyphens and underscores. */
export const plainTypeName = (type: string): string => type.toLowerCase().replace(/[\s_-]/g, '');

/** Returns true for a whole number that may have lost digits already. One with an exponent is no identifier. */
export const mayLackDigits = (value: unknown): boolean =>
	isInexact(value) && /^-?\d+$/.test(String(value));

/** The advice for a number that may have lost digits already. */
export const TOO_MANY_DIGITS = 'This number has too many digits to be exact. Enter it as text.';

/** Says how to get one value from a list or an object. */
export const oneValueOf = (value: object): string =>
	Array.isArray(value)
		? "This is a list. Enter one of its values, or join them, for example {{ $json.tags.join(', ') }}."
		: 'This is an object. Enter one of its values, for example {{ $json.status.value }}, or its text: {{ JSON.stringify($json.status) }}.';

/** A sentence that says which values a field accepts. @param formats undefined if none can be selected */
export function accepted(field: ValueField, value: unknown, formats?: Formats): string {
	const { kind, name } = field;
	const usual = kind.accepts?.(field) ?? `Enter a value that fits the type of field '${name}'.`;
	return kind.formatted && formats ? acceptedIn(kind.formatted, value, formats, usual) : usual;
}

/** The error for an invalid value. @param expected a sentence that says which values the field accepts */
export const unusable = (
	field: ValueField,
	value: unknown,
	expected = accepted(field, value),
): InputError => new InputError(`Field '${field.name}' can't hold ${showValue(value)}`, expected);
