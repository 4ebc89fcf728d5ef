/** The conditions of filters. A condition is read once, then applied to each stored value. */
import { InputError } from './inputError';
import type { Zone } from './time';
import { compareForms } from './comparable';
import {
	daysOf,
	listOf,
	notDays,
	noValue,
	requireEntries,
	single,
	VALUE_LABEL,
} from './conditionValue';
import { isBlank, isEmpty } from './emptyValue';
import { showValue } from './messageText';
import { textOf } from './serialization';
import { CONDITIONS, type Condition, type EntryRules, type ValueField } from './kinds/kind';
import { enter, enterOperand } from './entry';
import { identityOf, placeOf, textsOf } from './identity';

/** Returns true if a stored value meets a condition. */
export type Test = (stored: unknown) => boolean;

/** What is needed to read a condition. */
export interface ConditionPlace {
	/** The zone of times without an offset, and of today. */
	zone: Zone;
	/** True if records are selected for a change, so that similar names and values don't match. */
	isExact?: boolean;
}

/** A condition as entered, and its field. */
interface Asked {
	field: ValueField;
	entered: unknown;
	rules: EntryRules;
}

const not =
	(test: (stored: unknown) => boolean): Test =>
	(stored) =>
		!test(stored);

/**
 * The field for one member of its set, and a function for the members of a stored set. If it isn't a set,
 * the field and its value.
 */
function membersOf(field: ValueField): [ValueField, (stored: unknown) => readonly unknown[]] {
	const { set } = field.kind;
	if (!set) return [field, (stored) => [stored]];
	return [{ ...field, kind: set.kind }, (stored) => set.of(stored, field)];
}

/** The identities of entered values or members of a set. */
const keysOf = (field: ValueField, entered: readonly unknown[], rules: EntryRules): Set<string> =>
	new Set(entered.map((one) => identityOf(field, enterOperand(field, one, rules), rules.zone)));

/** Tests that a value or a member of a set is one of the entered values. */
function oneOf({ field, rules }: Asked, entered: readonly unknown[]): (stored: unknown) => boolean {
	const [member, members] = membersOf(field);
	const keys = keysOf(member, entered, rules);
	return (stored) => members(stored).some((one) => keys.has(identityOf(member, one, rules.zone)));
}

/** Tests that a set has the same members as the entered one, in any order. */
function equalsSet(
	{ field, rules }: Asked,
	list: readonly unknown[],
): (stored: unknown) => boolean {
	const [member, members] = membersOf(field);
	const wanted = keysOf(member, list, rules);
	return (stored) => {
		const held = isEmpty(stored) ? [] : members(stored);
		const keys = new Set(held.map((one) => identityOf(member, one, rules.zone)));
		return keys.size === wanted.size && [...keys].every((key) => wanted.has(key));
	};
}

function equals(asked: Asked): (stored: unknown) => boolean {
	const { field, entered } = asked;
	if (!field.kind.set) return oneOf(asked, [entered]);
	const list = field.kind.choicesIn?.(entered, field) ?? [];
	requireEntries(list);
	return equalsSet(asked, list.length > 0 ? list : [entered]);
}

const entriesOf = ({ field, entered, rules }: Asked): readonly unknown[] =>
	listOf(entered, field.options, rules.isExact);

const fold = (text: string): string => text.toLowerCase();

/** Returns true for a value of which some text, in lower case, is accepted. */
const hasText =
	(field: ValueField, accepts: (text: string) => boolean) =>
	(stored: unknown): boolean =>
		textsOf(field, stored).some((text) => accepts(fold(text)));

/** A condition about the text of a value, without regard to case. */
const textual =
	(accepts: (text: string, part: string) => boolean) =>
	({ field, entered, rules }: Asked): ((stored: unknown) => boolean) => {
		const form = single(entered);
		const part = fold(textOf(form === entered ? entered : enter(field, entered, rules)));
		return hasText(field, (text) => accepts(text, part));
	};

const includes = textual((text, part) => text.includes(part));

/** Tests that a set has a choice, or that the text of any other value has a part. */
function contains(asked: Asked): (stored: unknown) => boolean {
	const { kind } = asked.field;
	if (!kind.set) return includes(asked);
	const [only, ...others] = Array.isArray(asked.entered) ? asked.entered : [asked.entered];
	if (others.length === 0) return oneOf(asked, [only]);
	throw new InputError(
		`${VALUE_LABEL} has several entries`,
		"'Contains' takes one choice. Select 'Is Any Of' for several.",
	);
}

/** Compares stored values with an operand; undefined if one of the two has no place in the order. */
function orderTo(
	{ field, rules }: Asked,
	operand: unknown,
): (stored: unknown) => number | undefined {
	const { kind } = field;
	if (kind.orderAgainst) {
		const order = kind.orderAgainst(operand);
		if (order) return order;
		throw new InputError(
			`${VALUE_LABEL} can't be ${showValue(operand)}: field '${field.name}' isn't a field for dates or numbers`,
			"'Greater Than' and 'Less Than' compare text with a number only. Enter a number, or give the field another type.",
		);
	}
	const { form } = placeOf(field, enterOperand(field, operand, rules), rules.zone);
	return (stored) => {
		const place = placeOf(field, stored, rules.zone);
		return place.rank === 0 ? compareForms(place.form, form) : undefined;
	};
}

const ordered =
	(accepts: (order: number) => boolean) =>
	(asked: Asked): Test => {
		const { field, entered } = asked;
		if (field.kind.set) throw unsuitable(field);
		single(entered);
		const order = orderTo(asked, entered);
		return (stored) => {
			const found = isEmpty(stored) ? undefined : order(stored);
			return found !== undefined && accepts(found);
		};
	};

const unsuitable = ({ name, type }: ValueField): InputError =>
	new InputError(
		`Field '${name}' can't be compared in this way`,
		`Select another condition for a field of type '${type ?? 'text'}'.`,
	);

/** A number of days before or after today, including today, in the time zone of the workflow. */
const inDays =
	(direction: 1 | -1) =>
	(asked: Asked): Test => {
		const { field, entered, rules } = asked;
		if (!field.kind.conditions.includes('inLastDays')) throw unsuitable(field);
		const count = daysOf(entered);
		const [first, last] = direction === 1 ? [0, count] : [1 - count, 1];
		const from = rules.zone.day(first);
		const to = from && rules.zone.day(last);
		if (!from || !to) throw notDays(entered);
		const [sinceFirst, sinceEnd] = [orderTo(asked, from), orderTo(asked, to)];
		return (stored) => {
			if (isEmpty(stored)) return false;
			return (sinceFirst(stored) ?? -1) >= 0 && (sinceEnd(stored) ?? 1) < 0;
		};
	};

const READERS: Record<Condition, (asked: Asked) => Test> = {
	equals,
	notEquals: (asked) => not(equals(asked)),
	isAnyOf: (asked) => oneOf(asked, entriesOf(asked)),
	isNoneOf: (asked) => not(oneOf(asked, entriesOf(asked))),
	contains,
	notContains: (asked) => not(contains(asked)),
	startsWith: textual((text, part) => text.startsWith(part)),
	endsWith: textual((text, part) => text.endsWith(part)),
	greaterThan: ordered((order) => order > 0),
	greaterOrEqual: ordered((order) => order >= 0),
	lessThan: ordered((order) => order < 0),
	lessOrEqual: ordered((order) => order <= 0),
	inLastDays: inDays(-1),
	inNextDays: inDays(1),
	isEmpty: () => isEmpty,
	isNotEmpty: () => not(isEmpty),
};

const WITHOUT_VALUE: readonly Condition[] = ['isEmpty', 'isNotEmpty'];

/**
 * Checks a condition as far as possible without its field.
 *
 * @param entered the value to compare with
 * @throws InputError for an unknown condition, a missing value, an empty entry, or an invalid number of
 * days
 */
export function checkCondition(condition: string, entered: unknown): Condition {
	const known = CONDITIONS.find((name) => name === condition);
	if (!known) {
		throw new InputError(
			`'Condition' can't be '${condition}'`,
			`Select one of: ${CONDITIONS.join(', ')}.`,
		);
	}
	if (WITHOUT_VALUE.includes(known)) return known;
	if (isBlank(entered)) throw noValue();
	if (Array.isArray(entered)) requireEntries(entered);
	if (known === 'isAnyOf' || known === 'isNoneOf') listOf(entered, [], false);
	if (known === 'inLastDays' || known === 'inNextDays') daysOf(entered);
	return known;
}

/**
 * Returns the test of one condition. Conditions about parts of a text ignore case, and *Equals* compares
 * text exactly. Everything else is compared as values of the field's kind.
 *
 * @param entered the value to compare with
 * @throws InputError for an unknown condition, a missing value, or a value that the field can't hold
 */
export function conditionTest(
	condition: string,
	entered: unknown,
	field: ValueField,
	{ zone, isExact = false }: ConditionPlace,
): Test {
	const known = checkCondition(condition, entered);
	const rules: EntryRules = { zone, isExact };
	return READERS[known]({ field, entered, rules });
}

/** Tests that a stored value of any kind contains text, without regard to case. */
export function containsText(field: ValueField, text: string): (stored: unknown) => boolean {
	const part = fold(text);
	return hasText(field, (one) => one.includes(part));
}
