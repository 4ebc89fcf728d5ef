/** The conditions by which records are filtered: a condition is read once, then asked of each stored value. */
import { InputError } from '../inputError';
import type { Zone } from '../time';
import { isChoice } from './choices';
import { compareForms, isOfOneSort } from './comparable';
import { daysOf, listOf, notDays, noValue, single, VALUE_LABEL } from './conditionValue';
import { isEmpty } from './emptyValue';
import { textOf } from './serialization';
import { CONDITIONS, type Condition, type EntryRules, type ValueField } from './kinds/kind';
import { enter, enterOperand, isOfKind, keyOf, placeOf, textsOf } from './value';

/**
 * Whether a stored value meets a condition. Undefined if it is unclear, and records are chosen to be changed: a value
 * that is none of its field's kind may be another spelling of the entered value.
 */
export type Test = (stored: unknown) => boolean | undefined;

/** The surroundings in which a condition is read. */
export interface ConditionPlace {
	zone: Zone;
	/** Whether records are chosen to be changed: nothing is taken for something like it. */
	isExact?: boolean;
	/** Gets the choices that the field does not have, with their refusals; without it they are refused. */
	unlisted?: Map<unknown, InputError>;
}

/** A condition as it was entered, and the field that it is about. */
interface Asked {
	field: ValueField;
	entered: unknown;
	rules: EntryRules;
}

const not =
	(test: (stored: unknown) => boolean): Test =>
	(stored) =>
		!test(stored);

/** The values of a field: the members of a stored set, else the value. */
export const valuesIn = (field: ValueField, stored: unknown): readonly unknown[] =>
	membersOf(field)[1](stored);

/** The field as one member of its set, and the members of a stored set; else the field and its value. */
function membersOf(field: ValueField): [ValueField, (stored: unknown) => readonly unknown[]] {
	const { set } = field.kind;
	if (!set) return [field, (stored) => [stored]];
	return [{ ...field, kind: set.kind }, (stored) => set.of(stored, field)];
}

/** Whether a value, or a member of a set, is known to be another value wherever it is not the same. */
function isReadable(field: ValueField, stored: unknown, zone: Zone): boolean {
	if (isEmpty(stored) || isOfKind(field, stored, zone)) return true;
	// A choice that was taken out of the list; not another spelling of one.
	return (
		field.options.length > 0 &&
		(typeof stored === 'string' || typeof stored === 'number') &&
		!isChoice(field.options, String(stored))
	);
}

/** That a value is not the entered one, or none of several. */
function isOther({ field, rules }: Asked, test: (stored: unknown) => boolean): Test {
	const [member, members] = membersOf(field);
	const isKnown = (one: unknown) => isReadable(member, one, rules.zone);
	return (stored) => {
		if (test(stored)) return false;
		return !rules.exact || isEmpty(stored) || members(stored).every(isKnown) ? true : undefined;
	};
}

/** Whether a value, or a member of a set, is one of some entered values. */
function oneOf({ field, rules }: Asked, entered: readonly unknown[]): (stored: unknown) => boolean {
	const { zone } = rules;
	const [member, members] = membersOf(field);
	const keys = new Set(entered.map((one) => keyOf(member, enterOperand(member, one, rules), zone)));
	return (stored) => members(stored).some((one) => keys.has(keyOf(member, one, zone)));
}

/** That a set has the same members as the entered one, in any order. */
function equalsSet(
	{ field, rules }: Asked,
	list: readonly unknown[],
): (stored: unknown) => boolean {
	const [member, members] = membersOf(field);
	const wanted = new Set(
		list.map((one) => keyOf(member, enterOperand(member, one, rules), rules.zone)),
	);
	return (stored) => {
		const keys = isEmpty(stored)
			? []
			: members(stored).map((one) => keyOf(member, one, rules.zone));
		return new Set(keys).size === wanted.size && keys.every((key) => wanted.has(key));
	};
}

function equals({ field, entered, rules }: Asked): (stored: unknown) => boolean {
	const list = field.kind.set && field.kind.choicesIn?.(entered, field);
	if (list && list.length > 0) return equalsSet({ field, entered, rules }, list);
	const key = keyOf(field, enterOperand(field, entered, rules), rules.zone);
	return (stored) => keyOf(field, stored, rules.zone) === key;
}

const entriesOf = ({ field, entered, rules }: Asked): readonly unknown[] =>
	listOf(entered, field.options, rules.exact);

const fold = (text: string): string => text.toLowerCase();

/** A condition about the text of a value; upper and lower case do not matter. */
const textual =
	(accepts: (text: string, part: string) => boolean) =>
	({ field, entered, rules }: Asked): ((stored: unknown) => boolean) => {
		const form = single(entered);
		const part = fold(textOf(form === entered ? entered : enter(field, entered, rules)));
		return (stored) => textsOf(field, stored).some((text) => accepts(fold(text), part));
	};

const includes = textual((text, part) => text.includes(part));

/** Of a set whether it has a choice; of all else whether its text has a part. */
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

/** How stored values stand to an operand; undefined if one of the two has no place in the order. */
function orderTo(
	{ field, rules }: Asked,
	operand: unknown,
): (stored: unknown) => number | undefined {
	const { kind } = field;
	if (kind.orderAgainst) return kind.orderAgainst(operand, rules.zone);
	const { form } = placeOf(field, enterOperand(field, operand, rules), rules.zone);
	return (stored) => {
		const place = placeOf(field, stored, rules.zone);
		// A number and a length of time, for example, have no order: the service alone knows the number's unit.
		const isOrdered = place.rank === 0 && isOfOneSort(place.form, form);
		return isOrdered ? compareForms(place.form, form) : undefined;
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

/** Days before, with or after today, today included, in the time zone of the workflow. */
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
	notEquals: (asked) => isOther(asked, equals(asked)),
	isAnyOf: (asked) => oneOf(asked, entriesOf(asked)),
	isNoneOf: (asked) => isOther(asked, oneOf(asked, entriesOf(asked))),
	contains,
	notContains: (asked) =>
		// Choices are compared as values, everything else as text.
		asked.field.options.length > 0 || asked.field.kind.set
			? isOther(asked, contains(asked))
			: not(contains(asked)),
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
 * Checks what can be known of a condition without its field.
 *
 * @param entered the value to compare with
 * @throws InputError for an unknown condition, a missing value, an empty entry, or no number of days
 */
export function checkCondition(condition: string, entered: unknown): Condition {
	const known = CONDITIONS.find((name) => name === condition);
	if (!known) {
		throw new InputError(
			`'Condition' can't be '${condition}'`,
			`Select one of: ${CONDITIONS.join(', ')}.`,
		);
	}
	if (!WITHOUT_VALUE.includes(known) && isEmpty(entered)) throw noValue();
	if (known === 'isAnyOf' || known === 'isNoneOf') listOf(entered, [], false);
	if (known === 'inLastDays' || known === 'inNextDays') daysOf(entered);
	return known;
}

/**
 * The test of one condition. Text is compared without regard to case in the conditions about parts of a text, and exactly
 * in *Equals*; all else as values of the field's kind.
 *
 * @param entered the value to compare with
 * @throws InputError for an unknown condition, a missing value, or a value that the field cannot hold
 */
export function conditionTest(
	condition: string,
	entered: unknown,
	field: ValueField,
	{ zone, isExact = false, unlisted }: ConditionPlace,
): Test {
	const known = checkCondition(condition, entered);
	const rules: EntryRules = {
		...{ emptyValues: 'send', zone, exact: isExact },
		...(unlisted && { unlisted }),
	};
	return READERS[known]({ field, entered, rules });
}

/** Whether a stored value has a text in it, whatever its kind; upper and lower case do not matter. */
export function containsText(field: ValueField, text: string): (stored: unknown) => boolean {
	const part = fold(text);
	return (stored) => textsOf(field, stored).some((one) => fold(one).includes(part));
}
