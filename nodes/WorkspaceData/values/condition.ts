/** The conditions of filters. A condition is read once, then applied to each stored value. */
import { InputError } from './inputError';
import {
	daysOf,
	listOf,
	notDays,
	noValue,
	requireEntries,
	requireUsable,
	single,
} from './conditionValue';
import { readNumber } from './decimal';
import { isBlank, isEmpty } from './emptyValue';
import { enter, enterOperand, VALUE_LABEL } from './entry';
import { compareForms, identityOf, membersOf, placeOf, textsOf } from './identity';
import {
	CONDITIONS,
	type Comparable,
	type Condition,
	type EntryRules,
	type ValueField,
} from './kind';
import { showValue } from './messageText';
import { textOf } from './json';

/** Returns true if a stored value meets a condition. */
export type Test = (stored: unknown) => boolean;

/** What is needed to read a condition; `isExact` if records are selected for a change. */
export type ConditionPlace = Pick<EntryRules, 'zone' | 'isExact'>;

/** A condition as entered, and its field. */
interface Asked {
	field: ValueField;
	entered: unknown;
	rules: EntryRules;
}

const not =
	(test: Test): Test =>
	(stored) =>
		!test(stored);

/** Tests that a value is one of the entered values, or that a list has one of them. */
function oneOf({ field, rules }: Asked, entered: readonly unknown[]): Test {
	const member = { ...field, kind: field.kind.member ?? field.kind };
	const keyOf = (one: unknown) => identityOf(member, one, rules.zone);
	const keys = new Set(entered.map((one) => keyOf(enterOperand(member, one, rules))));
	return (stored) => membersOf(field, stored).some((one) => keys.has(keyOf(one)));
}

const anyOf = (asked: Asked): Test =>
	oneOf(asked, listOf(asked.entered, asked.field.options, asked.rules.isExact));

function equals({ field, entered, rules }: Asked): Test {
	const key = identityOf(field, enterOperand(field, entered, rules), rules.zone);
	return (stored) => identityOf(field, stored, rules.zone) === key;
}

const fold = (text: string): string => text.toLowerCase();

/** Tests that some text of a value, in lower case, is accepted. */
const hasText =
	(field: ValueField, accepts: (text: string) => boolean): Test =>
	(stored) =>
		textsOf(field, stored).some((text) => accepts(fold(text)));

/** A condition about the text of a value, without regard to case. */
const textual =
	(accepts: (text: string, part: string) => boolean) =>
	({ field, entered, rules }: Asked): Test => {
		const form = single(entered);
		// A date is looked for as the field keeps it.
		const part = fold(textOf(form === entered ? entered : enter(field, entered, rules)));
		return hasText(field, (text) => accepts(text, part));
	};

const includes = textual((text, part) => text.includes(part));

/** Tests that a list has a choice, or that the text of any other value has a part. */
function contains(asked: Asked): Test {
	if (!asked.field.kind.member) return includes(asked);
	const [only, ...others] = [asked.entered].flat();
	if (others.length === 0) return oneOf(asked, [only]);
	throw new InputError(
		`${VALUE_LABEL} has several entries`,
		"'Contains' takes one choice. Select 'Is Any Of' for several.",
	);
}

/** The form by which values are compared with an operand: of a text, the number in it. */
function orderedForms(
	{ field, rules }: Asked,
	operand: unknown,
): [Comparable, (stored: unknown) => Comparable | undefined] {
	if (field.kind.isText) {
		const number = readNumber(operand);
		if (number !== undefined) return [number, readNumber];
		throw new InputError(
			`${VALUE_LABEL} can't be ${showValue(operand)}: field '${field.name}' isn't a field for dates or numbers`,
			"'Greater Than' and 'Less Than' compare text with a number only. Enter a number, or give the field another type.",
		);
	}
	const form = (stored: unknown) => {
		const place = placeOf(field, stored, rules.zone);
		return place.rank === 0 ? place.form : undefined;
	};
	return [placeOf(field, enterOperand(field, operand, rules), rules.zone).form, form];
}

/** Compares stored values with an operand; undefined for a value that has no place in the order. */
function orderTo(asked: Asked, operand: unknown): (stored: unknown) => number | undefined {
	const [wanted, formOf] = orderedForms(asked, operand);
	return (stored) => {
		const form = formOf(stored);
		return form === undefined ? undefined : compareForms(form, wanted);
	};
}

const ordered =
	(accepts: (order: number) => boolean) =>
	(asked: Asked): Test => {
		const { field, entered } = asked;
		if (field.kind.member) throw unsuitable(field);
		single(entered);
		const order = orderTo(asked, entered);
		return (stored) => {
			const found = order(stored);
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
		return (stored) => (sinceFirst(stored) ?? -1) >= 0 && (sinceEnd(stored) ?? 1) < 0;
	};

const READERS: Record<Condition, (asked: Asked) => Test> = {
	equals,
	notEquals: (asked) => not(equals(asked)),
	isAnyOf: anyOf,
	isNoneOf: (asked) => not(anyOf(asked)),
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
 * @throws InputError for an unknown condition, a missing value, an empty entry, a value that no field can hold, or
 * an invalid number of days
 */
export function checkCondition(condition: string, entered: unknown): Condition {
	const known = CONDITIONS.find((name) => name === condition);
	if (!known) {
		throw new InputError(
			`'Condition' can't be '${condition}'`,
			"Select one from the list in 'Condition'.",
		);
	}
	if (WITHOUT_VALUE.includes(known)) return known;
	if (isBlank(entered)) throw noValue();
	requireEntries([entered].flat());
	requireUsable(entered);
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
	return READERS[known]({ field, entered, rules: { zone, isExact } });
}

/** Tests that a stored value of any kind contains text, without regard to case. */
export function containsText(field: ValueField, text: string): Test {
	const part = fold(text);
	return hasText(field, (one) => one.includes(part));
}
