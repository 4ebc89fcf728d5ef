/** The form that every kind of value has: all that is known about its values is in one object. */
import type { FieldOption } from '../../answer/option';
import type { JsonObject } from '../../answer/shapes';
import { InputError } from '../../inputError';
import type { Zone } from '../../time';
import type { Comparable } from '../comparable';
import { isDecimal, keepsDigits } from '../decimal';
import { isEmpty } from '../emptyValue';
import { acceptedIn, inUsualSpelling, type Formats, type Formatted } from '../formats';
import { showValue } from '../serialization';

/** The conditions that records can be filtered by, as the node's parameter calls them. */
export const CONDITIONS = [
	'equals',
	'notEquals',
	'isAnyOf',
	'isNoneOf',
	'contains',
	'notContains',
	'startsWith',
	'endsWith',
	'greaterThan',
	'greaterOrEqual',
	'lessThan',
	'lessOrEqual',
	'inLastDays',
	'inNextDays',
	'isEmpty',
	'isNotEmpty',
] as const;

export type Condition = (typeof CONDITIONS)[number];

/** A habit of the records of a field, which decides how an entry is sent. */
export type Habit = 'numbers' | 'noOffset';

/** The part of a field that its values need. */
export interface ValueField {
	name: string;
	kind: Kind;
	options: readonly FieldOption[];
	/** As the service calls it. */
	type?: string;
	/** The service's object. */
	raw?: JsonObject;
	/** How the records of the card keep its values, where that was looked at. */
	habit?: Habit | undefined;
}

/** How entered values are treated. */
export interface EntryRules {
	/** How `''` is treated: sent unchanged, left out, or sent as null. */
	emptyValues: 'send' | 'ignore' | 'clear';
	zone: Zone;
	/** How text spells numbers, days, and yes or no; undefined if there is no choice. */
	formats?: Formats;
	/** Whether values are made to fit: others as text in a text field, `''` left out where a field refuses it. */
	fits?: boolean;
	/** Whether a text is refused that the field would keep in part only: `007` as 7, a time as its day. */
	whole?: boolean;
	/** Whether choices must be spelled exactly: records are chosen by them, to be changed. */
	exact?: boolean;
	/** Gets the choices that the field does not have, with their refusals, where records may hold them; else they are refused. */
	unlisted?: Map<unknown, InputError>;
	/** Further advice for a choice that the field does not have. */
	choiceAdvice?: string;
}

/** A type that a new field can get, and which values of a column it keeps without loss. */
export interface NewType {
	type: string;
	/** Names that services have for it, in plain form, the best first. */
	names: readonly string[];
	/** Types that can hold its values, too. */
	else: readonly string[];
	/** The word for one such value in a message. */
	one?: string;
	/** Whether a text can become such a value and come back unchanged. */
	fitsText?(text: string): boolean;
	/** Whether all of them are spelled in one way, so that the spelling is known afterwards. */
	isUniform?(texts: readonly string[]): boolean;
	/** The word for a value that is not a text, where that is another one. */
	oneValue?: string;
	/** Whether a value that is not a text is one. */
	fitsValue?(value: unknown): boolean;
	/** Whether its values come from a list of choices: one choice, or several. */
	choices?: 'one' | 'several';
}

/** An entry of a list in the editor. */
export interface Offer {
	name: string;
	value: string | number | boolean;
}

/** How the editor asks for a value. */
export interface EditorInput {
	/** n8n's input in the field mapper. */
	type: 'string' | 'dateTime' | 'object' | 'options';
	/** The entries of `options`. */
	options?(field: ValueField): readonly Offer[];
	/** Whether records can be matched by it. */
	canMatch: boolean;
	/** What the label says in addition to the name. */
	hint?(field: ValueField): string;
	/** The values that a filter offers for a condition. */
	filterValues?(field: ValueField, condition?: unknown): readonly Offer[];
	/** Names of conditions that people have for such values. */
	conditionNames?: Partial<Record<Condition, string>>;
}

/** Everything that is known about the values of a field. The list of kinds is `allKinds.ts`. */
export interface Kind {
	readonly name: string;
	/** Names of types that mean it, in lower case and without spaces, hyphens and underscores. */
	readonly types: readonly string[];
	/** The types of new fields. */
	readonly newTypes: readonly NewType[];

	/**
	 * The comparable form of a stored value: two values are the same exactly where their forms are.
	 *
	 * @param stored never empty
	 * @param zone of times without an offset
	 * @returns undefined if it is not a value of the kind
	 */
	read(stored: unknown, field: ValueField, zone: Zone): Comparable | undefined;
	/** The form by which a value is recognized, where that is not the form by which it is ordered. */
	identify?(stored: unknown, field: ValueField): Comparable | undefined;
	/** The text in which a person reads a stored value; by default the value as text. */
	texts?(stored: unknown, field: ValueField): readonly string[];
	/** Whether text is ordered as the language of this n8n does. */
	readonly isLanguage?: boolean;
	/** Where a value is a set of values: their kind, and the values of a set. */
	readonly set?: {
		readonly kind: Kind;
		of(stored: unknown, field: ValueField): readonly unknown[];
	};

	/**
	 * The value to send for an entered one.
	 *
	 * @param entered never empty
	 * @throws InputError that names the field and says what it accepts
	 */
	enter(entered: unknown, field: ValueField, rules: EntryRules): unknown;
	/** A sentence that says which values the field accepts. */
	accepts?(field: ValueField): string;
	/** The choices that an entry names, where the field has a list of them. */
	choicesIn?(entered: unknown, field: ValueField): readonly unknown[];
	/** Whether records may hold an entered value although the field does not accept it: a choice that was removed. */
	mayBeUnlisted?(entered: unknown, field: ValueField): boolean;
	/** Whether records decide how an entry is sent. */
	dependsOnRecords?(entered: unknown): boolean;
	/** The habit that stored values show. */
	habitOf?(stored: Iterable<unknown>): Habit | undefined;
	/** Whether an empty text is a value of the field. */
	holdsEmptyText?(field: ValueField): boolean;

	/** The conditions that make sense. */
	readonly conditions: readonly Condition[];
	/**
	 * The order in which stored values stand to an operand of *Greater Than* and the like; by default by their
	 * comparable forms.
	 */
	orderAgainst?(operand: unknown, zone: Zone): (stored: unknown) => number | undefined;
	readonly input: EditorInput;
}

export const EQUALITY = ['equals', 'notEquals', 'isEmpty', 'isNotEmpty'] as const;
export const ANY_OF = ['isAnyOf', 'isNoneOf'] as const;
export const ORDER = ['greaterThan', 'greaterOrEqual', 'lessThan', 'lessOrEqual'] as const;
export const PARTS = ['contains', 'notContains'] as const;
export const ENDS = ['startsWith', 'endsWith'] as const;
export const DAYS = ['inLastDays', 'inNextDays'] as const;

/** A number that has more digits than a number keeps: it is read as its text. */
const isLongNumber = (value: unknown): boolean =>
	typeof value === 'string' && isDecimal(value) && !keepsDigits(value);

/** Whether stored values are numbers only. */
export function habitOfNumbers(stored: Iterable<unknown>): Habit | undefined {
	const values = [...stored].filter((value) => !isEmpty(value));
	const isNumber = (value: unknown) => typeof value === 'number';
	return values.some(isNumber) && values.every((value) => isNumber(value) || isLongNumber(value))
		? 'numbers'
		: undefined;
}

/** A type's name without case, spaces, hyphens and underscores. */
export const plainTypeName = (type: string): string => type.toLowerCase().replace(/[\s_-]/g, '');

/** The advice for a number from which digits may be lost already. */
export const TOO_MANY_DIGITS = 'This number has too many digits to be exact. Enter it as text.';

/** The refusal of a value. @param expected a sentence that says which values the field accepts */
export const unusable = (
	field: ValueField,
	value: unknown,
	expected = field.kind.accepts?.(field) ??
		`Enter a value that fits the type of field '${field.name}'.`,
): InputError => new InputError(`Field '${field.name}' can't hold ${showValue(value)}`, expected);

/** A value in the spelling that fields read. @throws InputError for text that does not fit the chosen format */
export function usualSpelling(
	type: Formatted,
	entered: unknown,
	field: ValueField,
	{ formats }: EntryRules,
): unknown {
	const usual = inUsualSpelling(type, entered, formats);
	if (usual !== undefined) return usual;
	throw unusable(field, entered, acceptedIn(type, entered, formats, ''));
}
